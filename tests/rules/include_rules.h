#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace schemamem::rules {

struct Room {
  std::set<std::string> rooms;        // whose headers it may include, beside its own
  std::set<std::string> third_party;  // first folder of the headers, or a lone one without its .h: fmt, CLI, histedit
};
using Rooms = std::map<std::string, Room>;

/// The table in docs/design.md that starts with "| room | may include |".
Rooms rooms_of_design(const std::string& markdown);

/// What CMakeLists.txt links: USES as rooms, LINKS as the header folders of the linked packages.
Rooms rooms_of_cmake(const std::string& cmake);

/// One sentence for every include in `text` that the table does not allow in `room`.
std::vector<std::string> forbidden_includes(const Rooms& rooms, const std::string& room, const std::string& file,
                                            const std::string& text);

/// The rooms that the design calls pure: "Everything a stream needs (`base`, ...) is pure".
std::vector<std::string> pure_rooms_of_design(const std::string& markdown);
/// The includes of a file through which it would know an operating system: files, threads, system calls.
std::vector<std::string> impure_includes(const std::string& text);

}  // namespace schemamem::rules
