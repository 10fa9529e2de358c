#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.h"

namespace schemamem {

/// What a query tests. The numbers are those of the published records.
enum class Group : std::int8_t {
  kNone = -1,     // a write: not asked, not scored
  kRetained = 0,  // written, and something came after it
  kUpdated = 1,   // written by the latest write segment
  kDefault = 2,   // never written: the default is expected
  kFiller = 3,    // a query of the delay
};
inline constexpr std::size_t kGroups = 4;

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

/// Where segments end: after each token whose successor has the other validity bit, and after the last token. A delay
/// and the queries behind it are one read segment.
struct SegmentEnds {
  static constexpr std::size_t kMost = 4;  // W Q W DQ

  std::array<std::size_t, kMost> end{};  // exclusive, counted from the episode's first token
  std::size_t count = 0;

  std::span<const std::size_t> view() const { return {end.data(), count}; }
};

inline SegmentEnds segment_ends(std::span<const Token> tokens) {
  SegmentEnds ends;
  for (std::size_t t = 1; t <= tokens.size(); ++t) {
    if (t < tokens.size() && tokens[t].is_write() == tokens[t - 1].is_write()) continue;
    require(ends.count < SegmentEnds::kMost, "segment_ends: no scenario has this many segments");
    ends.end[ends.count++] = t;
  }
  return ends;
}

}  // namespace schemamem
