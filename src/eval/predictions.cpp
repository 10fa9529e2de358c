#include "eval/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "eval/tally.h"
#include "task/batch.h"
#include "task/evaluation_rows.h"

namespace schemamem {
namespace {

Error other_shape(const CasePredictions& predictions, const std::string& expected) {
  return {ErrorKind::kUsage,
          fmt::format("{}: expected predictions of {}; found {} episodes of {} rows{}.", predictions.name, expected,
                      predictions.episodes, predictions.rows,
                      predictions.width == 0 ? "" : fmt::format(" of {} outputs", predictions.width))};
}

}  // namespace

Result<std::vector<EvaluationCell>> score_predictions(const Task& task, const EpisodeCase& request,
                                                      const EvaluationOptions& episodes,
                                                      const CasePredictions& predictions) {
  const TaskShape shape = task.shape();
  const std::size_t groups = task.groups().size(), tokens = task.tokens(request);
  const bool outputs = predictions.answers.empty();
  const bool whole = predictions.rows == tokens;
  if (predictions.episodes != episodes.episodes || (outputs && predictions.width != shape.outputs)) {
    return other_shape(predictions,
                       fmt::format("{} episodes and {} outputs a row, or answers", episodes.episodes, shape.outputs));
  }
  for (const float value : predictions.outputs) {
    if (!std::isfinite(value))
      return Error(ErrorKind::kNonFinite, fmt::format("{}: an output is no number: {}.", predictions.name, value));
  }
  EvaluationRows source(task, request, episodes);
  Batch batch(shape, 1, tokens);
  batch.plan(task, {&request, 1});
  const EpisodeRows rows = batch.rows(0);
  std::vector<Tally> tallies(episodes.episodes * groups);
  for (std::size_t i = 0; i < episodes.episodes; ++i) {
    source.next(rows);
    const auto asked = static_cast<std::size_t>(std::count(rows.is_final.begin(), rows.is_final.end(), 1));
    if (!whole && predictions.rows != asked)
      return other_shape(predictions,
                         fmt::format("all {} rows of an episode, or the {} that are scored", tokens, asked));
    for (std::size_t t = 0, place = i * predictions.rows; t < tokens; ++t) {
      if (rows.is_final[t] != 0) {
        Tally& tally = tallies[i * groups + static_cast<std::size_t>(rows.groups[t])];
        if (outputs) {
          const float* const row = predictions.outputs.data() + place * shape.outputs;
          tally.count(shape.answer, rows.labels[t], View<const float, 1>(row, {shape.outputs}));
        } else {
          tally.count(shape.answer, rows.labels[t], predictions.answers[place], shape.outputs);
        }
      }
      if (whole || rows.is_final[t] != 0) ++place;
    }
  }
  const std::size_t delays[] = {request.delay};
  return cells_of(task, request.scenario, delays, tallies, outputs);
}

}  // namespace schemamem
