#include "train/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>

#include "base/json.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "tensorboard";
constexpr std::uint64_t kLargestLog = std::uint64_t{1} << 28;  // a hundred times the longest run

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// How many bytes of `found` are the version and then the records of `events`; `done` is how many events those are.
std::size_t agreeing(std::string_view found, const std::vector<ScalarEvent>& events, std::size_t& done) {
  std::size_t kept = event_record_size(found);
  done = 0;
  if (kept == 0 || !same_but_for_time(found.substr(0, kept), encode_event_file_version(0))) return 0;
  for (; done < events.size(); ++done) {
    const std::size_t size = event_record_size(found.substr(kept));
    if (size == 0 || !same_but_for_time(found.substr(kept, size), encode_event(events[done]))) break;
    kept += size;
  }
  return kept;
}

/// One event for each line of the metrics.
Result<std::vector<ScalarEvent>> events_of(const std::string& metrics, const std::vector<std::string>& stages,
                                           const std::string& what) {
  std::vector<ScalarEvent> events;
  std::istringstream text(metrics);
  for (std::string line; std::getline(text, line);) {
    auto event = event_of(line, stages, fmt::format("{}: line {}", what, events.size() + 1));
    if (!event) return event.error();
    events.push_back(std::move(event).value());
  }
  return events;
}

}  // namespace

Result<ScalarEvent> event_of(std::string_view metrics_line, const std::vector<std::string>& stages,
                             const std::string& what) {
  const Result<JsonField> line = parse_json_object(metrics_line, what);
  if (!line) return line.error();
  ScalarEvent event{.wall_time = 0, .step = line->count("step"), .scalars = {}};
  const auto add = [&](const std::string& tag, double value) {
    event.scalars.push_back({tag, static_cast<float>(value)});
  };
  for (const char* name : {"loss", "gradient_norm", "rate", "stillness", "tokens", "right", "lowest", "threshold"}) {
    if (const auto found = line->find(name); found && !found->is_null()) add(name, found->number());
  }
  if (const auto named = line->find("stage")) {
    const auto stage = std::find(stages.begin(), stages.end(), named->text());
    if (stage != stages.end()) add("stage", static_cast<double>(stage - stages.begin() + 1));
  }
  if (const auto groups = line->find("groups")) {
    for (const JsonField& group : groups->items()) {
      const double asked = group.number("asked"), right = group.number("right");
      if (asked > 0) add("accuracy/" + group.text("scenario") + "/" + group.text("group"), 100 * right / asked);
    }
  }
  if (const auto slots = line->find("slots_used")) {
    std::size_t layer = 0;
    for (const JsonField& used : slots->items()) add("slots_used/layer" + std::to_string(layer++), used.number());
  }
  if (const Status read = line->status(); !read) return read.error();
  return event;
}

fs::path EventLog::path_in(const fs::path& run) { return run / kFolder / "events.out.tfevents.schemamem"; }

Result<EventLog> EventLog::open(const fs::path& run, std::vector<std::string> stages, FileSystem& files) {
  const Result<std::string> metrics = read_text_file(run / "metrics.jsonl", kLargestLog, files);
  if (!metrics) return metrics.error();
  const auto events = events_of(*metrics, stages, (run / "metrics.jsonl").string());
  if (!events) return events.error();

  const fs::path path = path_in(run);
  if (const Status made = make_directories_in(run, kFolder, files); !made) return made.error();
  std::size_t done = 0, kept = 0;
  if (const auto found = read_text_file(path, kLargestLog, files)) kept = agreeing(*found, *events, done);
  Result<AppendFile> file = AppendFile::open(path, kept, files);
  if (!file) return file.error();
  EventLog log(std::move(file).value(), std::move(stages));
  if (kept == 0) {
    if (const Status begun = log.file_.write(encode_event_file_version(now())); !begun) return begun.error();
  }
  for (; done < events->size(); ++done) {
    if (const Status written = log.write((*events)[done]); !written) return written.error();
  }
  return log;
}

Status EventLog::write(std::string_view metrics_line) {
  auto event = event_of(metrics_line, stages_);
  if (!event) return event.error();
  return write(std::move(event).value());
}

Status EventLog::write(ScalarEvent event) {
  event.wall_time = now();
  return file_.write(encode_event(event));
}

}  // namespace schemamem
