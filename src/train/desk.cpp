#include "train/desk.h"

#include <algorithm>
#include <vector>

#include "task/batch.h"
#include "task/episode_stream.h"

namespace schemamem {

TapeSize largest_episode(const SequenceModel<float>& model, std::span<const Stage> stages) {
  TapeSize largest{.tokens = 1, .chunks = 1};
  for (const Stage& stage : stages) {
    for (const TaskCase& one : stage.checked) {
      // Where an episode is cut depends on its case alone, so that any episode of it tells.
      const std::size_t length = episode_size(one).tokens();
      std::vector<Token> tokens(length);
      EpisodeMaker(one.setting).make(one, {}, tokens);
      Batch batch(one.setting, 1, length);
      batch.plan({&one, 1});
      batch.put(0, tokens);
      largest.tokens = std::max(largest.tokens, length);
      largest.chunks = std::max(largest.chunks, model.chunk_ends({.x = batch.rows(0).inputs}).size());
    }
  }
  return largest;
}

Desk make_desk(const SequenceModel<float>& model, TapeSize size) {
  const ModelConfig& config = model.config();
  return {.tape = model.make_tape(size, {}),
          .inputs = Buffer<float>(size.tokens * config.inputs),
          .logits = Buffer<float>(size.tokens * config.outputs),
          .d_logits = Buffer<float>(size.tokens * config.outputs)};
}

}  // namespace schemamem
