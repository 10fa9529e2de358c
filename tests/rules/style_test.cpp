#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/source_tree.h"

namespace schemamem::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// What a library must not do: print, or end the process.
std::vector<std::string> forbidden_words(const std::string& text) {
  static const std::regex word(
      R"((\bstd::(?:cout|cerr|clog)\b|\b(?:v?f?printf|puts|putchar|fputs|fmt::print|_?exit|_Exit|quick_exit|abort|terminate)\s*\())");
  return all_matches(code_only(text), word);
}

TEST(Library, NeverPrintsExitsOrAborts) {
  for (const auto& file : files_below(kSource / "src", {".h", ".cpp"})) {
    const std::filesystem::path inside = std::filesystem::relative(file, kSource / "src");
    if (*inside.begin() == "cli") continue;
    EXPECT_THAT(forbidden_words(read_text(file)), IsEmpty()) << inside << ": return a Result or throw instead";
  }
}

TEST(Library, ListsNoFolderByIteratorsThatEndTheProcessWhenMemoryRunsOut) {
  static const std::regex iterator(R"((directory_iterator))");
  for (const auto& file : files_below(kSource / "src", {".h", ".cpp"}))
    EXPECT_THAT(all_matches(code_only(read_text(file)), iterator), IsEmpty()) << file << ": use list_directory()";
}

TEST(ForbiddenWords, AreFoundInCodeButNotInCommentsOrText) {
  EXPECT_THAT(forbidden_words("std::cout << 1; std::exit (1); fprintf(stderr, \"\");"),
              ElementsAre("std::cout", "exit (", "fprintf("));
  EXPECT_THAT(forbidden_words("// printf(\n/* abort( */ auto x = \"exit(\"; snprintf(b, 1'000, \"\"); on_exit_of();"),
              IsEmpty());
  EXPECT_THAT(forbidden_words("char c = '\"'; abort();"), ElementsAre("abort("));
  EXPECT_THAT(forbidden_words("auto x = R\"(exit( \" )\"; auto y = '\\''; exit(1);"), ElementsAre("exit("));
}

TEST(Json, IsParsedInOnePlace) {
  static const std::regex parsing(R"(([Jj]son::(?:parse|sax_parse|accept|from_[a-z]+)|ifstream[^;]*>> *json))");
  EXPECT_THAT(all_matches("auto x = Json::parse(t); ordered_json::sax_parse(t, h);", parsing),
              ElementsAre("Json::parse", "json::sax_parse"));
  for (const auto& file : files_below(kSource / "src", {".h", ".cpp"})) {
    if (file.filename() == "json_events.h") continue;
    EXPECT_THAT(all_matches(read_text(file), parsing), IsEmpty())
        << file << ": JSON comes in through base/json.h, which bounds it";
  }
}

TEST(Format, EverySourceIsAsClangFormatWritesIt) {
  std::string files;
  for (const char* folder : {"src", "include", "tests", "bench", "fuzz", "python"})
    for (const auto& file : files_below(kSource / folder, {".h", ".cpp"})) files += " " + quoted(file);
  const Outcome outcome = run("clang-format-14 --dry-run -Werror" + files);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output << "\n`make format` repairs it, `make deps` installs clang-format";
}

}  // namespace
}  // namespace schemamem::rules
