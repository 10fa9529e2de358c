#include "cli/row_sample.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/parse.h"
#include "task/batch.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

Result<std::shared_ptr<const Task>> open_task(const RowSample& wanted) {
  for (const TaskEntry& entry : task_entries()) {
    if (entry.name == wanted.task) return make_task(wanted.task, wanted.setting.value_or(std::string(entry.example)));
  }
  return make_task(wanted.task, "");  // which says what there is
}

Result<EpisodeCase> read_case(const RowSample& wanted, const Task& task) {
  EpisodeCase request = task.evaluated().front();
  if (wanted.scenario) {
    const auto scenario = task.find_scenario(*wanted.scenario);
    if (!scenario) return scenario.error();
    request.scenario = *scenario;
  }
  if (wanted.delay) {
    const auto length = parse_integer(*wanted.delay, "--delay", 1, std::numeric_limits<std::int32_t>::max());
    if (!length) return length.error();
    request.delay = static_cast<std::size_t>(*length);
  }
  if (const Status fits = task.check(request); !fits) return fits.error();
  return request;
}

std::string row_text(const Task& task, const EpisodeRows& rows, std::size_t t) {
  const View<float, 1> row = rows.inputs[t];
  if (task.shape().symbols) return fmt::format("{}", row[0]);
  return fmt::format("{}", fmt::join(row.begin(), row.end(), " "));
}

std::string_view group_text(const Task& task, std::int8_t group) {
  return group == EpisodeRows::kNoGroup ? std::string_view() : task.groups()[static_cast<std::size_t>(group)];
}

Json to_json(const Task& task, const EpisodeCase& request, const RowSample& wanted, const EpisodeRows& rows) {
  Json json{{"task", task.name()},     {"setting", task.setting()}, {"scenario", task.scenarios()[request.scenario]},
            {"length", request.delay}, {"seed", wanted.seed},       {"episode", wanted.episode},
            {"rows", Json::array()}};
  for (std::size_t t = 0; t < rows.size(); ++t) {
    const View<float, 1> row = rows.inputs[t];
    json["rows"].push_back({{"input", std::vector<float>(row.begin(), row.end())},
                            {"ends_chunk", ends_chunk(rows.marks[t])},
                            {"reads", reads(rows.marks[t])},
                            {"label", rows.labels[t]},
                            {"group", group_text(task, rows.groups[t])},
                            {"final", rows.is_final[t] != 0}});
  }
  return json;
}

}  // namespace

Status print_rows(const RowSample& wanted, Console& console) {
  const auto task = open_task(wanted);
  if (!task) return task.error();
  const auto request = read_case(wanted, **task);
  if (!request) return request.error();
  Batch batch((*task)->shape(), 1, (*task)->tokens(*request));
  batch.fill(**task, *(*task)->source(), {&*request, 1},
             {.seed = wanted.seed, .purpose = Purpose::kEvaluationEpisode, .index = wanted.episode});
  const EpisodeRows rows = batch.rows(0);
  if (console.json) return console.print(to_json(**task, *request, wanted, rows).dump() + "\n");
  std::string text =
      console.paint.bold(
          fmt::format("{} {} {}", (*task)->name(), (*task)->setting(), (*task)->scenarios()[request->scenario])) +
      fmt::format(": evaluation episode {} of seed {}, {} rows\n", wanted.episode, wanted.seed, rows.size());
  text += console.paint.dim(fmt::format("{:>7}   {:<12} {:>8}   {}\n", "row", "input", "expected", "group"));
  for (std::size_t t = 0; t < rows.size(); ++t) {
    if (ends_chunk(rows.marks[t])) text += console.paint.dim("          what came before is committed\n");
    const std::string label = rows.labels[t] == EpisodeRows::kNoLabel ? std::string() : std::to_string(rows.labels[t]);
    std::string line = fmt::format("{:>7}   {:<12} {:>8}   {}", t, row_text(**task, rows, t), label,
                                   group_text(**task, rows.groups[t]));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return console.print(text);
}

}  // namespace schemamem
