#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "base/threads.h"
#include "models/model.h"
#include "record/evaluation_record.h"
#include "stream/loaded_model.h"
#include "task/evaluation_episodes.h"
#include "task/task_case.h"

namespace schemamem {

/// What an evaluation tells while it goes on. Called from any thread, from several at once.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  virtual void advanced(std::int64_t /*tokens*/) {}
};

/// How the work is cut; changes nothing about the result.
struct EvaluatorOptions {
  int threads = 1;
  std::size_t batch = kPaperEvaluationBatch;  // episodes that are handed to the threads together
  std::size_t piece = 1536;                   // tokens of a delay that are drawn together: 16 full chunks
};

/// Lets a model read episodes as streams and scores the answers to their final queries. One episode belongs to one
/// thread and its numbers are added in the order of the episodes, so the bits of a result depend on neither the threads
/// nor the batch nor the piece. Memory does not grow with the delay.
///
/// Errors: kInterrupted when `stop` was set, kNonFinite when an answer is no number.
class Evaluator {
 public:
  /// The mode is one that the model streams in.
  Evaluator(std::shared_ptr<const LoadedModel<float>> model, const Setting& setting, Mode mode,
            EvaluatorOptions options);

  /// A cell for each scored group of the paper's episodes of one scenario and delay.
  Result<std::vector<EvaluationCell>> table(Scenario scenario, std::size_t delay, const EvaluationOptions& episodes,
                                            const StopFlag& stop, EvaluationObserver& observer);
  /// A cell for each delay and scored group of the curve's episodes; the delays rise. A stream is forked at each delay,
  /// so that the cost is that of the last one.
  Result<std::vector<EvaluationCell>> curve(Scenario scenario, std::span<const std::size_t> delays,
                                            const EvaluationOptions& episodes, const StopFlag& stop,
                                            EvaluationObserver& observer);

 private:
  /// Answers of one episode to the queries of one group.
  struct Tally {
    std::int64_t asked = 0, right = 0, bits_right = 0;
    double loss = 0;  // summed over bits
  };
  /// What one thread needs.
  struct Desk {
    std::unique_ptr<Tape<float>> scratch, fork_scratch;
    StreamState<float> state, fork;
    std::vector<Token> tokens;     // [piece]
    Buffer<float> inputs, logits;  // [piece, ...]
  };

  void begin(Desk& desk) const;
  /// Lets `state` read the tokens; calls answered(t, logits) for each of them.
  template <class Answered>
  void read(Desk& desk, StreamState<float>& state, Tape<float>& scratch, std::span<const Token> tokens,
            const Answered& answered) const;
  /// One episode, asked after each of the delays: fills tallies [delays, groups].
  template <class Episode, class Questions>
  void run(Desk& desk, Episode& episode, std::span<const std::size_t> delays, const Questions& questions,
           const StopFlag& stop, EvaluationObserver& observer, std::span<Tally> tallies) const;
  void ask(Desk& desk, StreamState<float>& state, Tape<float>& scratch, std::span<const Token> questions,
           std::span<Tally> tallies) const;
  Result<std::vector<EvaluationCell>> cells(Scenario scenario, std::span<const std::size_t> delays,
                                            std::span<const Tally> tallies, const StopFlag& stop) const;

  std::shared_ptr<const LoadedModel<float>> model_;
  Setting setting_;
  Mode mode_;
  EvaluatorOptions options_;
  ThreadPool pool_;
  std::vector<Desk> desks_;
};

/// Tokens that table() and curve() let the model read.
std::int64_t table_tokens(const TaskCase& request, std::size_t episodes);
std::int64_t curve_tokens(const Setting& setting, Scenario scenario, std::span<const std::size_t> delays,
                          std::size_t episodes);

}  // namespace schemamem
