#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/tfevents.h"
#include "system/files.h"

namespace schemamem {

/// What TensorBoard shows of one line of metrics.jsonl; `stages` are the names of the curriculum's stages, in order,
/// and `what` names the line in messages.
Result<ScalarEvent> event_of(std::string_view metrics_line, const std::vector<std::string>& stages,
                             const std::string& what = "metrics.jsonl");

/// The TensorBoard file of a run, tensorboard/events.out.tfevents.schemamem: one record for each line of metrics.jsonl,
/// in the same order. It holds nothing that the metrics do not say but the times, so nothing depends on it: what a
/// killed run left behind is kept as far as it agrees with the metrics, and the rest is written again.
class EventLog {
 public:
  static std::filesystem::path path_in(const std::filesystem::path& run);

  /// Brings the file to the state of the metrics of this run, which were opened before.
  static Result<EventLog> open(const std::filesystem::path& run, std::vector<std::string> stages,
                               FileSystem& files = posix_files());

  /// Adds the record of a line that was written to the metrics.
  Status write(std::string_view metrics_line);

 private:
  Status write(ScalarEvent event);
  EventLog(AppendFile file, std::vector<std::string> stages) : file_(std::move(file)), stages_(std::move(stages)) {}

  AppendFile file_;
  std::vector<std::string> stages_;
};

}  // namespace schemamem
