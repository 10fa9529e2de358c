#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace schemamem {

/// What a query tests. The numbers are those of the published records.
enum class Group : std::int8_t {
  kNone = -1,      // a write: not asked, not scored
  kRetained = 0,   // written, and something came after it
  kUpdated = 1,    // written by the latest write segment
  kDefault = 2,    // never written: the default is expected
  kFiller = 3,     // a query of the delay
  kRewritten = 4,  // written more than once, and something came after it (rounds)
};
inline constexpr std::size_t kGroups = 5;

/// One input of an episode and what is expected in return.
struct Token {
  std::int32_t address = 0;
  std::int32_t value = -1;  // the value written; -1 (NULL): a query
  std::int32_t label = -1;  // the value expected; -1: a write, nothing is expected
  Group group = Group::kNone;
  bool final = false;  // belongs to the last query segment, the one that evaluation scores

  bool is_write() const { return value >= 0; }

  friend bool operator==(const Token&, const Token&) = default;
};

/// Where segments end, counted from the episode's first token: after each token whose successor has the other validity
/// bit, and after the last token. A delay and the queries behind it are one read segment.
inline std::vector<std::size_t> segment_ends(std::span<const Token> tokens) {
  std::vector<std::size_t> ends;
  for (std::size_t t = 1; t <= tokens.size(); ++t) {
    if (t == tokens.size() || tokens[t].is_write() != tokens[t - 1].is_write()) ends.push_back(t);
  }
  return ends;
}

}  // namespace schemamem
