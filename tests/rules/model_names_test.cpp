#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "rules/source_tree.h"

namespace schemamem::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The string literals that are a model's name and nothing else; comments may say what they like.
std::vector<std::string> model_names_in(const std::string& text) {
  static const std::regex name(R"re("(schemamem|mamba3|gdn)")re");
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    bool inside = false;
    std::size_t end = 0;  // of the code: where a comment begins
    for (; end < line.size(); ++end) {
      if (line[end] == '"' && (end == 0 || line[end - 1] != '\\')) inside = !inside;
      if (!inside && line.compare(end, 2, "//") == 0) break;
    }
    for (const std::string& one : all_matches(line.substr(0, end), name)) found.push_back(one);
  }
  return found;
}

TEST(ModelNames, StandInTheRegistryAndInThePapersDataAlone) {
  const std::set<std::string> configs{"models/schemamem/config.h", "models/mamba3/config.h",
                                      "models/gated_delta_net/config.h"};
  const std::set<std::string> program{"cli/run_cli.cpp", "sweep/pool.cpp"};  // its name, as processes and help show it
  std::size_t registered = 0;
  for (const auto& file : files_below(kSource / "src", {".h", ".cpp"})) {
    const std::string inside = std::filesystem::relative(file, kSource / "src").generic_string();
    const std::vector<std::string> names = model_names_in(read_text(file));
    if (configs.contains(inside)) {
      EXPECT_EQ(names.size(), 1U) << inside;
      ++registered;
    } else if (program.contains(inside)) {
      EXPECT_THAT(names, ElementsAre("schemamem")) << inside << ": the program's name, once";
    } else if (!inside.starts_with("paper/")) {
      EXPECT_THAT(names, IsEmpty()) << inside << ": ask a model for a property (models/model_traits.h) instead";
    }
  }
  EXPECT_EQ(registered, configs.size());
}

TEST(ModelNamesOfASource, AreWholeLiteralsOutsideOfComments) {
  EXPECT_THAT(model_names_in("if (name == \"gdn\" || name == \"mamba3\")  // not \"schemamem\"\n"),
              ElementsAre("gdn", "mamba3"));
  EXPECT_THAT(model_names_in("/// \"gdn\"\nprint(\"schemamem train\", \"http://x\", \"schemamem-A3V3\");"), IsEmpty());
  EXPECT_THAT(model_names_in("f(\"http://x\", \"gdn\");"), ElementsAre("gdn"));
}

}  // namespace
}  // namespace schemamem::rules
