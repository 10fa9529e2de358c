#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "base/row_marks.h"
#include "base/view.h"
#include "task/rounds.h"

namespace schemamem {

/// How an answer is read from an output row, and with it the loss.
enum class AnswerKind {
  kBits,   // a number, bit by bit, least significant first; bitwise cross-entropy
  kClass,  // one of as many classes as there are outputs; softmax cross-entropy
};

/// What a task asks of a model.
struct TaskShape {
  std::size_t inputs = 0;  // numbers of a row; of symbols, how many there are
  bool symbols = false;    // a row is one symbol
  std::size_t outputs = 0;
  AnswerKind answer = AnswerKind::kBits;
  MarkRule marks = MarkRule::kNone;  // how a stream finds marks in rows that come without

  std::size_t row_width() const { return symbols ? 1 : inputs; }

  friend bool operator==(const TaskShape&, const TaskShape&) = default;
};

/// The rows of one episode, owned by someone else.
struct EpisodeRows {
  static constexpr std::int32_t kNoLabel = -1;
  static constexpr std::int8_t kNoGroup = -1;

  View<float, 2> inputs;           // [T, row_width]
  std::span<RowMark> marks;        // [T]
  std::span<std::int32_t> labels;  // [T] the expected answer; kNoLabel: nothing is asked
  std::span<float> weights;        // [T] weight in the loss, relative to the others; 0 where nothing is asked
  std::span<std::int8_t> groups;   // [T] what the answer counts for, a number of Task::groups(); kNoGroup: for nothing
  std::span<std::uint8_t> is_final;  // [T] 1 where evaluation scores the answer

  std::size_t size() const { return labels.size(); }
  EpisodeRows slice(std::size_t first, std::size_t count) const;
};

/// Which episodes of a task: one of its scenarios and a length, whose meaning is the task's.
struct EpisodeCase {
  std::size_t scenario = 0;
  std::size_t delay = 0;

  friend bool operator==(const EpisodeCase&, const EpisodeCase&) = default;
};

/// Where in the random streams an episode lies.
struct EpisodeAddress {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::kTrainEpisode;
  std::uint64_t index = 0;
};

/// Makes episodes from addressed streams: what an episode contains depends on its case and its address and on nothing
/// else, not on the batch it is in nor on the thread that makes it. Holds scratch, so each thread has its own.
class EpisodeSource {
 public:
  virtual ~EpisodeSource() = default;
  /// `out` has exactly the episode's length. Allocates nothing, unless the episode is longer than any before.
  virtual void make(const EpisodeCase& request, const EpisodeAddress& address, const EpisodeRows& out) = 0;
};

/// Episodes that somebody published, one after the other.
class PublishedEpisodes {
 public:
  virtual ~PublishedEpisodes() = default;
  /// The next one, into exactly its length.
  virtual void next(const EpisodeRows& out) = 0;
};

/// A stream without an end, piece by piece.
class EndlessRows {
 public:
  virtual ~EndlessRows() = default;
  /// Another stream; everything in it follows from the random numbers.
  virtual void begin(Rng rng) = 0;
  /// The next piece, of any length, marked as an episode of its own. Allocates nothing, unless the piece is longer than
  /// any before.
  virtual void next(const EpisodeRows& out) = 0;
  /// As next(), for nobody.
  virtual void skip(std::size_t rows) = 0;
};

/// How a task is trained.
enum class Protocol {
  kPaper,   // the paper's curriculum: full history, transactions, maintenance
  kLevels,  // Task::levels(), one after the other
};

/// A task: episodes of rows, what is expected in return, and how answers are grouped when they are scored. Immutable.
class Task {
 public:
  virtual ~Task() = default;

  /// "address-value", "mqar": as the command line and files spell it.
  virtual std::string_view name() const = 0;
  /// Which of its kind, in letters, digits, '.', '_' and '-': "A3V3". Name and setting together say all.
  virtual std::string setting() const = 0;
  virtual TaskShape shape() const = 0;
  virtual Protocol protocol() const = 0;

  /// Names of the groups that answers are scored in, by number.
  virtual std::span<const std::string_view> groups() const = 0;
  /// Names of the scenarios, by number.
  virtual std::span<const std::string> scenarios() const = 0;
  /// The groups of a scenario that are scored.
  virtual std::span<const std::int8_t> scored(std::size_t scenario) const = 0;
  /// Rows of every episode of a case.
  virtual std::size_t tokens(const EpisodeCase& request) const = 0;
  /// The most chunks that the marks of an episode cut it into.
  virtual std::size_t marked_chunks(const EpisodeCase& request) const = 0;
  /// Whether there are episodes of this case; a usage error says why not.
  virtual Status check(const EpisodeCase& request) const = 0;

  virtual std::unique_ptr<EpisodeSource> source() const = 0;
  /// The published evaluation episodes of a case; none for most tasks.
  virtual std::unique_ptr<PublishedEpisodes> published(const EpisodeCase& /*request*/, std::size_t /*count*/) const {
    return nullptr;
  }

  /// Streams that are written and asked for ever; none for most tasks.
  virtual std::unique_ptr<EndlessRows> endless(const Rounds& /*rounds*/) const { return nullptr; }

  /// With Protocol::kLevels, what is trained and checked: the cases of each level, from easy to hard.
  virtual std::vector<std::vector<EpisodeCase>> levels() const { return {}; }
  /// With Protocol::kLevels, what is evaluated unless asked otherwise: trained cases and harder ones.
  virtual std::vector<EpisodeCase> evaluated() const { return {}; }

  /// The scenario called `name`; a usage error with a suggestion if there is none.
  Result<std::size_t> find_scenario(std::string_view name) const;
};

/// The answer that an output row gives: the number of its bits that are not negative, or the class with the largest
/// output (the first of several).
std::int32_t answer_of(AnswerKind kind, View<const float, 1> outputs);

}  // namespace schemamem
