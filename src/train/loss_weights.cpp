#include "train/loss_weights.h"

#include <array>

#include "base/result.h"

namespace schemamem {

void loss_weights(const Recipe& recipe, Family family, const EncodedTokens& tokens, std::span<float> weights) {
  require(weights.size() == tokens.size(), "loss_weights: one weight a token");
  const bool grouped = family == Family::kMaintenance;
  const std::array<double, kGroups> group_weight =
      grouped ? std::array{recipe.loss.retained, recipe.loss.updated, recipe.loss.defaults, recipe.loss.filler}
              : std::array{1.0, 1.0, 1.0, 1.0};
  const auto group_of = [&](std::size_t t) { return grouped ? static_cast<std::size_t>(tokens.groups[t]) : 0; };
  const auto share_of = [&](std::size_t t) {
    const bool intermediate = grouped && tokens.is_final[t] == 0 && tokens.groups[t] != Group::kFiller;
    return intermediate ? recipe.loss.intermediate : 1.0;
  };
  std::array<double, kGroups> sums{};
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (tokens.groups[t] != Group::kNone) sums[group_of(t)] += share_of(t);
  }
  double present = 0;
  for (std::size_t g = 0; g < kGroups; ++g) present += sums[g] > 0 ? group_weight[g] : 0;
  std::array<double, kGroups> unit{};
  for (std::size_t g = 0; g < kGroups; ++g)
    unit[g] = sums[g] > 0 && present > 0 ? group_weight[g] / sums[g] / present : 0;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    weights[t] = tokens.groups[t] == Group::kNone ? 0.0F : static_cast<float>(unit[group_of(t)] * share_of(t));
  }
}

}  // namespace schemamem
