#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "rules/source_tree.h"

namespace schemamem::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Types that are defined at the beginning of a line, with their namespaces. A namespace holds until its closing
/// comment, as clang-format writes it; what is in one without a name is seen by one file alone and left out.
std::vector<std::string> defined_types(const std::string& text) {
  static const std::regex begin(R"(^namespace ([\w:]*) ?\{)"), end(R"(^\}  // namespace ?([\w:]*))"),
      type(R"(^(?:struct|class|enum class|enum|union) (\w+)(?: final)?(?: :[^;{]*)? \{)");
  std::vector<std::string> found, spaces;
  for (const std::string& line : lines_of(text)) {
    std::smatch match;
    if (std::regex_search(line, match, begin)) {
      spaces.push_back(match[1]);
    } else if (std::regex_search(line, match, end) && !spaces.empty()) {
      spaces.pop_back();
    } else if (std::regex_search(line, match, type)) {
      std::string name;
      bool is_local = false;
      for (const std::string& space : spaces) {
        is_local |= space.empty();
        name += space + "::";
      }
      if (!is_local) found.push_back(name + match[1].str());
    }
  }
  return found;
}

TEST(Types, HaveOneDefinitionInTheProgram) {
  std::map<std::string, std::set<std::string>> homes;
  for (const auto& file : files_below(kSource / "src", {".h", ".cpp"}))
    for (const std::string& name : defined_types(read_text(file))) homes[name].insert(file.filename());
  EXPECT_GT(homes.size(), 200);
  for (const auto& [name, files] : homes) EXPECT_EQ(files.size(), 1) << name << ": " << testing::PrintToString(files);
}

TEST(DefinedTypes, CarryTheirNamespacesAndAreNotTheLocalOnes) {
  EXPECT_THAT(defined_types("namespace a::b {\n"
                            "struct One;\n"
                            "struct Two {\n};\n"
                            "enum Kind : int {\n};\n"
                            "namespace {\n"
                            "class Hidden {\n};\n"
                            "}  // namespace\n"
                            "class Last final : public Two {\n};\n"
                            "}  // namespace a::b\n"
                            "namespace c {\n"
                            "struct Two {\n};\n"
                            "}  // namespace c\n"),
              ElementsAre("a::b::Two", "a::b::Kind", "a::b::Last", "c::Two"));
  EXPECT_THAT(defined_types("  struct Inner {\n  };\n"), IsEmpty());
}

}  // namespace
}  // namespace schemamem::rules
