#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "eval/evaluator.h"
#include "eval/trained_weights.h"
#include "kernels/isa.h"
#include "record/evaluation_record.h"

namespace schemamem {

/// The cells that somebody wants, of whatever task the weights are for.
struct EvaluationRequest {
  std::string kind = "table";
  Mode mode = Mode::kRecurrent;
  double floor = 0;  // of the streams; 0: off
  EvaluationOptions episodes{};
  std::vector<std::string> scenarios{};  // by name; none: those that the task evaluates
  std::vector<std::size_t> delays{};     // none: those that the task evaluates; of "writes": numbers of writes
  Rounds rounds{};                       // of "writes"
  /// What the address-value task evaluates.
  std::vector<Scenario> paper_scenarios{};
  std::vector<std::size_t> paper_delays{};
};
/// The cases of a request for a task, in order; a usage error if one does not exist.
Result<std::vector<EpisodeCase>> evaluated_cases(const Task& task, const EvaluationRequest& request);

/// One record of one file of weights: what is in it, and what is missing of a request. Nothing that a record of these
/// weights has is computed again unless forced.
class Evaluation {
 public:
  /// Looks at the record beside `weights` and works out what is to be done. A record of other weights is replaced. A
  /// damaged one is bad data unless `force`. A record goes on with the instruction set it was begun with, and if this
  /// machine does not have it, that is a usage error unless nothing is missing; `force` begins anew with `isa`.
  static Result<Evaluation> open(const std::filesystem::path& path, std::shared_ptr<const TrainedWeights> weights,
                                 const EvaluationRequest& request, Isa isa, bool force);

  const EvaluationRecord& record() const { return record_; }
  const std::filesystem::path& path() const { return path_; }
  /// How many of the asked cells the record did not have, and tokens that the model has to read for them.
  std::size_t missing_cells() const { return missing_cells_; }
  std::int64_t missing_tokens() const;
  /// The cells of the request, in order; all of them after run().
  std::vector<EvaluationCell> asked_cells() const;

  /// Keeps no record: what is missing is computed and forgotten. For weights that are somebody else's.
  void only_look() { keeps_ = false; }
  /// Why the record could not be kept, although it was to be; empty if it was.
  const std::string& not_kept() const { return not_kept_; }

  /// Computes what is missing. The record is saved after every scenario and delay (of a curve: every scenario), so that
  /// an interrupted evaluation goes on where it was. Where none can be made (a folder that is only to be read), the
  /// cells are computed all the same, and not_kept() says so.
  Status run(const EvaluatorOptions& options, const StopFlag& stop, EvaluationObserver& observer);

 private:
  /// A piece of work between two saves.
  struct Piece {
    std::size_t scenario;
    std::vector<std::size_t> delays;
  };

  Evaluation(std::shared_ptr<const TrainedWeights> weights, EvaluationRequest request)
      : weights_(std::move(weights)), request_(std::move(request)) {}
  void plan(bool force);
  Status keep(std::vector<EvaluationCell> cells);
  bool has(const EpisodeCase& one) const;
  const Task& task() const { return *weights_->task(); }

  std::shared_ptr<const TrainedWeights> weights_;
  EvaluationRequest request_;
  EvaluationRecord record_;
  std::filesystem::path path_;
  Isa isa_ = best_isa();
  std::vector<EpisodeCase> cases_;
  std::vector<Piece> pieces_;
  std::size_t missing_cells_ = 0;
  bool keeps_ = true;
  std::string not_kept_;
};

}  // namespace schemamem
