#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/model.h"
#include "task/batch.h"
#include "train/curriculum.h"
#include "train/lanes.h"
#include "train/recipe.h"

namespace schemamem {

/// What a step is trained on: episodes of the stage, and where states are carried, in front of them, the next piece of
/// every lane. What it holds is a function of the seed and the position, but for the states of the lanes.
class TrainingBatch {
 public:
  /// Task and model outlive it. Sized once; filling allocates nothing.
  TrainingBatch(const Recipe& recipe, const Task& task, const SequenceModel<float>& model, std::uint64_t seed,
                const Curriculum& curriculum, std::size_t longest);

  void fill(const Stage& stage, const Position& at);

  std::size_t episodes() const { return cases_.size(); }
  std::size_t tokens() const { return batch_.tokens(); }
  std::span<const std::size_t> offsets() const { return batch_.offsets(); }
  EpisodeRows rows(std::size_t episode) const { return batch_.rows(episode); }
  /// Weights of an episode's rows in the loss.
  std::span<const float> weights(std::size_t episode) const {
    return std::span(row_weights_).subspan(offsets()[episode], rows(episode).size());
  }
  /// How many of the episodes, from the first on, are pieces of lanes.
  std::size_t pieces() const { return pieces_; }
  Lanes& lanes() { return lanes_; }
  const Lanes& lanes() const { return lanes_; }

 private:
  Recipe recipe_;
  const Task& task_;
  std::uint64_t seed_;
  std::vector<EpisodeCase> cases_;
  std::unique_ptr<EpisodeSource> source_;
  Lanes lanes_;
  std::size_t pieces_ = 0;
  Batch batch_;
  std::vector<float> row_weights_;
};

}  // namespace schemamem
