#include "train/event_log.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>

namespace schemamem {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kLargestLog = std::uint64_t{1} << 32;

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// How many bytes of `found` are the version and then the records of `lines`; `done` is how many lines those are.
std::size_t agreeing(std::string_view found, const std::vector<std::string>& lines,
                     const std::vector<std::string>& stages, std::size_t& done) {
  std::size_t kept = event_record_size(found);
  done = 0;
  if (kept == 0 || !same_but_for_time(found.substr(0, kept), encode_event_file_version(0))) return 0;
  for (; done < lines.size(); ++done) {
    const std::size_t size = event_record_size(found.substr(kept));
    if (size == 0 || !same_but_for_time(found.substr(kept, size), encode_event(event_of(lines[done], stages)))) break;
    kept += size;
  }
  return kept;
}

}  // namespace

ScalarEvent event_of(std::string_view metrics_line, const std::vector<std::string>& stages) {
  ScalarEvent event;
  const Json line = Json::parse(metrics_line, nullptr, false);
  if (!line.is_object()) return event;
  event.step = line.value("step", std::int64_t{0});
  const auto add = [&](const std::string& tag, double value) {
    event.scalars.push_back({tag, static_cast<float>(value)});
  };
  for (const char* name : {"loss", "gradient_norm", "rate", "stillness", "tokens", "lowest", "threshold"}) {
    if (const auto found = line.find(name); found != line.end() && found->is_number()) add(name, *found);
  }
  if (const auto stage = std::find(stages.begin(), stages.end(), line.value("stage", "")); stage != stages.end())
    add("stage", static_cast<double>(stage - stages.begin() + 1));
  for (const Json& group : line.value("groups", Json::array())) {
    if (const double asked = group.value("asked", 0.0); asked > 0)
      add("accuracy/" + group.value("scenario", "") + "/" + group.value("group", ""),
          100 * group.value("right", 0.0) / asked);
  }
  const Json slots = line.value("slots_used", Json::array());
  for (std::size_t layer = 0; layer < slots.size(); ++layer)
    add("slots_used/layer" + std::to_string(layer), slots[layer]);
  return event;
}

fs::path EventLog::path_in(const fs::path& run) { return run / "tensorboard" / "events.out.tfevents.schemamem"; }

Result<EventLog> EventLog::open(const fs::path& run, std::vector<std::string> stages, FileSystem& files) {
  const Result<std::string> metrics = read_text_file(run / "metrics.jsonl", kLargestLog, files);
  if (!metrics) return metrics.error();
  std::vector<std::string> lines;
  std::istringstream text(*metrics);
  for (std::string line; std::getline(text, line);) lines.push_back(line);

  const fs::path path = path_in(run);
  if (const Status made = make_directories(path.parent_path(), files); !made) return made.error();
  std::size_t done = 0, kept = 0;
  if (const auto found = read_text_file(path, kLargestLog, files)) kept = agreeing(*found, lines, stages, done);
  Result<AppendFile> file = AppendFile::open(path, kept, files);
  if (!file) return file.error();
  EventLog log(std::move(file).value(), std::move(stages));
  if (kept == 0) {
    if (const Status begun = log.file_.write(encode_event_file_version(now())); !begun) return begun.error();
  }
  for (; done < lines.size(); ++done) {
    if (const Status written = log.write(lines[done]); !written) return written.error();
  }
  return log;
}

Status EventLog::write(std::string_view metrics_line) {
  ScalarEvent event = event_of(metrics_line, stages_);
  event.wall_time = now();
  return file_.write(encode_event(event));
}

}  // namespace schemamem
