/// \file
/// A task of one's own: rows in, answers out. What a task writes is what a Trainer trains and evaluate() scores.
///
/// \code{.cpp}
/// #include <schemamem/schemamem.h>
///
/// #include <array>
///
/// // One of four lights is shown, then seven dark rows: which one was it?
/// struct Recall final : schemamem::Task {
///   schemamem::TaskShape shape() const override { return {.inputs = 4, .classes = 4, .longest = 8, .chunks = 2}; }
///   void episode(schemamem::Rng& rng, schemamem::EpisodeWriter& out) const override {
///     const auto light = static_cast<std::size_t>(rng.below(4));
///     std::array<float, 4> row{};
///     row[light] = 1;
///     out.row(row);
///     row = {};
///     for (int t = 1; t < 8; ++t) out.row(row, t == 1 ? schemamem::Mark::kEndsChunkReads : schemamem::Mark::kReads);
///     out.target(light);
///   }
/// };
///
/// int main() {
///   schemamem::Rng rng(1);
///   const schemamem::Episode episode = schemamem::write_episode(Recall{}, rng);
///   return episode.length() == 8 && episode.targets.back() >= 0 ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <schemamem/stream.h>

namespace schemamem {
namespace impl {
struct Access;
struct EpisodeSink;
}  // namespace impl
inline namespace v0 {

/// Random numbers that are the same on every machine. A plain value: a copy repeats what the original will do.
class Rng {
 public:
  /// The sequence of a seed.
  explicit Rng(std::uint64_t seed);

  /// 64 uniform bits.
  std::uint64_t next();
  /// Uniform on {0, ..., n - 1}. An n of zero throws std::logic_error.
  std::uint64_t below(std::uint64_t n);
  /// Uniform in [0, 1).
  double uniform();
  /// Standard normal.
  double normal();
  /// Puts values into a uniformly random order.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i)
      std::swap(values[i - 1], values[static_cast<std::size_t>(below(static_cast<std::uint64_t>(i)))]);
  }

 private:
  friend struct impl::Access;
  std::array<std::uint64_t, 4> state_{};
};

/// What a task asks of a model. Give `inputs` or `symbols`, and `classes` or `bits`.
struct TaskShape {
  std::size_t inputs = 0;                     ///< numbers of a row
  std::size_t symbols = 0;                    ///< or: a row is one of so many symbols, which get a learned embedding
  std::size_t classes = 0;                    ///< an answer is one of so many classes: softmax cross-entropy
  std::size_t bits = 0;                       ///< or: a number of so many bits, scored bit by bit
  std::size_t longest = 0;                    ///< rows of the longest episode
  std::size_t chunks = 0;                     ///< the most chunks that marks cut an episode into; 0: as many as rows
  std::vector<std::string> groups = {"all"};  ///< what answers are counted for, each on its own
};

/// Takes the rows of one episode, one after the other. A row that does not fit the shape throws std::invalid_argument.
class EpisodeWriter {
 public:
  /// The next row of numbers.
  void row(std::span<const float> numbers, Mark mark = Mark::kNone);
  /// The next row, of a task of symbols.
  void symbol(std::size_t symbol, Mark mark = Mark::kNone);
  /// What is expected in return for the last row: a class, or a number of so many bits. The weight is that in the loss,
  /// relative to the others; the group is one of the shape's, by default the first.
  void target(std::size_t answer, float weight = 1.F, std::string_view group = {});
  /// Rows written so far.
  std::size_t rows() const;

 private:
  friend struct impl::Access;
  explicit EpisodeWriter(impl::EpisodeSink& sink) : sink_(&sink) {}

  impl::EpisodeSink* sink_;
};

/// Derive from this to train a model on something of your own.
class Task {
 public:
  virtual ~Task() = default;

  /// What goes in and out; the same at every call.
  virtual TaskShape shape() const = 0;
  /// Writes one episode, at most `longest` rows, with every group in at least some episodes. All chance comes from
  /// `rng`: the same numbers give the same episode. Called from several threads at once.
  virtual void episode(Rng& rng, EpisodeWriter& out) const = 0;
  /// What files call it, in letters, digits, '.', '_' and '-'.
  virtual std::string name() const { return "own"; }

 protected:
  Task() = default;                        ///< For classes derived from it.
  Task(const Task&) = default;             ///< For classes derived from it.
  Task& operator=(const Task&) = default;  ///< For classes derived from it.
};

/// One episode to look at: what a task writes.
struct Episode {
  std::size_t row_width = 0;          ///< numbers of a row
  std::vector<float> rows;            ///< one behind the other; a symbol is one number
  std::vector<Mark> marks;            ///< one a row
  std::vector<std::int32_t> targets;  ///< one a row; -1: nothing is expected
  std::vector<float> weights;         ///< one a row; 0: nothing is expected
  std::vector<std::int32_t> groups;   ///< one a row, by number; -1: nothing is expected

  /// How many rows.
  std::size_t length() const { return marks.size(); }
};
/// The next episode of a task. A shape that contradicts itself throws std::invalid_argument.
Episode write_episode(const Task& task, Rng& rng);

}  // namespace v0
}  // namespace schemamem
