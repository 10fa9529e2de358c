#pragma once

#include <span>

#include "task/batch.h"
#include "train/recipe.h"

namespace schemamem {

/// The weight of every token of a batch in its loss; writes have none.
///   transactions:  1 / number of queries
///   maintenance:   G_g u_t / (sum of u within the group g) / (sum of G over the groups present)
/// with the recipe's group weights G, and u = 1 for fillers and queries of the last segment, `loss.intermediate` for
/// the others. Groups are counted over the whole batch.
void loss_weights(const Recipe& recipe, Family family, const EncodedTokens& tokens, std::span<float> weights);

}  // namespace schemamem
