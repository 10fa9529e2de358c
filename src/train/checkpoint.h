#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "system/files.h"
#include "train/trainer.h"

namespace schemamem {

/// What a run remembers beside the trainer's own state.
struct RunMemory {
  std::uint64_t metrics_bytes = 0;  // of metrics.jsonl at this step
  double seconds = 0;               // spent so far
  std::string last_check{};         // JSON, as result.json tells it; empty before the first
};

/// The bytes of a checkpoint: a copy, so that training may go on while they are written.
struct Snapshot {
  std::int64_t step = 0;
  Buffer<std::byte> model, optimizer;
  std::string state;
};
/// `notes` are what the model file says besides checkpoint_notes().
Snapshot take_snapshot(const Trainer& trainer, const RunMemory& memory,
                       const std::map<std::string, std::string>& notes = {});
/// What model files say about the weights of a trainer: task, setting, marks, seed, step.
std::map<std::string, std::string> checkpoint_notes(const Trainer& trainer);

/// Checkpoints of one run: folders checkpoints/step-000001250 with
///   model.safetensors      the weights that are kept
///   optimizer.safetensors  everything else that is numbers
///   state.json             position, passed stages
///   complete.json          written last: the SHA-256 of the others
/// One without complete.json, or with another hash, does not count. docs/formats.md has the fields.
class Checkpoints {
 public:
  static constexpr std::size_t kKept = 2;

  explicit Checkpoints(std::filesystem::path run, FileSystem& files = posix_files())
      : folder_(std::move(run) / "checkpoints"), files_(files) {}

  /// Saves, and then removes all but the newest kKept. Refused, before anything is touched, when the disk has too
  /// little room. After any failure the earlier checkpoints are as they were.
  Status save(const Snapshot& snapshot);

  /// Puts the newest whole checkpoint into `trainer`; nothing if there is none. Damaged ones are passed over.
  Result<std::optional<RunMemory>> load(Trainer& trainer) const;

  /// Steps of the whole checkpoints, newest first. Reads and hashes every file.
  std::vector<std::int64_t> complete() const;
  std::filesystem::path folder(std::int64_t step) const;

 private:
  std::vector<std::int64_t> present() const;
  bool is_complete(std::int64_t step) const;
  void remove(std::int64_t step);

  std::filesystem::path folder_;
  FileSystem& files_;
};

}  // namespace schemamem
