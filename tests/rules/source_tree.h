#pragma once

#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace schemamem::rules {

inline const std::filesystem::path kSource = SCHEMAMEM_SOURCE_DIR;
inline const std::filesystem::path kBinary = SCHEMAMEM_BINARY_DIR;

std::string read_text(const std::filesystem::path& path);
std::vector<std::string> lines_of(const std::string& text);

/// Files below `folder` whose names end in one of `endings`, sorted; none if there is no such folder.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::vector<std::string>& endings);

/// C++ without its comments and without what is inside string and character literals. Line breaks stay.
std::string code_only(const std::string& text);

/// All matches of the first group of `pattern`.
std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern);

struct Outcome {
  int exit_code = 0;
  std::string output;  // standard output and standard error together
};
/// Runs a command in a shell, in the source folder, with no standard input.
Outcome run(const std::string& command);

std::string quoted(const std::filesystem::path& path);

}  // namespace schemamem::rules
