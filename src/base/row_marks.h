#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/view.h"

namespace schemamem {

/// What a row is, besides its numbers. Tasks make the marks; models obey them.
enum class RowMark : std::uint8_t {
  kNone = 0,
  kEndsChunk = 1,       // a chunk ends before this row: what was written so far is committed
  kReads = 2,           // the row only asks: the stillness term wants it to leave the memory as it is
  kEndsChunkReads = 3,  // both
};
constexpr bool ends_chunk(RowMark mark) { return (static_cast<unsigned>(mark) & 1U) != 0; }
constexpr bool reads(RowMark mark) { return (static_cast<unsigned>(mark) & 2U) != 0; }
constexpr RowMark row_mark(bool ends_chunk, bool reads) {
  return static_cast<RowMark>((ends_chunk ? 1U : 0U) | (reads ? 2U : 0U));
}

/// One mark a row, or none at all: then no row ends a chunk and none is a mere question.
using RowMarks = std::span<const RowMark>;
inline RowMark mark_at(RowMarks marks, std::size_t row) { return marks.empty() ? RowMark::kNone : marks[row]; }

/// What the last row of a stream was: nothing yet, a question, or anything else. The numbers are those of state files.
enum class LastRow : std::int8_t { kNone = -1, kRead = 0, kWrite = 1 };

/// How marks follow from rows where nobody gives them: the rule of the task that a model was trained for, kept in its
/// file.
enum class MarkRule {
  kNone,      // no marks
  kValidity,  // the last number of a row says whether it writes (not zero); where that changes, a chunk ends
};

/// "none", "validity", as in files.
constexpr std::string_view mark_rule_name(MarkRule rule) { return rule == MarkRule::kNone ? "none" : "validity"; }
inline std::optional<MarkRule> mark_rule_from_name(std::string_view name) {
  for (const MarkRule rule : {MarkRule::kNone, MarkRule::kValidity}) {
    if (mark_rule_name(rule) == name) return rule;
  }
  return std::nullopt;
}

/// The marks that kValidity gives rows which follow a row of the kind `last`.
template <class T>
void validity_marks(View<const T, 2> rows, LastRow last, std::span<RowMark> marks) {
  const std::size_t validity = rows.extent(1) - 1;
  for (std::size_t t = 0; t < rows.extent(0); ++t) {
    const LastRow kind = rows(t, validity) != T(0) ? LastRow::kWrite : LastRow::kRead;
    marks[t] = row_mark(last != LastRow::kNone && kind != last, kind == LastRow::kRead);
    last = kind;
  }
}
template <class T>
std::vector<RowMark> validity_marks(View<const T, 2> rows) {
  std::vector<RowMark> marks(rows.extent(0));
  validity_marks<T>(rows, LastRow::kNone, marks);
  return marks;
}

}  // namespace schemamem
