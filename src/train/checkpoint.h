#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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
  std::string hash{};               // of the run; empty in checkpoints that were written before they had it
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

/// What state.json says: the trainer's position, and what the run remembers.
struct CheckpointState {
  Trainer::Saved saved;
  RunMemory memory;
};
Result<CheckpointState> parse_checkpoint_state(std::string_view text, const std::string& what);
/// What complete.json says: the SHA-256 of each of the other files, by name.
Result<std::map<std::string, std::string>> parse_checkpoint_marker(std::string_view text, const std::string& what);

/// Checkpoints of one run: folders checkpoints/step-000001250 with
///   model.safetensors      the weights that are kept
///   optimizer.safetensors  everything else that is numbers
///   state.json             position, passed stages
///   complete.json          written last: the SHA-256 of the others
/// One without complete.json was never finished and does not count. One whose hashes are wrong is damaged.
/// docs/formats.md has the fields, and what happens to damage.
class Checkpoints {
 public:
  static constexpr std::size_t kKept = 2;

  explicit Checkpoints(std::filesystem::path run, FileSystem& files = posix_files())
      : run_(std::move(run)), files_(files) {}

  /// Saves, and then removes the older ones but the newest kKept, and what was never finished. Refused, before anything
  /// is touched, when the disk has too little room. After any failure the earlier checkpoints are as they were.
  Status save(const Snapshot& snapshot);

  /// What was found on the way to the newest whole checkpoint.
  struct Loaded {
    std::optional<RunMemory> memory{};     // nothing if there never was a checkpoint
    std::vector<std::string> set_aside{};  // a sentence for each damaged one that is newer
  };
  /// Puts the newest whole checkpoint into `trainer`. Newer ones that are damaged are set aside under another name,
  /// where nothing touches them. Nothing is changed when one cannot be read (kInputOutput), when all are damaged, or
  /// when the one to go on from is of another run than `hash` (kBadData): a run never begins again because of that.
  Result<Loaded> load(Trainer& trainer, std::string_view hash = {});

  /// Removes the temporary files that killed writers left in the folders of checkpoints. For who holds the run's lock.
  Status remove_leftovers();

  /// Steps of the whole checkpoints, newest first. Reads and hashes every file.
  std::vector<std::int64_t> complete() const;
  std::filesystem::path folder(std::int64_t step) const;

 private:
  enum class Condition { kUnfinished, kWhole, kDamaged };
  struct Judgement {
    Condition condition = Condition::kUnfinished;
    std::string damage{};  // what is wrong
  };

  std::filesystem::path all() const;  // the folder of all checkpoints
  Result<std::vector<std::int64_t>> present() const;
  Result<Judgement> judge(std::int64_t step) const;
  Result<std::string> set_aside(std::int64_t step, const std::string& damage);
  void remove_old(std::int64_t saved);
  void remove(std::int64_t step);

  std::filesystem::path run_;
  FileSystem& files_;
};

}  // namespace schemamem
