#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "system/process.h"

namespace schemamem::test {

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Starts the program itself, in a process of its own; `arguments` are separated by spaces.
inline Process start_program(const std::string& arguments, const std::filesystem::path& log) {
  std::vector<std::string> words{"schemamem"};
  std::istringstream stream(arguments);
  for (std::string word; stream >> word;) words.push_back(word);
  return Process::start(SCHEMAMEM_PROGRAM, words, log).value();
}

/// The processes that a process has started and that are still there.
inline std::vector<pid_t> children_of(pid_t process) {
  std::vector<pid_t> children;
  const std::string id = std::to_string(process);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

}  // namespace schemamem::test
