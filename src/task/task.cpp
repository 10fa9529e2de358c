#include "task/task.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"

namespace schemamem {

EpisodeRows EpisodeRows::slice(std::size_t first, std::size_t count) const {
  return {.inputs = inputs.slice(first, count),
          .marks = marks.subspan(first, count),
          .labels = labels.subspan(first, count),
          .weights = weights.subspan(first, count),
          .groups = groups.subspan(first, count),
          .is_final = is_final.subspan(first, count)};
}

Result<std::size_t> Task::find_scenario(std::string_view wanted) const {
  const std::span<const std::string> names = scenarios();
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return Error(ErrorKind::kUsage,
               fmt::format("Unknown scenario {} of the task {}: expected one of {}.{}", quote(wanted), name(),
                           fmt::join(names, ", "), did_you_mean(wanted, {names.begin(), names.end()})));
}

std::int32_t answer_of(AnswerKind kind, View<const float, 1> outputs) {
  if (kind == AnswerKind::kClass)
    return static_cast<std::int32_t>(std::max_element(outputs.begin(), outputs.end()) - outputs.begin());
  std::int32_t answer = 0;
  for (std::size_t j = 0; j < outputs.size(); ++j) answer |= (outputs[j] >= 0 ? 1 : 0) << j;
  return answer;
}

}  // namespace schemamem
