#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "cli/hostile/child.h"
#include "support/program.h"

// What is asked of every call of the program on what a stranger has made (docs/trust.md).

namespace schemamem::test {

/// What lies in a tree, without the folders in which a command may write.
inline std::map<std::string, std::string> snapshot(const std::filesystem::path& root,
                                                   const std::set<std::filesystem::path>& without) {
  std::map<std::string, std::string> all;
  for (auto entry = std::filesystem::recursive_directory_iterator(root);
       entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    const std::filesystem::file_status status = entry->symlink_status();
    std::string content = std::to_string(static_cast<int>(status.type()));
    constexpr std::uintmax_t kRead = 1 << 20;
    if (std::filesystem::is_regular_file(status))
      content += " " + std::to_string(entry->file_size()) + (entry->file_size() < kRead ? text_of(entry->path()) : "");
    if (std::filesystem::is_symlink(status)) content += std::filesystem::read_symlink(entry->path()).string();
    if (without.contains(entry->path())) {
      entry.disable_recursion_pending();
      content.clear();
    }
    all[std::filesystem::relative(entry->path().parent_path(), root) / entry->path().filename()] = content;
  }
  return all;
}

inline bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; }) ||
         text.find("\xc2\x9b") != std::string::npos;
}

/// What is wrong with how a call has ended, or nothing.
inline std::string fault_of(const Ending& end) {
  static const std::set<int> kDocumented{0, 1, 2, 64, 65, 66, 73, 74, 75, 76};
  if (end.late) return "still running when its time was over";
  if (end.signal != 0) return "ended by signal " + std::to_string(end.signal);
  if (!kDocumented.contains(end.code)) return "exit code " + std::to_string(end.code);
  if (end.err.find("Internal error") != std::string::npos || end.err.find("Out of memory") != std::string::npos)
    return "error: " + end.err;
  // A step limit and a stop on request are no errors, and told all the same.
  const bool told = (end.code == 2 && end.err.find("step limit") != std::string::npos) ||
                    (end.code == 75 && end.stopped && !end.err.empty());
  if (end.code != 0 && !told && end.err.find("error: ") == std::string::npos)
    return "no message for exit code " + std::to_string(end.code);
  if (has_control_characters(end.out)) return "control characters in the output";
  if (has_control_characters(end.err)) return "control characters in the messages";
  return {};
}

/// The first thing that changed and must not, or nothing.
inline std::string difference(const std::map<std::string, std::string>& before,
                              const std::map<std::string, std::string>& after) {
  for (const auto& [path, content] : before) {
    const auto found = after.find(path);
    if (found == after.end()) return path + " is gone";
    if (found->second != content) return path + " has changed";
  }
  for (const auto& [path, content] : after) {
    if (!before.contains(path)) return path + " was made";
  }
  return {};
}

}  // namespace schemamem::test
