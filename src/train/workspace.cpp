#include "train/workspace.h"

#include <algorithm>

namespace schemamem {

TapeSize largest_episode(const SequenceModel<float>& model, const Task& task, std::span<const Stage> stages,
                         std::size_t piece) {
  // Each row of a piece of an endless stream may be a chunk.
  TapeSize largest{.tokens = std::max<std::size_t>(1, piece),
                   .chunks = std::max<std::size_t>(1, model.most_chunks(piece, piece))};
  for (const Stage& stage : stages) {
    for (const EpisodeCase& one : stage.checked) {
      const std::size_t tokens = task.tokens(one);
      largest.tokens = std::max(largest.tokens, tokens);
      largest.chunks = std::max(largest.chunks, model.most_chunks(tokens, task.marked_chunks(one)));
    }
  }
  return largest;
}

}  // namespace schemamem
