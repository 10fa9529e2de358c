#include "train/loss_weights.h"

#include <array>

#include "base/result.h"
#include "task/episode.h"

namespace schemamem {
namespace {

void group_weights(const Recipe& recipe, const EpisodeRows& rows, std::span<float> weights) {
  const std::array<double, kGroups> group_weight{recipe.loss.retained, recipe.loss.updated, recipe.loss.defaults,
                                                 recipe.loss.filler, recipe.loss.retained};
  const auto group_of = [&](std::size_t t) { return static_cast<std::size_t>(rows.groups[t]); };
  const auto share_of = [&](std::size_t t) {
    const bool intermediate = rows.is_final[t] == 0 && rows.groups[t] != static_cast<std::int8_t>(Group::kFiller);
    return intermediate ? recipe.loss.intermediate : 1.0;
  };
  std::array<double, kGroups> sums{};
  for (std::size_t t = 0; t < weights.size(); ++t) {
    if (rows.groups[t] != EpisodeRows::kNoGroup) sums[group_of(t)] += share_of(t);
  }
  double present = 0;
  for (std::size_t g = 0; g < kGroups; ++g) present += sums[g] > 0 ? group_weight[g] : 0;
  std::array<double, kGroups> unit{};
  for (std::size_t g = 0; g < kGroups; ++g)
    unit[g] = sums[g] > 0 && present > 0 ? group_weight[g] / sums[g] / present : 0;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    weights[t] = rows.groups[t] == EpisodeRows::kNoGroup ? 0.0F : static_cast<float>(unit[group_of(t)] * share_of(t));
  }
}

}  // namespace

void even_weights(const EpisodeRows& rows, std::span<float> weights) {
  double sum = 0;
  for (const float weight : rows.weights) sum += static_cast<double>(weight);
  const double unit = sum > 0 ? 1.0 / sum : 0;
  for (std::size_t t = 0; t < weights.size(); ++t)
    weights[t] = rows.weights[t] == 0 ? 0.0F : static_cast<float>(unit * static_cast<double>(rows.weights[t]));
}

void loss_weights(const Recipe& recipe, const Stage& stage, const EpisodeRows& rows, std::span<float> weights) {
  require(weights.size() == rows.size(), "loss_weights: one weight a row");
  const bool grouped = !stage.of_levels && (stage.phase == Phase::kMaintenance || stage.phase == Phase::kLanes ||
                                            stage.phase == Phase::kCooldown);
  if (grouped) {
    group_weights(recipe, rows, weights);
  } else {
    even_weights(rows, weights);
  }
}

}  // namespace schemamem
