#pragma once

#include <cstdint>
#include <span>

#include "task/task.h"
#include "train/curriculum.h"
#include "train/recipe.h"

namespace schemamem {

/// Draws the cases of one batch: depends on the seed, the step and the stage alone. A transaction stage has one case.
/// In maintenance a batch (or, if the recipe mixes, each episode) is immediate with the recipe's probability; else
/// retention in the first stage and one of the three scenarios with a delay afterwards. A level draws each episode's
/// case from its list.
void draw_cases(const Recipe& recipe, const Stage& stage, std::uint64_t seed, std::int64_t step,
                std::span<EpisodeCase> cases);

}  // namespace schemamem
