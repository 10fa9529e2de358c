#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/include_rules.h"
#include "rules/source_tree.h"

namespace schemamem::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Rooms design() { return rooms_of_design(read_text(kSource / "docs/design.md")); }

TEST(Includes, EveryFileIncludesOnlyWhatItsRowInTheDesignAllows) {
  const Rooms rooms = design();
  for (const auto& file : files_below(kSource / "src", {".h", ".cpp"})) {
    const std::filesystem::path inside = std::filesystem::relative(file, kSource / "src");
    const std::string room = inside.begin()->string();
    ASSERT_TRUE(rooms.contains(room)) << inside << ": docs/design.md has no row for this room";
    EXPECT_THAT(forbidden_includes(rooms, room, inside.string(), read_text(file)), IsEmpty());
  }
}

TEST(Includes, PureRoomsKnowNoOperatingSystem) {
  const std::vector<std::string> pure = pure_rooms_of_design(read_text(kSource / "docs/design.md"));
  EXPECT_THAT(pure, testing::IsSupersetOf({"base", "models", "stream"}));
  const Rooms rooms = design();
  for (const std::string& room : pure) {
    for (const std::string& other : rooms.at(room).rooms)
      EXPECT_THAT(pure, testing::Contains(other)) << room << " may include it and is pure";
    for (const auto& file : files_below(kSource / "src" / room, {".h", ".cpp"}))
      EXPECT_THAT(impure_includes(read_text(file)), IsEmpty()) << file;
  }
}

TEST(Includes, CMakeLinksEveryRoomAsTheDesignSays) {
  const Rooms rooms = design();
  const Rooms linked = rooms_of_cmake(read_text(kSource / "CMakeLists.txt"));
  for (const auto& [name, room] : rooms) EXPECT_TRUE(linked.contains(name)) << name << " is missing in CMakeLists.txt";
  for (const auto& [name, room] : linked) {
    ASSERT_TRUE(rooms.contains(name)) << name << " is missing in docs/design.md";
    EXPECT_EQ(room.rooms, rooms.at(name).rooms) << "USES of " << name;
    for (const std::string& package : room.third_party)
      EXPECT_TRUE(rooms.at(name).third_party.contains(package)) << name << " links " << package;
  }
}

TEST(Includes, NoRoomIncludesItselfInACircle) {
  const Rooms rooms = design();
  for (const auto& [name, room] : rooms)
    for (const std::string& other : room.rooms) {
      ASSERT_TRUE(rooms.contains(other)) << name << " may include " << other << ", which is no room";
      EXPECT_FALSE(rooms.at(other).rooms.contains(name)) << name << " and " << other << " include each other";
    }
}

TEST(IncludeRules, ReadTheTableAndRefuseWhatItDoesNotAllow) {
  const Rooms rooms = rooms_of_design(
      "| room | may include | third-party headers | what |\n|---|---|---|---|\n"
      "| base | — | fmt | |\n| kernels | base | — | |\n\n| kernels | cli | no row: the table has ended | |\n");
  ASSERT_EQ(rooms.size(), 2U);
  const auto check = [&](const std::string& room, const std::string& text) {
    return forbidden_includes(rooms, room, "f.h", text);
  };
  EXPECT_THAT(check("kernels", "#include <vector>\n#include \"base/view.h\"\n#include <immintrin.h>\n"), IsEmpty());
  EXPECT_THAT(check("base", "#include <fmt/format.h>\n#include <sys/stat.h>\n#include <unistd.h>\n"), IsEmpty());
  EXPECT_THAT(check("base", "#include \"kernels/simd.h\""), ElementsAre(HasSubstr("may not include room kernels")));
  EXPECT_THAT(check("base", "#include \"view.h\""), ElementsAre(HasSubstr("names its room")));
  EXPECT_THAT(check("base", "# include <immintrin.h>"), ElementsAre(HasSubstr("only kernels")));
  EXPECT_THAT(check("kernels", "#include <fmt/format.h>"), ElementsAre(HasSubstr("third-party")));
  EXPECT_THAT(check("kernels", "#include <zlib.h>"), ElementsAre(HasSubstr("third-party")));
  EXPECT_THAT(check("kernels", "#include \"kernels/reference/x.h\""), ElementsAre(HasSubstr("tests and benchmarks")));
  EXPECT_THAT(forbidden_includes(rooms, "kernels", "kernels/reference/y.h", "#include \"kernels/reference/x.h\""),
              IsEmpty());
}

TEST(IncludeRules, TellWhatKnowsAnOperatingSystem) {
  EXPECT_THAT(
      impure_includes("#include <filesystem>\n# include <sys/stat.h>\n#include <vector>\n#include <unistd.h>\n"),
      ElementsAre("filesystem", "sys/stat.h", "unistd.h"));
  EXPECT_THAT(pure_rooms_of_design("Everything a stream needs (`base`, `tensors`) is pure."),
              ElementsAre("base", "tensors"));
}

TEST(IncludeRules, ReadRoomsAndProgramsFromCMake) {
  const Rooms rooms = rooms_of_cmake(
      "schemamem_room(base LINKS fmt::fmt Threads::Threads)\n"
      "schemamem_program(schemamem cli USES base\n   LINKS CLI11::CLI11)\n");
  EXPECT_THAT(rooms.at("base").third_party, ElementsAre("fmt"));
  EXPECT_THAT(rooms.at("cli").rooms, ElementsAre("base"));
  EXPECT_THAT(rooms.at("cli").third_party, ElementsAre("CLI"));
}

}  // namespace
}  // namespace schemamem::rules
