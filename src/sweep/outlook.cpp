#include "sweep/outlook.h"

#include <algorithm>

#include "sweep/cost.h"

namespace schemamem {

RunOutlook::RunOutlook(const RunRequest& request)
    : every_(static_cast<double>(request.recipe.recipe.validation.every)) {
  const std::vector<Stage> stages = make_curriculum(request);
  const ExpectedSteps expected = expected_steps(request, {});
  const auto work = step_work(request);
  if (!work) return;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    parts_.push_back({.expected = expected.by_stage[i],
                      .limit = static_cast<double>(stages[i].limit),
                      .work = (*work)[i],
                      .fixed = stages[i].fixed});
  }
}

std::optional<TimeLeft> RunOutlook::left(const RunProgress& progress) const {
  if (progress.stage_number == 0 || progress.stage_number > parts_.size()) return std::nullopt;
  if (progress.stage == kDoneStage || progress.steps_per_second <= 0) return std::nullopt;
  const std::size_t here = progress.stage_number - 1;
  const double seconds_per_work = 1 / (progress.steps_per_second * parts_[here].work);
  const auto done = static_cast<double>(progress.stage_step);
  const auto passes = static_cast<double>(std::max<std::int64_t>(1, progress.passes_needed - progress.passes));
  TimeLeft left;
  for (std::size_t i = here; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    double most = part.limit, expected = part.expected;
    if (i == here) {
      most = std::max(0.0, part.limit - done);
      // Not before the checks that it still has to pass, whatever was expected.
      const double earliest = static_cast<double>(progress.steps_to_check) + (passes - 1) * every_;
      expected = part.fixed ? most : std::min(most, std::max(part.expected - done, earliest));
    }
    left.expected += expected * part.work * seconds_per_work;
    left.most += most * part.work * seconds_per_work;
  }
  return left;
}

}  // namespace schemamem
