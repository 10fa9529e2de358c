#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/memory.h"
#include "base/threads.h"
#include "models/model.h"
#include "train/curriculum.h"

namespace schemamem {

/// What one thread needs to run an episode: sized once for the longest.
struct Desk {
  std::unique_ptr<Tape<float>> tape;
  Buffer<float> inputs, logits, d_logits;
};

/// The longest episode of any stage.
TapeSize largest_episode(const SequenceModel<float>& model, std::span<const Stage> stages);

Desk make_desk(const SequenceModel<float>& model, TapeSize size);

}  // namespace schemamem
