#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "models/model.h"
#include "task/task.h"
#include "train/recipe.h"

namespace schemamem {

/// Endless streams that are trained piece by piece (docs/recipe.md): a step trains on the next piece
/// of every lane, from the state in which the piece before it left the lane. A lane begins anew, with another stream
/// and the empty memory, by chance. When it does and what it reads are functions of the seed and the step; only states
/// have to be kept with a checkpoint.
class Lanes {
 public:
  /// Whether the recipe's lanes, if it has some, can be made of this task; a usage error says why not.
  static Status check(const Recipe& recipe, const Task& task);
  /// No lanes, if the recipe has none.
  Lanes(const Recipe& recipe, const Task& task, const SequenceModel<float>& model, std::uint64_t seed);

  std::size_t count() const { return lanes_.size(); }
  std::size_t tokens() const { return tokens_; }
  /// Numbers of a state.
  std::size_t elements() const { return elements_; }

  /// Goes to step `step` of the phase, from the step before it or from anywhere else: the streams are where they were,
  /// whatever was called in between. States are not touched.
  void seek(std::int64_t step);
  /// The next piece of a lane, into exactly `tokens()` rows.
  void fill(std::size_t lane, const EpisodeRows& out);
  /// The state before the piece (empty: the empty memory) and the place for that behind it.
  std::span<const float> before(std::size_t lane) const;
  std::span<float> behind(std::size_t lane);
  std::span<float> all_behind() { return next_.span(); }
  /// The step was made: what is behind the pieces is where the next ones begin.
  void keep() { std::swap(states_, next_); }

  /// Steps that a lane has behind it since it began.
  std::int64_t age(std::size_t lane) const { return at_ - lanes_[lane].born; }
  /// All states, [lanes, elements]: what a checkpoint keeps.
  std::span<float> states() { return states_.span(); }
  std::span<const float> states() const { return states_.span(); }

 private:
  struct Lane {
    std::unique_ptr<EndlessRows> stream;
    std::int64_t born = 0;  // the step at which it began
    std::int64_t read = 0;  // pieces that its stream has given since
  };
  bool begins(std::size_t lane, std::int64_t step) const;
  void begin(std::size_t lane, std::int64_t step);

  std::uint64_t seed_;
  std::size_t tokens_, elements_;
  double restart_;
  std::int64_t at_ = 0;
  std::vector<Lane> lanes_;
  Buffer<float> states_, next_;
};

}  // namespace schemamem
