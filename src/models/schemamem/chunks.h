#pragma once

#include <span>
#include <vector>

#include "base/view.h"
#include "models/schemamem/engine.h"

namespace schemamem {

/// The commit rules (docs/design.md, "When a chunk ends"): a chunk ends after `commit_every` inputs, and between two
/// inputs whose validity bits differ. Nothing commits after the last input.
inline bool chunk_ends_before(std::size_t tokens_in_chunk, std::size_t commit_every, bool same_validity) {
  return tokens_in_chunk > 0 && (tokens_in_chunk == commit_every || !same_validity);
}

/// Cuts an episode; the validity bit is the last of each row, set unless it is zero. `chunks` is overwritten and only
/// grows while its capacity is too small. In full-history mode there is one chunk and no commit.
template <class T>
void cut_into_chunks(View<const T, 2> x, std::size_t commit_every, bool full_history, std::vector<Chunk>& chunks) {
  const std::size_t tokens = x.extent(0), bit = x.extent(1) - 1;
  const auto valid = [&](std::size_t t) { return x(t, bit) != T(0); };
  chunks.clear();
  std::size_t begin = 0;
  for (std::size_t t = 1; t <= tokens; ++t) {
    const bool last = t == tokens;
    const bool ends = !full_history && !last && chunk_ends_before(t - begin, commit_every, valid(t) == valid(t - 1));
    if (!ends && !last) continue;
    chunks.push_back({.begin = begin, .end = t, .commit = !last, .read_segment = !valid(t - 1)});
    begin = t;
  }
}

}  // namespace schemamem
