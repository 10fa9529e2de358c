#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "rules/source_tree.h"

namespace schemamem::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kProgram = "build/schemamem";

/// The commands in the ```sh blocks of a page; comments and empty lines are left out, continued lines joined.
std::vector<std::string> commands_of(const std::string& markdown) {
  std::vector<std::string> commands;
  bool inside = false;
  std::string command;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("```")) {
      inside = line == "```sh";
    } else if (inside) {
      command += line.substr(0, line.find(" #"));
      if (command.ends_with('\\')) {
        command.pop_back();
        continue;
      }
      command.erase(command.find_last_not_of(' ') + 1);
      if (!command.empty() && !command.starts_with('#')) commands.push_back(command);
      command.clear();
    }
  }
  return commands;
}

/// The sub-commands of a call of the program: "build/schemamem task sample --delay 8" gives task, sample.
std::vector<std::string> subcommands_of(const std::string& command) {
  static const std::regex word("[a-z][a-z-]*");
  std::vector<std::string> names;
  std::istringstream stream(command);
  std::string part;
  for (stream >> part; stream >> part && std::regex_match(part, word);) names.push_back(part);
  return names;
}

std::string with_real_program(const std::string& command) {
  return quoted(kBinary / "schemamem") + command.substr(kProgram.size());
}

std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> found = files_below(kSource / "docs", {".md"});
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) found.push_back(kSource / name);
  return found;
}

TEST(Documents, EveryMakeTargetThatAPageNamesExists) {
  static const std::regex rule("(?:^|\n)([a-z-]+):");
  const std::vector<std::string> targets = all_matches(read_text(kSource / "Makefile"), rule);
  static const std::regex use("`make ([a-z-]+)");
  for (const auto& page : pages()) {
    const std::string text = read_text(page);
    std::vector<std::string> named = all_matches(text, use);
    for (const std::string& command : commands_of(text))
      if (command.starts_with("make ")) named.push_back(command.substr(5, command.find(' ', 5) - 5));
    for (const std::string& target : named) EXPECT_THAT(targets, testing::Contains(target)) << page;
  }
}

TEST(Documents, EveryCommandOfTheReadmeIsAProgramThatExists) {
  static const std::regex known("(?:make|git|cd|cmake|ctest|" + kProgram + ")(?: .*)?");
  for (const std::string& command : commands_of(read_text(kSource / "README.md")))
    EXPECT_TRUE(std::regex_match(command, known)) << command << ": tests/rules does not know how to check this";
}

TEST(Documents, EverySubcommandThatAPageCallsHasAHelpPage) {
  for (const auto& page : pages())
    for (const std::string& command : commands_of(read_text(page))) {
      if (!command.starts_with(kProgram)) continue;
      std::string call = kProgram;
      for (const std::string& name : subcommands_of(command)) {
        call += " " + name;
        const Outcome outcome = run(with_real_program(call + " --help"));
        EXPECT_EQ(outcome.exit_code, 0) << page << ": " << call << " --help\n" << outcome.output;
        EXPECT_THAT(outcome.output, testing::HasSubstr(name)) << page << ": " << call << " --help";
      }
    }
}

TEST(Documents, TheCheapCommandsOfTheReadmeSucceed) {
  static const std::regex cheap(kProgram + " (?:--version|--help|task ).*");
  for (const std::string& command : commands_of(read_text(kSource / "README.md"))) {
    if (!std::regex_match(command, cheap)) continue;
    const Outcome outcome = run(with_real_program(command));
    EXPECT_EQ(outcome.exit_code, 0) << command << "\n" << outcome.output;
  }
}

TEST(Documents, EveryFileThatAPageNamesExists) {
  static const std::regex link(R"(\]\(([^)#]+)[^)]*\))");
  static const std::regex path(
      "`((?:src|include|tests|docs|scripts|cmake|bench|fuzz|configs|python)/[A-Za-z0-9_./-]*)`");
  for (const auto& page : pages()) {
    const std::string text = read_text(page);
    for (const std::string& target : all_matches(text, link))
      EXPECT_TRUE(target.starts_with("http") || exists(page.parent_path() / target)) << page << " links " << target;
    for (const std::string& name : all_matches(text, path)) EXPECT_TRUE(exists(kSource / name)) << page << ": " << name;
  }
}

TEST(Documents, EveryTestAndFuzzTargetOfThePageOnTrustExists) {
  const std::string page = read_text(kSource / "docs/trust.md");
  std::string tests;
  for (const auto& file : files_below(kSource / "tests", {"_test.cpp"})) tests += read_text(file);
  static const std::regex named(R"(`(?:Hostile/)?([A-Z][A-Za-z]+\.(?:[A-Z][A-Za-z0-9]+|\*))`)");
  const std::vector<std::string> names = all_matches(page, named);
  EXPECT_GT(names.size(), 20U);
  for (const std::string& name : names) {
    const std::size_t dot = name.find('.');
    const std::string suite = name.substr(0, dot), test = name.substr(dot + 1);
    EXPECT_THAT(tests, testing::HasSubstr("(" + suite + ", " + (test == "*" ? "" : test + ")"))) << name;
  }
  for (const auto& target : files_below(kSource / "fuzz", {"_fuzz.cpp"})) {
    const std::string name = target.stem().string();
    EXPECT_THAT(page, testing::HasSubstr("`" + name.substr(0, name.size() - 5) + "`")) << target;
  }
}

TEST(Documents, TheExamplesOfExtendingAreTheFilesThatTestsCompile) {
  const std::string page = read_text(kSource / "docs/extend.md");
  for (const char* file :
       {"tests/task/example_task.h", "tests/models/example/trace_mixer.h", "tests/models/example/variant_config.h"})
    EXPECT_THAT(page, testing::HasSubstr("```c++\n" + read_text(kSource / file) + "```")) << file;
}

TEST(FrontDoor, BuildingAsksForNoLibraryOfTestsOrBenchmarks) {
  const Outcome packages = run("SKIP_DEPS=1 scripts/deps.sh build");
  EXPECT_THAT(packages.output, testing::HasSubstr("libfmt-dev"));
  for (const char* name : {"gtest", "gmock", "rapidcheck", "benchmark"})
    EXPECT_THAT(packages.output, testing::Not(testing::HasSubstr(name)));
  // As `make build` configures, where none of them is installed.
  const std::string folder = quoted(kBinary / "program_alone");
  const Outcome outcome =
      run("rm -rf " + folder +
          " && cmake --preset release -DSCHEMAMEM_PROGRAM_ALONE=ON -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON"
          " -DCMAKE_DISABLE_FIND_PACKAGE_rapidcheck=ON -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON -B " +
          folder);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(read_text(kSource / "Makefile"), testing::HasSubstr("--preset release -DSCHEMAMEM_PROGRAM_ALONE=ON"));
}

TEST(CommandsOfAPage, AreTheLinesOfItsShellBlocks) {
  const std::string page =
      "```sh\nmake test   # all of it\n\n# a comment\nbuild/schemamem a \\\n  --b\n```\n```text\nno command\n```\n";
  EXPECT_THAT(commands_of(page), ElementsAre("make test", "build/schemamem a   --b"));
  EXPECT_THAT(subcommands_of("build/schemamem task sample --delay 8"), ElementsAre("task", "sample"));
  EXPECT_THAT(subcommands_of("build/schemamem --version"), IsEmpty());
}

}  // namespace
}  // namespace schemamem::rules
