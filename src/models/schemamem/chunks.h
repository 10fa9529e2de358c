#pragma once

#include <vector>

#include "models/schemamem/engine.h"

namespace schemamem {

/// The commit rules (docs/design.md, "When a chunk ends"): a chunk ends after `commit_every` inputs, and before an
/// input that is marked so. Nothing commits after the last input of an episode.
inline bool chunk_ends_before(std::size_t tokens_in_chunk, std::size_t commit_every, RowMark mark) {
  return tokens_in_chunk > 0 && (tokens_in_chunk == commit_every || ends_chunk(mark));
}

/// Cuts an episode of so many tokens. `chunks` is overwritten and only grows while its capacity is too small. In
/// full-history mode there is one chunk and no commit; `commit_last` asks for one behind the last chunk too.
inline void cut_into_chunks(std::size_t tokens, RowMarks marks, std::size_t commit_every, bool full_history,
                            bool commit_last, std::vector<Chunk>& chunks) {
  chunks.clear();
  std::size_t begin = 0;
  for (std::size_t t = 1; t <= tokens; ++t) {
    const bool last = t == tokens;
    if (!last && (full_history || !chunk_ends_before(t - begin, commit_every, mark_at(marks, t)))) continue;
    chunks.push_back(
        {.begin = begin, .end = t, .commit = !last || commit_last, .read_segment = reads(mark_at(marks, t - 1))});
    begin = t;
  }
}

}  // namespace schemamem
