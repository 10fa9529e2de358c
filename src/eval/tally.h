#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/view.h"
#include "record/evaluation_record.h"
#include "task/task.h"

namespace schemamem {

/// Answers of one episode to the queries of one group.
struct Tally {
  std::int64_t asked = 0, right = 0, bits_right = 0;
  double loss = 0;  // summed over bits, or over answers that are classes

  /// Counts an output row of a model.
  void count(AnswerKind kind, std::int32_t label, View<const float, 1> outputs);
  /// Counts an answer that came without outputs; such answers have no loss.
  void count(AnswerKind kind, std::int32_t label, std::int32_t answer, std::size_t bits);
};

/// A cell for each delay and scored group that was asked; tallies are [episodes, delays, groups]. With `outputs` the
/// cells have a cross-entropy. An error of the kind kNonFinite, with a message for each cell, if that is no number.
Result<std::vector<EvaluationCell>> cells_of(const Task& task, std::size_t scenario,
                                             std::span<const std::size_t> delays, std::span<const Tally> tallies,
                                             bool outputs = true);

}  // namespace schemamem
