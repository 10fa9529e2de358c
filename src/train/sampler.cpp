#include "train/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/rng.h"
#include "task/address_value.h"

namespace schemamem {
namespace {

constexpr std::size_t kShortDelay = 32;

std::size_t draw_delay(const Recipe& recipe, const Stage& stage, Rng& rng) {
  const std::size_t longest = kStageDelays[stage.index];
  if (recipe.maintenance.delays == "uniform") return rng.below(longest + 1);
  if (recipe.maintenance.delays == "log-uniform") {
    const double drawn = std::exp(rng.uniform() * std::log(static_cast<double>(longest) + 1)) - 1;
    return std::min(longest, static_cast<std::size_t>(drawn + 0.5));
  }
  const std::uint64_t choice = rng.below(stage.index + 3);  // 0, 32 and the maxima reached so far
  if (choice == 0) return 0;
  return choice == 1 ? kShortDelay : kStageDelays[choice - 2];
}

EpisodeCase draw_case(const Recipe& recipe, const Stage& stage, Rng& rng) {
  constexpr std::array kDelayed{Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite};
  if (rng.uniform() < recipe.maintenance.immediate) return episode_case(Scenario::kImmediate);
  const Scenario scenario = kDelayed[stage.index == 0 ? 0 : rng.below(kDelayed.size())];
  return episode_case(scenario, draw_delay(recipe, stage, rng));
}

}  // namespace

void draw_cases(const Recipe& recipe, const Stage& stage, std::uint64_t seed, std::int64_t step,
                std::span<EpisodeCase> cases) {
  if (stage.phase == Phase::kHistory || stage.phase == Phase::kTransactions) {
    std::fill(cases.begin(), cases.end(), stage.checked.front());
    return;
  }
  Rng rng = Rng::stream(seed, Purpose::kSchedule, static_cast<std::uint64_t>(step));
  if (stage.of_levels) {
    for (EpisodeCase& one : cases) one = stage.checked[rng.below(stage.checked.size())];
    return;
  }
  if (!recipe.batch.mixed) {
    std::fill(cases.begin(), cases.end(), draw_case(recipe, stage, rng));
    return;
  }
  for (EpisodeCase& one : cases) one = draw_case(recipe, stage, rng);
}

}  // namespace schemamem
