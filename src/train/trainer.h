#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "kernels/isa.h"
#include "models/model.h"
#include "system/ranks.h"
#include "system/threads.h"
#include "tensors/safetensors.h"
#include "train/batch_step.h"
#include "train/curriculum.h"
#include "train/optimizer.h"
#include "train/recipe.h"
#include "train/training_batch.h"
#include "train/validation.h"

namespace schemamem {

/// What decides every bit of a run, together with the model's sizes and the instruction set.
struct TrainSetup {
  Recipe recipe;
  std::shared_ptr<const Task> task;
  std::uint64_t seed = 0;
};

/// Where the seconds of a step went.
struct StepTimes {
  double data = 0;       // episodes, their encoding and loss weights, the shards' plan
  double folding = 0;    // what is derived from the weights, and the shards' gradients added up
  double kernels = 0;    // forward, loss, backward
  double optimizer = 0;  // norm, update, average
  double ranks = 0;      // waiting for other ranks, and what is exchanged with them

  StepTimes& operator+=(const StepTimes& other) {
    data += other.data;
    folding += other.folding;
    kernels += other.kernels;
    optimizer += other.optimizer;
    ranks += other.ranks;
    return *this;
  }
};

struct StepReport {
  std::int64_t step = 0;  // counted from 1
  double loss = 0;
  double gradient_norm = 0;  // before clipping
  double rate = 0;
  double stillness = 0;  // the term without its weight, mean over the batch
  Mode mode = Mode::kRecurrent;
  std::size_t tokens = 0;
  std::optional<double> right{};  // carried states: the share of their questions that was answered rightly
  StepTimes seconds{};            // on the wall; the one part that differs between repetitions
};

/// A stage that was passed.
struct PassedStage {
  std::string name;
  std::int64_t step = 0;  // steps of the whole run until then
  double lowest = 0;      // % of the lowest group in the deciding check
};

/// Training of one model: everything between two checkpoints, nothing of files. The state after n steps is the same
/// for any number of threads and of ranks (batch_step.h), and all ranks have all of it.
class Trainer {
 public:
  /// The model outlives the trainer. Weights start as the recipe and the seed say.
  Trainer(const SequenceModel<float>& model, const TrainSetup& setup, int threads, Isa isa = best_isa(),
          Ranks& ranks = alone());

  /// One optimiser step, which all ranks make together. On a request to stop, made of any of them (kInterrupted), and
  /// when loss or gradient are not finite (kNonFinite), nothing has changed.
  Result<StepReport> step(const StopFlag& stop);
  /// The check that is due, and what it does to the position. Fails if the ranks do not compute the same bits.
  Result<Check> check(const StopFlag& stop);

  const Curriculum& curriculum() const { return curriculum_; }
  const Position& position() const { return position_; }
  const std::vector<PassedStage>& passed() const { return passed_; }
  bool ended() const { return curriculum_.ended(position_); }
  bool check_due() const { return curriculum_.check_due(position_); }
  const TrainSetup& setup() const { return setup_; }
  const SequenceModel<float>& model() const { return model_; }
  /// How many there are; the system may have given fewer than were asked for.
  int threads() const { return pool_.threads(); }
  int ranks() const { return ranks_.count(); }

  /// Goes to the beginning of a stage as if those before it had been passed: for benchmarks and tests.
  void enter(std::size_t stage);

  /// The weights that are validated and kept: the average, if the recipe has one.
  std::span<const float> kept_weights() const;
  /// The result of the run so far: the weights that are kept, or those from before the cool-down if it fell back.
  std::vector<NamedTensor> result_tensors() const;

  /// What a checkpoint holds besides the position. All of it is a function of the steps done, so that it does not
  /// matter whether a check at the same step came before or after. Tensors point into the trainer.
  std::vector<NamedTensor> model_tensors() const;
  std::vector<NamedTensor> optimizer_tensors() const;
  std::int64_t optimizer_steps() const { return optimizer_.steps(); }
  struct Saved {
    Position position;
    std::vector<PassedStage> passed;
    std::int64_t optimizer_steps = 0;
  };
  /// Continues from a checkpoint; refuses tensors of another model.
  Status restore(const TensorFile& optimizer, const Saved& saved);

 private:
  void start_weights();
  /// Forward, loss and backward of one episode of the batch.
  void run_episode(std::size_t episode, Mode mode, float stillness, Workspace<float>& workspace,
                   GradientShard<float>& shard);
  Status compare_ranks() const;
  bool has_lanes() const;
  bool has_cooled() const;
  bool averages() const { return setup_.recipe.optimizer.average > 0; }

  const SequenceModel<float>& model_;
  TrainSetup setup_;
  Curriculum curriculum_;
  Position position_;
  std::vector<PassedStage> passed_;

  TapeSize largest_;
  Ranks& ranks_;
  ThreadPool pool_;
  BatchStep<float> batch_step_;
  Buffer<float> weights_, average_, gradient_;
  Buffer<float> before_cooldown_;  // the kept weights when the cool-down began; empty if the recipe has none
  Optimizer optimizer_;
  Validator validator_;

  TrainingBatch batch_;
  struct EpisodeResult {
    double loss = 0, stillness = 0;
    std::int64_t asked = 0, right = 0;  // of pieces of lanes
  };
  std::vector<EpisodeResult> results_;
};

}  // namespace schemamem
