#pragma once

#include <span>

#include "task/batch.h"
#include "train/curriculum.h"
#include "train/recipe.h"

namespace schemamem {

/// The weight of every row of a batch in its loss; rows that ask nothing have none.
///   transactions, levels:  w_t / (sum of w), the task's own weights
///   maintenance, lanes:    G_g u_t / (sum of u within the group g) / (sum of G over the groups present)
/// with the recipe's group weights G, and u = 1 for fillers and queries of the last segment, `loss.intermediate` for
/// the others. Everything is counted over the whole batch.
void loss_weights(const Recipe& recipe, const Stage& stage, const EpisodeRows& rows, std::span<float> weights);
/// w_t / (sum of w): every group alike.
void even_weights(const EpisodeRows& rows, std::span<float> weights);

}  // namespace schemamem
