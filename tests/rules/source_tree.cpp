#include "rules/source_tree.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace schemamem::rules {

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::vector<std::string>& endings) {
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::is_directory(folder)) return found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto fits = [&](const std::string& ending) { return name.ends_with(ending); };
    if (entry.is_regular_file() && std::any_of(endings.begin(), endings.end(), fits)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string code_only(const std::string& text) {
  std::string code;
  std::size_t i = 0;
  const auto starts = [&](const char* token) {
    return text.compare(i, std::char_traits<char>::length(token), token) == 0;
  };
  const auto skip_past = [&](const std::string& token) {
    const std::size_t end = std::min(text.find(token, i), text.size());
    code.append(static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                    text.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                '\n');
    i = std::min(end + token.size(), text.size());
  };
  const auto skip_literal = [&](char quote) {
    for (++i; i < text.size() && text[i] != quote; ++i) i += text[i] == '\\' ? 1 : 0;
    ++i;
    code.append({quote, quote});
  };
  while (i < text.size()) {
    const bool after_word = !code.empty() && (std::isalnum(static_cast<unsigned char>(code.back())) != 0);
    if (starts("//")) {
      i = std::min(text.find('\n', i), text.size());
    } else if (starts("/*")) {
      skip_past("*/");
    } else if (starts("R\"") && !after_word) {
      const std::size_t open = text.find('(', i);
      skip_past(")" + text.substr(i + 2, open - i - 2) + "\"");
    } else if (text[i] == '"' || (text[i] == '\'' && !after_word)) {  // 1'000 is no character literal
      skip_literal(text[i]);
    } else {
      code += text[i++];
    }
  }
  return code;
}

std::vector<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[1].str());
  return found;
}

Outcome run(const std::string& command) {
  const std::string line = "cd " + quoted(kSource) + " && ( " + command + " ) </dev/null 2>&1";
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  Outcome outcome;
  std::array<char, 4096> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe))
    outcome.output.append(block.data(), count);
  const int status = ::pclose(pipe);
  outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

}  // namespace schemamem::rules
