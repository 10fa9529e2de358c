#include <fmt/format.h>

#include <algorithm>

#include "check/inspection.h"
#include "record/tfevents.h"
#include "system/files.h"
#include "train/event_log.h"

namespace schemamem {
namespace {

using Json = Inspection::Json;

constexpr const char* kMetrics = "metrics.jsonl";
constexpr const char* kResult = "result.json";
constexpr std::uint64_t kLargestLog = std::uint64_t{1} << 28;
constexpr const char* kNoCopy =
    "Weights, checkpoints and records do not depend on it. Its lines follow from the run: training it again writes the "
    "same bytes.";

/// The check that a stage was passed with.
const Json* passing_check(const std::vector<Json>& lines, const Json& stage) {
  const auto found = std::find_if(lines.rbegin(), lines.rend(), [&](const Json& line) {
    return line.contains("check") && line["check"] == stage.value("name", Json()) &&
           line.value("step", Json()) == stage.value("step", Json());
  });
  return found == lines.rend() ? nullptr : &*found;
}

/// The result repeats what the metrics say.
void compare_with_result(Inspection& run) {
  const Json& result = *run.result;
  const std::string rescue = run.from_checkpoints(kResult);
  for (const Json& stage : result.at("passed")) {
    const Json* const line = passing_check(run.lines, stage);
    if (line == nullptr || line->value("lowest", Json()) != stage.value("lowest", Json()))
      return run.damaged(kResult,
                         fmt::format("metrics.jsonl has no check that passes stage {} at step {} with {} %",
                                     stage.at("name").dump(), stage.at("step").dump(), stage.at("lowest").dump()),
                         rescue);
  }
  const auto last =
      std::find_if(run.lines.rbegin(), run.lines.rend(), [](const Json& line) { return line.contains("check"); });
  const auto told = result.find("last_check");
  if (last == run.lines.rend() || told == result.end()) return;
  const Json said = told->is_object() ? *told : Json::object();
  const bool same = said.value("step", Json()) == last->value("step", Json()) &&
                    said.value("stage", Json()) == (*last)["check"] &&
                    said.value("lowest", Json()) == last->value("lowest", Json()) &&
                    said.value("groups", Json()) == last->value("groups", Json());
  if (!same) run.damaged(kResult, "\"last_check\" is not the last check of metrics.jsonl", rescue);
  const Json& end = run.lines.back();
  if (end.at("step") > result.at("steps"))
    run.damaged(
        kMetrics,
        fmt::format("it goes on to step {}, the run ended at {}", end.at("step").dump(), result.at("steps").dump()),
        kNoCopy);
}

}  // namespace

void read_metrics(Inspection& run) {
  if (run.there(kMetrics, kNoCopy)) run.metrics = run.text(kMetrics, kLargestLog, kNoCopy);
}

void check_metrics(Inspection& run) {
  if (!run.metrics) return;
  // Behind the newest checkpoint a killed process may have left anything: a resume cuts it.
  const std::size_t sure =
      run.ended() ? run.metrics->size() : std::min<std::size_t>(run.metrics_sure.value_or(0), run.metrics->size());
  if (sure < run.metrics->size())
    run.note(fmt::format("{}: {} bytes behind the newest checkpoint; a resume cuts them and writes them again",
                         kMetrics, run.metrics->size() - sure));
  std::int64_t last = 0;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < sure;) {
    const std::size_t end = run.metrics->find('\n', begin);
    ++number;
    if (end == std::string::npos || end >= sure)
      return run.damaged(kMetrics, fmt::format("line {} is cut short", number), kNoCopy);
    auto line = parse_object(std::string_view(*run.metrics).substr(begin, end - begin));
    if (!line || !line->contains("step") || !(*line)["step"].is_number_unsigned())
      return run.damaged(kMetrics, fmt::format("line {} is no object with a step", number), kNoCopy);
    const auto step = (*line)["step"].get<std::int64_t>();
    if (step < last)
      return run.damaged(kMetrics, fmt::format("line {} is of step {}, behind one of step {}", number, step, last),
                         kNoCopy);
    last = step;
    run.lines.push_back(std::move(*line));
    begin = end + 1;
  }
  if (!run.ended() && run.newest && last > *run.newest)
    run.damaged(kMetrics, fmt::format("the checkpoint of step {} counts on a line of step {}", *run.newest, last),
                kNoCopy);
  if (run.ended()) compare_with_result(run);
}

void check_events(Inspection& run) {
  constexpr const char* kEvents = "events.jsonl";
  constexpr const char* kRescue = "Nothing depends on it: it only tells when things happened.";
  if (run.there(kEvents, kRescue)) {
    const auto text = run.text(kEvents, kLargestLog, kRescue);
    std::size_t number = 0;
    for (std::size_t begin = 0; text && begin < text->size();) {
      const std::size_t end = text->find('\n', begin);
      ++number;
      // A process that was killed leaves half a line, and the next one writes behind it.
      if (end == std::string::npos || !parse_object(std::string_view(*text).substr(begin, end - begin)))
        run.note(fmt::format("{}: line {} is cut short", kEvents, number));
      if (end == std::string::npos) break;
      begin = end + 1;
    }
  }
  const std::string board = EventLog::path_in("").string();
  constexpr const char* kAgain = "It follows from the metrics: move it away; a resume writes it again.";
  if (!run.there(board, kAgain)) return;
  const auto bytes = run.text(board, kLargestLog, kAgain);
  if (!bytes || !run.ended()) return;
  std::size_t begin = 0;
  while (const std::size_t size = event_record_size(std::string_view(*bytes).substr(begin))) begin += size;
  if (begin != bytes->size()) run.damaged(board, fmt::format("the record at byte {} is not whole", begin), kAgain);
}

}  // namespace schemamem
