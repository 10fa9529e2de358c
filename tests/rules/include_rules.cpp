#include "rules/include_rules.h"

#include <regex>
#include <sstream>
#include <stdexcept>

#include "rules/source_tree.h"

namespace schemamem::rules {
namespace {

/// Header folder of each package that a room may link; empty for a package without headers of its own.
const std::map<std::string, std::string> kPackages = {
    {"fmt::fmt", "fmt"},
    {"nlohmann_json::nlohmann_json", "nlohmann"},
    {"tomlplusplus::tomlplusplus", "toml++"},
    {"CLI11::CLI11", "CLI"},
    {"Threads::Threads", ""},
    {"schemamem::headers", "schemamem"},
};
const std::set<std::string> kInstructionSetHeaders = {"immintrin.h", "x86intrin.h", "arm_neon.h", "cpuid.h"};
const std::set<std::string> kSystemHeaders = {"dirent.h", "dlfcn.h",  "fcntl.h", "poll.h",    "pthread.h",
                                              "sched.h",  "signal.h", "spawn.h", "termios.h", "unistd.h"};

const std::set<std::string> kImpureHeaders = {"filesystem", "fstream", "future",
                                              "mutex",      "thread",  "condition_variable"};

/// The words of a table cell: "base, kernels" gives two, "—" none.
std::set<std::string> words_of(const std::string& cell) {
  static const std::regex word("([A-Za-z0-9_+]+)");
  const std::vector<std::string> words = all_matches(cell, word);
  return {words.begin(), words.end()};
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  std::istringstream stream(row.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(cell);
  return cells;
}

bool is_reference(const std::string& path) { return path.find("/reference/") != std::string::npos; }

std::string verdict(const Rooms& rooms, const std::string& room, const std::string& file, const std::string& header,
                    bool angled) {
  const std::size_t slash = header.find('/');
  const std::string first = slash == std::string::npos ? "" : header.substr(0, slash);
  if (!angled) {
    if (is_reference(header) && !is_reference(file)) return "references are for tests and benchmarks only";
    if (first == room || rooms.at(room).rooms.contains(first)) return "";
    return first.empty() ? "an include starts at src/ and names its room"
                         : "room " + room + " may not include room " + first;
  }
  if (kInstructionSetHeaders.contains(header)) return room == "kernels" ? "" : "only kernels know instruction sets";
  if (first == "sys" || kSystemHeaders.contains(header)) return "";
  if (first == "linux") return room == "system" ? "" : "only system knows the kernel";
  if (first.empty() && !header.ends_with(".h")) return "";  // the standard library
  if (rooms.at(room).third_party.contains(first.empty() ? header.substr(0, header.rfind('.')) : first)) return "";
  return "room " + room + " may not include this third-party header";
}

}  // namespace

Rooms rooms_of_design(const std::string& markdown) {
  Rooms rooms;
  bool inside = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("| room | may include |")) {
      inside = true;
    } else if (inside && !line.starts_with("|")) {
      break;
    } else if (inside && !line.starts_with("|---")) {
      const std::vector<std::string> cells = cells_of(line);
      if (cells.size() < 3) throw std::runtime_error("design.md: a row of the room table is too short: " + line);
      rooms[*words_of(cells[0]).begin()] = {words_of(cells[1]), words_of(cells[2])};
    }
  }
  return rooms;
}

Rooms rooms_of_cmake(const std::string& cmake) {
  static const std::regex call(R"((?:^|\n)schemamem_(?:room|program)\(([^)]*)\))");
  Rooms rooms;
  for (const std::string& arguments : all_matches(cmake, call)) {
    std::istringstream stream(arguments);
    std::string name, section;
    Room room;
    for (std::string word; stream >> word;) {
      if (word == "USES" || word == "LINKS") {
        section = word;
      } else if (section.empty()) {
        name = word;  // schemamem_program(schemamem cli ...): the folder comes last
      } else if (section == "USES") {
        room.rooms.insert(word);
      } else if (const std::string& folder = kPackages.at(word); !folder.empty()) {
        room.third_party.insert(folder);
      }
    }
    rooms[name] = room;
  }
  return rooms;
}

std::vector<std::string> forbidden_includes(const Rooms& rooms, const std::string& room, const std::string& file,
                                            const std::string& text) {
  static const std::regex include(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  std::vector<std::string> found;
  for (const std::string& line : lines_of(text)) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string why = verdict(rooms, room, file, match[2].str(), match[1].str() == "<");
    if (!why.empty()) found.push_back(file + ": #include of " + match[2].str() + ": " + why);
  }
  return found;
}

std::vector<std::string> pure_rooms_of_design(const std::string& markdown) {
  static const std::regex sentence(R"(Everything a stream needs \(([^)]*)\) is pure)");
  std::smatch match;
  if (!std::regex_search(markdown, match, sentence)) throw std::runtime_error("design.md: which rooms are pure?");
  const std::set<std::string> names = words_of(match[1].str());
  return {names.begin(), names.end()};
}

std::vector<std::string> impure_includes(const std::string& text) {
  static const std::regex include(R"(#[ \t]*include[ \t]*<([^>]+)>)");
  std::vector<std::string> found;
  for (const std::string& header : all_matches(text, include)) {
    if (header.starts_with("sys/") || header.starts_with("linux/") || kSystemHeaders.contains(header) ||
        kImpureHeaders.contains(header))
      found.push_back(header);
  }
  return found;
}

}  // namespace schemamem::rules
