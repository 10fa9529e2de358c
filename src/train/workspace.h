#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.h"
#include "models/model.h"
#include "task/task.h"
#include "train/curriculum.h"

namespace schemamem {

/// What one thread needs to run an episode forward and backward: sized once for the longest.
template <class T>
struct Workspace {
  Workspace(const SequenceModel<T>& model, TapeSize size, ArenaPolicy policy = {})
      : tape(model.make_tape(size, policy)),
        logits(size.tokens * model.config().outputs),
        d_logits(size.tokens * model.config().outputs) {
    asked.reserve(size.tokens);
    labels.reserve(size.tokens);
    weights.reserve(size.tokens);
  }

  /// The rows whose outputs are worth computing: classes are many, so of them only rows that are asked; else all (none
  /// are listed).
  std::span<const std::uint32_t> choose(AnswerKind kind, const EpisodeRows& rows) {
    asked.clear();
    for (std::size_t t = 0; kind == AnswerKind::kClass && t < rows.size(); ++t) {
      if (rows.labels[t] != EpisodeRows::kNoLabel) asked.push_back(static_cast<std::uint32_t>(t));
    }
    return asked;
  }

  std::unique_ptr<Tape<T>> tape;
  Buffer<T> logits, d_logits;
  std::vector<std::uint32_t> asked;
  std::vector<std::int32_t> labels;  // of the rows that are asked, and their weights
  std::vector<float> weights;
};

/// The longest episode of any stage, and the piece of a lane, of so many rows.
TapeSize largest_episode(const SequenceModel<float>& model, const Task& task, std::span<const Stage> stages,
                         std::size_t piece);

}  // namespace schemamem
