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
#include "base/view.h"
#include "models/layout.h"

namespace schemamem {

/// What a model looks like from outside: how many bits come in (address, value, validity) and go out (value).
struct ModelConfig {
  std::string name;         // "schemamem", "mamba3", "gdn"
  std::size_t inputs = 0;   // a + v + 1
  std::size_t outputs = 0;  // v
  std::size_t layers = 3;
};

/// How an episode is run (docs/design.md, "Modes"). The baselines know only kRecurrent.
enum class Mode { kRecurrent, kFullHistory, kAblated };
/// "recurrent", "full", "ablated", as in files.
std::string_view mode_name(Mode mode);
std::optional<Mode> mode_from_name(std::string_view name);

/// Counting further than this is no stream but a broken file.
inline constexpr std::int64_t kMostTokens = std::int64_t{1} << 62;

/// One episode: a row of bits per token, the last one the validity bit.
template <class T>
struct Episode {
  View<const T, 2> x;  // [T, inputs]
  Mode mode = Mode::kRecurrent;
  /// Weight of the stillness term (docs/design.md, "Stillness"): adds `stillness` * (change of state over read
  /// segments) to the loss in `backward`. Zero asks for nothing.
  T stillness = 0;
};

/// What a model carries from token to token; plain numbers, so that it can be copied, saved and compared.
template <class T>
struct StreamState {
  Mode mode = Mode::kRecurrent;            // kAblated forgets at every commit
  Buffer<T> values;                        // laid out as SequenceModel::state()
  std::array<std::int64_t, 4> counters{};  // meaning: SequenceModel::counter_names()
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
  virtual void clear() = 0;
};

/// The longest episode that a tape holds. `chunks` bounds the number of chunks (SchemaMem: commits + 1).
struct TapeSize {
  std::size_t tokens = 0;
  std::size_t chunks = 0;
};

/// The one interface of all models. A model is immutable: weights, state and scratch are arguments, so that an ablation
/// can swap a state and threads can share a model. Episodes are independent; a batch is the caller's loop over
/// episodes.
template <class T>
class SequenceModel {
 public:
  virtual ~SequenceModel();

  virtual const ModelConfig& config() const = 0;
  virtual const Layout& parameters() const = 0;
  /// Everything advance() carries between tokens, caches included.
  virtual const Layout& state() const = 0;
  /// How many of the state's elements persist beyond the open chunk: the paper's "persistent elements". Counted from
  /// state().
  virtual std::size_t persistent_elements() const = 0;
  /// The first counter of every model is "tokens", how many a stream has read.
  virtual std::span<const std::string_view> counter_names() const = 0;

  /// `scheme` is "paper" or "ours"; weights are drawn from addressed streams of `seed`.
  virtual void initialise(std::string_view scheme, std::uint64_t seed, View<T, 1> weights) const = 0;

  virtual std::unique_ptr<Folded<T>> make_folded() const = 0;
  virtual std::unique_ptr<Tape<T>> make_tape(TapeSize size, ArenaPolicy policy) const = 0;
  virtual std::unique_ptr<GradientShard<T>> make_shard() const = 0;

  /// Derives from the weights what every episode of a step shares.
  virtual void fold(View<const T, 1> weights, Folded<T>& folded) const = 0;
  /// Runs one episode from the empty state and keeps on `tape` what backward needs. logits is [T, outputs].
  virtual void forward(const Folded<T>& folded, const Episode<T>& episode, Tape<T>& tape, View<T, 2> logits) const = 0;
  /// Adds the gradient of sum(logits * d_logits) (+ the stillness term) to `shard`. Returns the stillness term's value,
  /// without its weight. The tape's activations are consumed: a second backward needs a second forward.
  virtual T backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits,
                     GradientShard<T>& shard) const = 0;
  /// Overwrites d_weights with the sum of the shards, added in the order given.
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
  virtual void advance(const Folded<T>& folded, View<const T, 2> x, StreamState<T>& state, Tape<T>& scratch,
                       View<T, 2> logits) const = 0;

  /// The chunks that this model cuts `x` into, as their (exclusive) ends. One chunk for models without commits.
  virtual std::vector<std::size_t> chunk_ends(const Episode<T>& episode) const = 0;
  /// Flops of the matrix products of one training step on such an episode: forward counted once, backward twice.
  virtual double training_flops(std::span<const std::size_t> chunk_ends) const = 0;

 protected:
  /// The part of fault() that holds for every model, once the sizes are right.
  std::optional<std::string> fault_in_numbers(const StreamState<T>& state) const;
};

}  // namespace schemamem
