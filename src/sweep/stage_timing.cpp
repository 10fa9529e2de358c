#include "sweep/stage_timing.h"

#include <algorithm>
#include <ctime>
#include <limits>
#include <map>

#include "train/sampler.h"
#include "train/trainer.h"

namespace schemamem {
namespace {

/// Steps that are looked at to learn what a stage draws; they lie behind any step that is made to time one.
constexpr std::int64_t kFirstDraw = 10'000, kDraws = 256;
/// Longer than this nothing is repeated.
constexpr double kLongEnough = 1;

bool is_timed(const std::vector<Stage>& stages, std::size_t i) {
  const Phase phase = stages[i].phase;
  return phase == Phase::kMaintenance || phase == Phase::kLevels || phase == Phase::kLanes ||
         (phase != Phase::kCooldown && stages[i + 1].phase != phase);
}

/// Tokens of the steps of a stage. Where a batch has one case they differ widely.
struct Draws {
  double mean = 0, fewest = std::numeric_limits<double>::infinity(), most = 0;
  std::int64_t shortest = kFirstDraw, longest = kFirstDraw;  // steps that have fewest and most
};
Draws draws_of(const RunRequest& request, const Stage& stage) {
  const Recipe& recipe = request.recipe.recipe;
  std::vector<EpisodeCase> cases(static_cast<std::size_t>(recipe.batch.episodes));
  const auto pieces = static_cast<std::size_t>(stage.phase == Phase::kLanes ? recipe.lanes.count : 0);
  Draws draws;
  for (std::int64_t step = kFirstDraw; step < kFirstDraw + kDraws; ++step) {
    draw_cases(recipe, stage, request.seed, step, cases);
    double tokens = static_cast<double>(pieces) * static_cast<double>(recipe.lanes.tokens);
    for (std::size_t i = pieces; i < cases.size(); ++i) tokens += static_cast<double>(request.task->tokens(cases[i]));
    draws.mean += tokens / kDraws;
    if (tokens < draws.fewest) draws.fewest = tokens, draws.shortest = step;
    if (tokens > draws.most) draws.most = tokens, draws.longest = step;
  }
  return draws;
}

/// A step that stands for all of its stage in one mode, and the share of these.
struct ModeShare {
  std::int64_t phase_step = 0;
  double share = 0;
};
std::vector<ModeShare> mode_shares(const Curriculum& curriculum, std::size_t stage) {
  constexpr std::int64_t kLooked = 240;  // a multiple of how often a mode usually comes
  std::map<Mode, ModeShare> shares;
  for (std::int64_t step = 0; step < kLooked; ++step) {
    const Mode mode = curriculum.mode({.step = step, .stage = stage, .phase_step = step});
    shares.try_emplace(mode, ModeShare{.phase_step = step}).first->second.share += 1.0 / kLooked;
  }
  std::vector<ModeShare> all;
  for (const auto& [mode, share] : shares) all.push_back(share);
  return all;
}

/// Puts the trainer, with its weights as they are, before a step.
Status place_at(Trainer& trainer, const Position& at) {
  const auto tensors = TensorFile::parse(encode_tensors(trainer.optimizer_tensors()), "calibration");
  if (!tensors) return tensors.error();
  return trainer.restore(*tensors, {.position = at, .passed = {}, .optimizer_steps = 0});
}

/// The fastest of several times the same step, in processor time: what else the machine does should not count.
Result<StageTiming> time_step(Trainer& trainer, const Position& at, int repeats) {
  const StopFlag never{false};
  constexpr double kForever = std::numeric_limits<double>::infinity();
  StageTiming timing{.step = kForever, .token = 0, .serial = kForever};
  double spent = 0;
  for (int k = 0; k <= repeats && spent < kLongEnough; ++k) {  // the first warms up, unless it is long
    if (const Status placed = place_at(trainer, at); !placed) return placed.error();
    const std::clock_t start = std::clock();
    const Result<StepReport> report = trainer.step(never);
    if (!report) return report.error();
    const double seconds = static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
    spent += seconds;
    timing.step = std::min(timing.step, seconds / trainer.threads());
    timing.serial = std::min(timing.serial, report->seconds.data + report->seconds.folding + report->seconds.optimizer);
  }
  return timing;
}

Result<StageTiming> time_stage(Trainer& trainer, std::size_t stage, const Draws& draws, int repeats) {
  StageTiming all;
  for (const ModeShare& mode : mode_shares(trainer.curriculum(), stage)) {
    const auto at = [&](std::int64_t step) {
      return Position{.step = step, .stage = stage, .phase_step = mode.phase_step};
    };
    const auto shortest = time_step(trainer, at(draws.shortest), repeats);
    if (!shortest) return shortest.error();
    StageTiming mean = *shortest;
    if (draws.most > draws.fewest) {
      const auto longest = time_step(trainer, at(draws.longest), repeats);
      if (!longest) return longest.error();
      const double way = (draws.mean - draws.fewest) / (draws.most - draws.fewest);
      mean.step += way * (longest->step - shortest->step);
      mean.serial += way * (longest->serial - shortest->serial);
    }
    all.step += mode.share * mean.step;
    all.serial += mode.share * std::min(mean.serial, mean.step);
  }
  all.token = all.step / draws.mean;
  return all;
}

}  // namespace

Result<std::vector<StageTiming>> time_stages(const RunRequest& request, int threads, Isa isa, int repeats) {
  require(repeats > 0, "time_stages: something must be timed");
  const auto model = make_model(request, {.isa = isa});
  if (!model) return model.error();
  const std::vector<Stage> stages = make_curriculum(request);
  Trainer trainer(**model, {.recipe = request.recipe.recipe, .task = request.task, .seed = request.seed}, threads, isa);
  std::vector<StageTiming> timings(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!is_timed(stages, i)) continue;
    const auto timed = time_stage(trainer, i, draws_of(request, stages[i]), repeats);
    if (!timed) return timed.error();
    timings[i] = *timed;
  }
  for (std::size_t i = stages.size(); i-- > 0;) {
    if (!is_timed(stages, i)) timings[i] = timings[stages[i].phase == Phase::kCooldown ? i - 1 : i + 1];
  }
  return timings;
}

}  // namespace schemamem
