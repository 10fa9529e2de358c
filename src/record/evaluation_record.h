#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "system/files.h"

namespace schemamem {

/// The task of records and manifests that name none.
inline constexpr std::string_view kFirstTask = "address-value";

/// Which weights were evaluated: the hash of their file, and what its metadata says about them.
struct EvaluatedCheckpoint {
  std::string sha256;  // of the whole safetensors file, 64 hexadecimal digits
  std::string model;   // as the registry calls it
  std::string task = std::string(kFirstTask);
  std::string setting;                // "A3V3"
  std::optional<std::uint64_t> seed;  // of the training; a file that no run wrote may have none
  std::string recipe;                 // "fast"; empty if the file does not say
  std::string hash;                   // of the run; empty if the file does not say

  friend bool operator==(const EvaluatedCheckpoint&, const EvaluatedCheckpoint&) = default;
};

/// How it was evaluated. Names the record's file; the instruction set does not, because all agree but for rounding.
struct EvaluationProtocol {
  /// Or "curve": one stream an episode, forked at each delay; or "writes": one stream of rounds, forked after each
  /// number of writes, which stands in the place of the delay.
  std::string kind = "table";
  std::string mode = "recurrent";  // or "ablated": the memory at zero after every chunk
  std::uint64_t eval_seed = 0;
  std::int64_t episodes = 0;
  std::string isa;       // "avx512"
  std::string rounds{};  // of "writes": "W2R8" (task/rounds.h)
  double floor = 0;      // changes of state below it were dropped; 0: none were

  friend bool operator==(const EvaluationProtocol&, const EvaluationProtocol&) = default;
};

/// The answers to one group of the final queries of all episodes of a scenario and delay.
struct EvaluationCell {
  std::string scenario;  // of the task: immediate (delay 0), retention, interference, overwrite; pairs-8
  std::int64_t delay = 0;
  std::string group;  // of the task: retained, updated, default; early, late
  std::int64_t asked = 0, right = 0;
  std::int64_t bits = 0, bits_right = 0;
  std::optional<double> cross_entropy{};  // mean over the bits, in nats; none of answers that came without outputs
  std::vector<std::int64_t> right_by_episode{};

  double exact_percent() const { return 100.0 * static_cast<double>(right) / static_cast<double>(asked); }
  double bit_percent() const { return 100.0 * static_cast<double>(bits_right) / static_cast<double>(bits); }

  friend bool operator==(const EvaluationCell&, const EvaluationCell&) = default;
};

/// What `schemamem eval` and `schemamem ablate` keep beside a run and reports read (docs/formats.md, "Evaluation
/// records"). The cells are ordered by scenario, delay and group, none twice.
struct EvaluationRecord {
  EvaluatedCheckpoint checkpoint;
  EvaluationProtocol protocol;
  std::vector<EvaluationCell> cells{};

  /// Null if there is none. The pointer is good until the next put().
  const EvaluationCell* find(std::string_view scenario, std::int64_t delay, std::string_view group) const;
  /// Adds a cell in its place, instead of the one that was there.
  void put(EvaluationCell cell);

  friend bool operator==(const EvaluationRecord&, const EvaluationRecord&) = default;
};

/// A column of the paper's tables: one group of one scenario.
struct NamedColumn {
  std::string_view name;   // "retained_r"
  std::string_view title;  // "Retained-R"
  std::string_view scenario, group;
};
/// retained_r, retained_i, updated, default.
std::vector<NamedColumn> named_columns();

/// The bytes of a record, a function of its content.
std::string encode_evaluation(const EvaluationRecord& record);
/// The way back, trusting nothing; `what` names the file in messages. Anything wrong is bad data.
Result<EvaluationRecord> parse_evaluation(std::string_view text, const std::string& what);

/// "table-recurrent-20261001-512.json", "writes-W2R8-recurrent-20261001-64.json",
/// "curve-recurrent-floor0.001-20261001-64.json"
std::string evaluation_file_name(const EvaluationProtocol& protocol);
Result<EvaluationRecord> load_evaluation(const std::filesystem::path& path);
Status save_evaluation(const std::filesystem::path& path, const EvaluationRecord& record,
                       FileSystem& files = posix_files());
/// Adds cells to a record and to its file, whose folder is made if need be. Processes that evaluate the same weights at
/// the same time may share a file: the cells that others have put there since it was read are taken over. A file about
/// other weights or of another protocol is replaced.
Status add_to_evaluation(const std::filesystem::path& path, EvaluationRecord& record, std::vector<EvaluationCell> cells,
                         FileSystem& files = posix_files());

/// Where the records of weights lie: `<run>/evaluations` for a run's model.safetensors, `x.evaluations` for any other
/// file x.safetensors.
std::filesystem::path evaluation_folder(const std::filesystem::path& weights);
/// Every record of a folder of records, by name; none if there is no such folder.
Result<std::vector<EvaluationRecord>> load_evaluations(const std::filesystem::path& folder);

}  // namespace schemamem
