#include "train/workspace.h"

#include <algorithm>

namespace schemamem {

TapeSize largest_episode(const SequenceModel<float>& model, const Task& task, std::span<const Stage> stages) {
  TapeSize largest{.tokens = 1, .chunks = 1};
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
