#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/evaluation_record.h"

namespace schemamem {

/// A model that is not ours and was scored on our episodes: what tables say of it (docs/formats.md, "Guests").
struct Guest {
  std::string name;  // "my-gru"; never that of a model of ours
  std::string task = std::string(kFirstTask);
  std::string setting;          // "A3V3"
  std::uint64_t seed = 0;       // which training of it
  std::string owner{}, note{};  // whose it is, what it is: a line each, may be empty
  std::optional<std::int64_t> parameters{};

  friend bool operator==(const Guest&, const Guest&) = default;
};

/// The longest owner and note, in bytes.
inline constexpr std::size_t kLongestGuestText = 500;

/// Whether a guest can be called and described so; a usage error says what is wrong.
Status check_guest(const Guest& guest);

/// The bytes of guest.json, a function of the content, and the way back, trusting nothing.
std::string encode_guest(const Guest& guest);
Result<Guest> parse_guest(std::string_view text, const std::string& what);

/// A guest is a folder with a guest.json and `evaluations` beside it.
bool is_guest(const std::filesystem::path& folder);
/// `path` if it is one, else those right below it; none if there are none.
Result<std::vector<std::filesystem::path>> find_guests(const std::filesystem::path& path);
/// "my-gru-A3V3-s0"
std::string guest_folder_name(const Guest& guest);

Result<Guest> load_guest(const std::filesystem::path& folder);
/// Writes manifest and record to the guest's folder below `root`, and says where; a record of the same protocol is
/// replaced. Another guest in that folder is bad data.
Result<std::filesystem::path> save_guest(const std::filesystem::path& root, const Guest& guest,
                                         const EvaluationRecord& record);

}  // namespace schemamem
