#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/row_marks.h"
#include "base/view.h"
#include "models/layout.h"
#include "models/model_spec.h"
#include "models/model_traits.h"

namespace schemamem {

/// What a model looks like from outside.
struct ModelConfig {
  std::string name;         // as the registry calls it
  std::size_t inputs = 0;   // numbers of an input row; of a model of symbols, how many symbols there are
  std::size_t outputs = 0;  // numbers of an output row
  std::size_t layers = 3;
  bool symbols = false;  // a row is one number, a symbol from 0 to inputs - 1, looked up in a learned table
  bool maps = true;      // false: the bare stack of layers, rows of the model's width in and out
  ModelTraits traits{};

  std::size_t row_width() const { return symbols ? 1 : inputs; }
};

/// How an episode is run (docs/design.md, "Modes").
enum class Mode { kRecurrent, kFullHistory, kAblated };
/// "recurrent", "full-history", "ablated", as in files.
std::string_view mode_name(Mode mode);
std::optional<Mode> mode_from_name(std::string_view name);

/// What a floor may be: at least 0, where it is off, and below 1.
constexpr bool is_floor(double floor) { return floor >= 0 && floor < 1; }

/// Counting further than this is no stream but a broken file.
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 62;

/// One episode, or one piece of a longer one.
template <class T>
struct Episode {
  View<const T, 2> x;  // [T, row_width]
  RowMarks marks{};    // [T] or empty
  Mode mode = Mode::kRecurrent;
  /// Weight of the stillness term (docs/design.md, "Stillness"): adds `stillness` * (change of state over read
  /// segments) to the loss in `backward`. Zero asks for nothing.
  T stillness = 0;
  /// Changes of state smaller than this do not happen (docs/design.md, "Floor"). Zero: all do.
  double floor = 0;
  /// Rows whose outputs are wanted, rising; empty: all of them.
  std::span<const std::uint32_t> answers{};
  /// State before the first row, laid out as SequenceModel::carried(); empty: the empty memory. Recurrent mode only.
  std::span<const T> initial{};
  /// Where the state behind the last row goes, in the same layout; empty: not wanted. A piece that is asked for its
  /// final state ends a chunk: what its last chunk wrote is committed.
  std::span<T> final{};

  std::size_t answered() const { return answers.empty() ? x.extent(0) : answers.size(); }
};

/// What backward gives besides the gradient of the weights; what is empty is not wanted.
template <class T>
struct EpisodeGradients {
  View<T, 2> x{};        // [T, inputs], overwritten; symbols have none
  std::span<T> state{};  // dL/d(final state) on entry, that of a given initial state on return; as carried()
};

/// Rows of a stream, with their marks.
template <class T>
struct StreamRows {
  View<const T, 2> x;  // [T, row_width]
  RowMarks marks{};    // [T] or empty
};

/// What a model carries from token to token; plain numbers, so that it can be copied, saved and compared.
template <class T>
struct StreamState {
  Mode mode = Mode::kRecurrent;            // kAblated forgets at every commit
  double floor = 0;                        // as Episode::floor; reset() leaves it and the mode alone
  Buffer<T> values;                        // laid out as SequenceModel::state()
  std::array<std::int64_t, 4> counters{};  // meaning: SequenceModel::counter_names()
};

/// How the last row of a stream weighed the places of a layer's memory, each list summing to one; empty for a model
/// without places, and before the first row.
template <class T>
struct PlaceWeights {
  std::span<const T> read{}, write{};
};

/// Objects that a model makes for itself and that a caller only keeps: quantities derived from the weights once a step,
/// the activations of one episode, a share of the gradient. Each is sized when it is made; using it allocates nothing.
template <class T>
struct Folded {
  virtual ~Folded();
};
template <class T>
struct Tape {
  virtual ~Tape();
  /// False if a kernel wrote past the end of one of its buffers; always true unless the policy asked for guards.
  virtual bool guards_intact() const = 0;
  virtual std::size_t bytes() const = 0;
};
template <class T>
struct GradientShard {
  virtual ~GradientShard();
  void clear();
  /// Every number of it, in the model's own form: what another process would have to add to go on from here.
  virtual std::span<T> numbers() = 0;
};

/// The longest episode that a tape holds. `chunks` bounds the number of chunks (SchemaMem: commits + 1).
struct TapeSize {
  std::size_t tokens = 0;
  std::size_t chunks = 0;
};

/// The one interface of all models. A model is immutable: weights, state and scratch are arguments, so that an ablation
/// can swap a state and threads can share a model. Episodes are independent; a batch is the caller's loop over
/// episodes.
///
/// A model without its input and output maps (ModelConfig::maps) is the bare stack of layers, to be used as a part of
/// something larger: rows and a state in, rows and a state out, with the gradients of both.
template <class T>
class SequenceModel {
 public:
  virtual ~SequenceModel();

  virtual const ModelConfig& config() const = 0;
  /// What the model would be made from again; kept in files.
  virtual const ModelSpec& spec() const = 0;
  virtual const Layout& parameters() const = 0;
  /// Everything advance() carries between tokens, caches included.
  virtual const Layout& state() const = 0;
  /// The part of the state that goes from one piece of an episode to the next (Episode::initial and final): what
  /// persists when no chunk is open.
  virtual const Layout& carried() const = 0;
  /// The paper's "persistent elements".
  std::size_t persistent_elements() const { return carried().size(); }
  /// The first counter of every model is "tokens", how many a stream has read.
  virtual std::span<const std::string_view> counter_names() const = 0;

  /// `scheme` is "paper", "ours", or "silent": as "ours", and a new memory writes nothing, where a model has a map of
  /// its own for that. Weights are drawn from addressed streams of `seed`.
  virtual void initialise(std::string_view scheme, std::uint64_t seed, View<T, 1> weights) const = 0;

  virtual std::unique_ptr<Folded<T>> make_folded() const = 0;
  virtual std::unique_ptr<Tape<T>> make_tape(TapeSize size, ArenaPolicy policy) const = 0;
  virtual std::unique_ptr<GradientShard<T>> make_shard() const = 0;

  /// Derives from the weights what every episode of a step shares.
  virtual void fold(View<const T, 1> weights, Folded<T>& folded) const = 0;
  /// Runs one episode and keeps on `tape` what backward needs. logits is [episode.answered(), outputs].
  virtual void forward(const Folded<T>& folded, const Episode<T>& episode, Tape<T>& tape, View<T, 2> logits) const = 0;
  /// Adds the gradient of sum(logits * d_logits) (+ the stillness term) to `shard`. Returns the stillness term's value,
  /// without its weight. The tape's activations are consumed: a second backward needs a second forward.
  virtual T backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits, GradientShard<T>& shard,
                     const EpisodeGradients<T>& also) const = 0;
  T backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits, GradientShard<T>& shard) const {
    return backward(folded, tape, d_logits, shard, {});
  }
  /// Overwrites d_weights with the sum of the shards, added in the order given; what they held may be used up.
  virtual void unfold(const Folded<T>& folded, std::span<GradientShard<T>* const> shards,
                      View<T, 1> d_weights) const = 0;

  virtual StreamState<T> empty_state() const = 0;
  virtual void reset(StreamState<T>& state) const = 0;
  /// What shows that no stream of this model can be in `state`; nothing if all is well. Here, for a model that is
  /// always recurrent: sizes, mode, numbers that are not finite, counters out of range.
  virtual std::optional<std::string> fault(const StreamState<T>& state) const;
  /// Continues a stream by any number of tokens; logits is [T, outputs]. The bits do not depend on how a stream is cut
  /// into calls. `scratch` comes from make_scratch() and carries nothing that is not derived from `state`; when the
  /// state was changed by anyone but advance(), or the scratch served another stream, call refresh() first.
  virtual std::unique_ptr<Tape<T>> make_scratch() const = 0;
  virtual void refresh(const Folded<T>& folded, const StreamState<T>& state, Tape<T>& scratch) const = 0;
  virtual void advance(const Folded<T>& folded, const StreamRows<T>& rows, StreamState<T>& state, Tape<T>& scratch,
                       View<T, 2> logits) const = 0;
  /// Of the last row that advance() read with this scratch; valid until the next one.
  virtual PlaceWeights<T> place_weights(const Tape<T>& /*scratch*/, std::size_t /*layer*/) const { return {}; }
  /// What the last row of a stream in this state was, as far as the model remembers.
  virtual LastRow last_row(const StreamState<T>& /*state*/) const { return LastRow::kNone; }

  /// The chunks that this model cuts an episode into, as their (exclusive) ends. One chunk for models without commits.
  virtual std::vector<std::size_t> chunk_ends(const Episode<T>& episode) const = 0;
  /// The most chunks of an episode of so many rows whose marks cut it into so many.
  virtual std::size_t most_chunks(std::size_t /*tokens*/, std::size_t /*marked*/) const { return 1; }
  /// Flops of the matrix products of one training step on such an episode: forward counted once, backward twice.
  virtual double training_flops(std::span<const std::size_t> chunk_ends) const = 0;

 protected:
  /// The part of fault() that holds for every model, once the sizes are right.
  std::optional<std::string> fault_in_numbers(const StreamState<T>& state) const;
};

}  // namespace schemamem
