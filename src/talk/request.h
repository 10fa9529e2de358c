#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// What can be said in a conversation.
enum class Verb { kWrite, kAsk, kAskAll, kWait, kSave, kLoad, kFork, kSwitch, kDrop, kReset, kInside, kHelp, kQuit };

/// One word of the language.
struct VerbInfo {
  Verb verb;
  std::string_view name;     // "write"
  std::string_view takes;    // "ADDRESS VALUE"
  std::string_view meaning;  // a sentence for `help`
};
/// In the order of `help`; ask and "ask all" are two of them.
std::span<const VerbInfo> verbs();

/// One line of a conversation, understood. Whether an address, a memory or a file exists is not looked at.
struct Request {
  Verb verb = Verb::kHelp;
  std::size_t address = 0, value = 0;
  std::uint64_t rows = 0;
  std::string name{};  // a file or a memory; empty where it may be left out
};

/// A line is at most this long, in bytes.
inline constexpr std::size_t kLongestLine = 8192;
/// More rows are not waited for at once.
inline constexpr std::int64_t kLongestWait = 1'000'000'000;

/// `write 5 3`; anything else than a request is a usage error that says what would be one. An empty line, or one that
/// begins with #, has no request.
Result<std::vector<Request>> parse_words(std::string_view line);
/// `{"write":[5,3]}`: one object with one key; the key is the word, its value what it takes (null: nothing).
Result<std::vector<Request>> parse_json_line(std::string_view line);

/// The words, or the memories, that the last word of a line may be the beginning of.
std::vector<std::string> completions(std::string_view line, const std::vector<std::string>& memories);

}  // namespace schemamem
