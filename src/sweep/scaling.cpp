#include "sweep/scaling.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "train/batch_step.h"

namespace schemamem {
namespace {

using Clock = std::chrono::steady_clock;

/// Exchanges of a step whose size does not matter: whether there is a step, whether to stop, the results of episodes.
constexpr double kSmallExchanges = 3;
/// What is known of an episode when its rank is done with it: loss, stillness, how many were asked and right.
constexpr double kRecord = 4 * sizeof(double);

/// As many ranks as one likes, of which there is one: what it sends goes nowhere.
class PretendedRanks final : public Ranks {
 public:
  explicit PretendedRanks(int count) : count_(count) {}
  int count() const override { return count_; }
  int mine() const override { return 0; }
  int beside() const override { return 1; }
  int largest(int said) override { return said; }
  void broadcast(std::span<std::byte>) override {}
  void all_gather(std::span<std::byte>, std::span<const std::size_t>) override {}
  void all_to_all(std::span<const std::byte>, std::span<const std::size_t>, std::span<std::byte>,
                  std::span<const std::size_t>) override {}

 private:
  int count_;
};

/// Seconds that a rank takes for a byte of a shard, to lay it out for others or to add it: the exchange of two ranks
/// without what is between them, in which a rank lays out half of all shards and adds half of every one.
double seconds_a_byte(const SequenceModel<float>& model, std::size_t shards, int repeats) {
  ThreadPool pool(1);
  PretendedRanks two(2);
  BatchStep<float> step(model, pool, {.tokens = 1, .chunks = 1}, {.most_episodes = 1, .shards = shards}, two);
  double fastest = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= 10 * repeats; ++k) {
    const auto start = Clock::now();
    step.reduce();
    fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return fastest / static_cast<double>(shards * model.make_shard()->numbers().size_bytes());
}

double shards_of_fullest(const RunCost& run, const Nodes& nodes) {
  return std::ceil(static_cast<double>(run.shards) / nodes.count);
}

}  // namespace

double RunCost::steps() const {
  double sum = 0;
  for (const OfStage& stage : stages) sum += stage.steps;
  return sum;
}

Result<RunCost> measure_run(const RunRequest& request, std::span<const FinishedRun> finished, Isa isa, int repeats) {
  const auto timings = time_stages(request, 1, isa, repeats);
  if (!timings) return timings.error();
  const auto model = make_model(request, {.isa = isa});
  if (!model) return model.error();
  const Recipe& recipe = request.recipe.recipe;
  const std::vector<Stage> stages = make_curriculum(request);
  const ExpectedSteps expected = expected_steps(request, finished);
  RunCost run{.stages = {},
              .source = expected.source,
              .shards = recipe.batch.shards,
              .gradient_bytes = static_cast<double>((*model)->make_shard()->numbers().size_bytes()),
              .record_bytes = kRecord * static_cast<double>(recipe.batch.episodes),
              .copy = seconds_a_byte(**model, static_cast<std::size_t>(recipe.batch.shards), repeats)};
  const double lanes =
      static_cast<double>(recipe.lanes.count) * static_cast<double>((*model)->carried().size() * sizeof(float));
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageTiming& timing = (*timings)[i];
    run.stages.push_back(
        {.name = stages[i].name,
         .steps = expected.by_stage[i],
         .shared = timing.step - timing.serial,
         .serial = timing.serial,
         .checks = kForwardShare * timing.token * all_check_tokens(request, stages[i], expected.by_stage[i]),
         .state_bytes = stages[i].phase == Phase::kLanes ? lanes : 0});
  }
  return run;
}

double exchange_seconds(const RunCost& run, const RunCost::OfStage& stage, const Nodes& nodes) {
  if (nodes.count == 1) return 0;
  const double others = nodes.count - 1, everyone = nodes.count;
  // A slice of each shard to everyone who adds it, then the sums to all; both one message after the other.
  const double out = shards_of_fullest(run, nodes) * run.gradient_bytes;
  const double bytes = (out + run.gradient_bytes + run.record_bytes + stage.state_bytes) * others / everyone;
  const double messages = 2 * others + kSmallExchanges * std::ceil(std::log2(everyone));
  const double added = static_cast<double>(run.shards) * run.gradient_bytes / everyone;
  return messages * nodes.network.latency + bytes / nodes.network.bandwidth + run.copy * (out + added);
}

double step_seconds(const RunCost& run, const RunCost::OfStage& stage, const Nodes& nodes) {
  const double rounds = std::ceil(shards_of_fullest(run, nodes) / nodes.threads);
  return stage.serial + stage.shared * rounds / static_cast<double>(run.shards) + exchange_seconds(run, stage, nodes);
}

RunForecast forecast(const RunCost& run, const Nodes& nodes) {
  RunForecast all;
  for (const RunCost::OfStage& stage : run.stages) {
    all.seconds += stage.steps * step_seconds(run, stage, nodes) + stage.checks / (nodes.count * nodes.threads);
    all.exchange += stage.steps * exchange_seconds(run, stage, nodes);
  }
  return all;
}

}  // namespace schemamem
