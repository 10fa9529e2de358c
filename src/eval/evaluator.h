#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "eval/tally.h"
#include "models/model.h"
#include "record/evaluation_record.h"
#include "stream/loaded_model.h"
#include "stream/stream_reader.h"
#include "system/threads.h"
#include "task/address_value.h"
#include "task/batch.h"
#include "task/evaluation_episodes.h"
#include "task/rounds.h"

namespace schemamem {

/// What an evaluation tells while it goes on. Called from any thread, from several at once.
class EvaluationObserver {
 public:
  virtual ~EvaluationObserver() = default;
  virtual void advanced(std::int64_t /*tokens*/) {}
  /// The system gives fewer threads than were asked for; the result is the same, later.
  virtual void short_of_threads(int /*wanted*/, int /*found*/) {}
};

/// How the work is cut; changes nothing about the result.
struct EvaluatorOptions {
  int threads = 1;
  std::size_t batch = kPaperEvaluationBatch;  // episodes that are handed to the threads together
  std::size_t piece = 1536;                   // tokens of a delay that are drawn together: 16 full chunks
};

/// Lets a model read episodes as streams and scores the answers to the questions that count. One episode belongs to one
/// thread and its numbers are added in the order of the episodes, so the bits of a result depend on neither the threads
/// nor the batch nor the piece. Memory does not grow with a delay.
///
/// Errors: kInterrupted when `stop` was set, kNonFinite when an answer is no number.
class Evaluator {
 public:
  /// Recurrent or ablated; the model has the shape of the task. A model that does not know Mode::kAblated, one without
  /// commits, has its whole state set to zero where a chunk would end: between writing, waiting and asking.
  /// `floor` is that of every stream (docs/design.md, "Floor").
  Evaluator(std::shared_ptr<const LoadedModel<float>> model, std::shared_ptr<const Task> task, Mode mode,
            EvaluatorOptions options, double floor = 0);

  /// How many there are; the system may have given fewer than were asked for.
  int threads() const { return pool_.threads(); }

  /// A cell for each scored group of a case: the published episodes of a task that has some, else those of addressed
  /// streams.
  Result<std::vector<EvaluationCell>> table(const EpisodeCase& request, const EvaluationOptions& episodes,
                                            const StopFlag& stop, EvaluationObserver& observer);
  /// A cell for each delay and scored group of the curve's episodes, for the address-value task; the delays rise. A
  /// stream is forked at each delay, so that the cost is that of the last one.
  Result<std::vector<EvaluationCell>> curve(std::size_t scenario, std::span<const std::size_t> delays,
                                            const EvaluationOptions& episodes, const StopFlag& stop,
                                            EvaluationObserver& observer);
  /// A cell for each number of writes and scored group: one stream of rounds an episode, forked after so many writes
  /// and asked for every address, for the address-value task; the numbers rise. A group that is never asked has no
  /// cell.
  Result<std::vector<EvaluationCell>> writes(const Rounds& rounds, std::span<const std::size_t> marks,
                                             const EvaluationOptions& episodes, const StopFlag& stop,
                                             EvaluationObserver& observer);

 private:
  /// What one thread needs.
  struct Reading {
    StreamReader<float> stream, fork;
    std::vector<Token> tokens;  // [piece]
    Batch rows;                 // one piece
    Buffer<float> logits;       // [piece, outputs]
  };

  /// Reads the rows, and scores the answers that count if there are tallies [groups].
  void read(Reading& reading, StreamReader<float>& stream, const EpisodeRows& rows, std::span<Tally> tallies) const;
  void read(Reading& reading, StreamReader<float>& stream, std::span<const Token> tokens,
            std::span<Tally> tallies) const;
  /// Lets the model read one piece; outputs are [rows, outputs].
  void push(StreamReader<float>& stream, const EpisodeRows& rows, View<float, 2> outputs) const;
  /// One episode with a delay, asked after each of the delays: fills tallies [delays, groups].
  template <class Episode, class Questions>
  void run(Reading& reading, Episode& episode, std::span<const std::size_t> delays, const Questions& questions,
           const StopFlag& stop, EvaluationObserver& observer, std::span<Tally> tallies) const;
  /// One stream of rounds, asked after each number of writes: fills tallies [marks, groups].
  void run_rounds(Reading& reading, RoundsEpisode& episode, std::span<const std::size_t> marks, const StopFlag& stop,
                  EvaluationObserver& observer, std::span<Tally> tallies) const;
  Result<std::vector<EvaluationCell>> paper_table(const TaskCase& request, const EvaluationOptions& episodes,
                                                  const StopFlag& stop, EvaluationObserver& observer);
  Result<std::vector<EvaluationCell>> cells(std::size_t scenario, std::span<const std::size_t> delays,
                                            std::span<const Tally> tallies, const StopFlag& stop) const;

  std::shared_ptr<const LoadedModel<float>> model_;
  std::shared_ptr<const Task> task_;
  const AddressValueTask* database_;  // if the task is of that kind: its episodes are drawn piece by piece
  TaskShape shape_;
  std::size_t groups_;
  bool forgets_;  // the state is set to zero from here, not by the model
  EvaluatorOptions options_;
  ThreadPool pool_;
  std::vector<Reading> readings_;  // one a thread
};

/// Rows that table(), writes() (about, where rounds vary) and curve() let the model read.
std::int64_t table_tokens(const Task& task, const EpisodeCase& request, std::size_t episodes);
std::int64_t writes_tokens(const AddressValueTask& task, const Rounds& rounds, std::span<const std::size_t> marks,
                           std::size_t episodes);
std::int64_t curve_tokens(const AddressValueTask& task, std::size_t scenario, std::span<const std::size_t> delays,
                          std::size_t episodes);

}  // namespace schemamem
