#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "record/evaluation_record.h"
#include "record/guest.h"
#include "task/evaluation_episodes.h"
#include "task/task.h"

namespace schemamem {

/// What some model, not necessarily ours, says to the evaluation episodes of one case: output rows, or answers.
struct CasePredictions {
  std::string name;  // of the case, "retention_96"
  std::size_t episodes = 0;
  std::size_t rows = 0;                 // of an episode: all, or those that are scored
  std::size_t width = 0;                // of outputs
  std::vector<float> outputs{};         // [episodes, rows, width]; or
  std::vector<std::int32_t> answers{};  // [episodes, rows]
};

/// Scores predictions as Evaluator::table scores those of a model. A usage error if they have another number of
/// episodes, rows or outputs than the episodes; kNonFinite if an output is no number.
Result<std::vector<EvaluationCell>> score_predictions(const Task& task, const EpisodeCase& request,
                                                      const EvaluationOptions& episodes,
                                                      const CasePredictions& predictions);

/// Some cases of the address-value task, as a dump of episodes and predictions for them name and prove them: `sha256`
/// is that of `schemamem task hash` (docs/formats.md, "Episodes for other programs").
struct EpisodeDump {
  struct Case {
    std::string name;  // "retention_96"
    EpisodeCase request;
    std::string sha256;
  };
  std::string setting;
  EvaluationOptions episodes;
  std::vector<Case> cases;

  const Case* find(std::string_view name) const;
};
std::string case_name(const Task& task, const EpisodeCase& request);
/// The dump of these cases, hashed.
EpisodeDump describe_episodes(const Task& task, std::span<const EpisodeCase> cases, const EvaluationOptions& episodes);
/// One line of JSON without its end, a function of the content, and the way back, trusting nothing but the hashes.
std::string encode_dump(const Task& task, const EpisodeDump& dump);
Result<EpisodeDump> parse_dump(std::string_view text, const std::string& what);

/// A file of predictions: what they are for, and those of some of its cases, in its order.
struct PredictionFile {
  EpisodeDump dump;
  std::vector<CasePredictions> cases;
};
/// The most bytes of such a file.
inline constexpr std::uint64_t kLargestPredictions = std::uint64_t{2} << 30;
/// Reads one of three forms, by how it begins: an archive of NumPy arrays (tensors/npz.h) or a safetensors file with
/// one array a case and `about`, the dump's line of JSON; or lines of JSON, the dump's and one for each episode of a
/// case. `what` names the file in messages. Anything wrong is bad data.
Result<PredictionFile> parse_predictions(std::span<const std::byte> bytes, const std::string& what);
/// The record of a guest's predictions: the cells of all their cases. Bad data if they are for other episodes than
/// those that their dump names: its hashes are computed again. The checkpoint has the SHA-256 of `bytes`, all that is
/// known of the weights.
Result<EvaluationRecord> score_file(const PredictionFile& file, const Guest& guest, std::span<const std::byte> bytes,
                                    const std::string& what);
/// A record without cells of a guest, whose predictions have this SHA-256.
EvaluationRecord guest_record(const Guest& guest, const EvaluationOptions& episodes, const std::string& sha256);

}  // namespace schemamem
