#include "eval/tally.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

namespace schemamem {
namespace {

/// log(1 + e^-|z|) + max(z, 0) - z y, of a bit y.
double cross_entropy(float logit, bool bit) {
  const double z = logit;
  return std::log1p(std::exp(-std::abs(z))) + std::max(z, 0.0) - (bit ? z : 0.0);
}

/// log sum_j e^{z_j} - z_label.
double class_cross_entropy(View<const float, 1> outputs, std::size_t label) {
  const auto largest = static_cast<double>(*std::max_element(outputs.begin(), outputs.end()));
  double sum = 0;
  for (const float z : outputs) sum += std::exp(static_cast<double>(z) - largest);
  return std::log(sum) + largest - static_cast<double>(outputs[label]);
}

/// Nine digits: the logits have seven, and the C libraries of two machines may differ in the last of a double.
double rounded(double value) { return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr); }

}  // namespace

void Tally::count(AnswerKind kind, std::int32_t label, View<const float, 1> outputs) {
  ++asked;
  if (kind == AnswerKind::kClass) {
    const bool is_right = answer_of(kind, outputs) == label;
    right += is_right ? 1 : 0;
    bits_right += is_right ? 1 : 0;
    loss += class_cross_entropy(outputs, static_cast<std::size_t>(label));
    return;
  }
  std::int64_t found = 0;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const bool expected = ((label >> j) & 1) != 0;
    if ((outputs[j] >= 0) == expected) ++found;
    loss += cross_entropy(outputs[j], expected);
  }
  bits_right += found;
  if (found == static_cast<std::int64_t>(outputs.size())) ++right;
}

void Tally::count(AnswerKind kind, std::int32_t label, std::int32_t answer, std::size_t bits) {
  ++asked;
  right += answer == label ? 1 : 0;
  if (kind == AnswerKind::kClass) {
    bits_right += answer == label ? 1 : 0;
    return;
  }
  for (std::size_t j = 0; j < bits; ++j) bits_right += ((label ^ answer) >> j & 1) == 0 ? 1 : 0;
}

Result<std::vector<EvaluationCell>> cells_of(const Task& task, std::size_t scenario,
                                             std::span<const std::size_t> delays, std::span<const Tally> tallies,
                                             bool outputs) {
  const std::size_t groups = task.groups().size(), stride = delays.size() * groups;
  const TaskShape shape = task.shape();
  const auto bits = static_cast<std::int64_t>(shape.answer == AnswerKind::kBits ? shape.outputs : 1);
  std::vector<EvaluationCell> result;
  for (std::size_t d = 0; d < delays.size(); ++d) {
    for (const std::int8_t group : task.scored(scenario)) {
      EvaluationCell cell{.scenario = task.scenarios()[scenario],
                          .delay = static_cast<std::int64_t>(delays[d]),
                          .group = std::string(task.groups()[static_cast<std::size_t>(group)])};
      double loss = 0;
      cell.right_by_episode.reserve(tallies.size() / stride);
      for (std::size_t at = d * groups + static_cast<std::size_t>(group); at < tallies.size(); at += stride) {
        const Tally& tally = tallies[at];
        cell.asked += tally.asked;
        cell.right += tally.right;
        cell.bits += tally.asked * bits;
        cell.bits_right += tally.bits_right;
        cell.right_by_episode.push_back(tally.right);
        loss += tally.loss;
      }
      if (cell.asked == 0) continue;  // in few rounds there may be nothing of an age
      if (!std::isfinite(loss)) {
        return Error(ErrorKind::kNonFinite,
                     fmt::format("The answers to {} queries of {} at delay {} are not finite: the weights are of no "
                                 "use. Train again, or evaluate an earlier checkpoint.",
                                 cell.group, cell.scenario, cell.delay));
      }
      if (outputs) cell.cross_entropy = rounded(loss / static_cast<double>(cell.bits));
      result.push_back(std::move(cell));
    }
  }
  return result;
}

}  // namespace schemamem
