#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/view.h"
#include "models/layout.h"

namespace schemamem {

/// The published width of both baselines, D.
inline constexpr std::size_t kModelWidth = 32;

/// Tokens [begin, end) of one read segment: a maximal run of inputs whose validity bit is zero.
struct Segment {
  std::size_t begin = 0, end = 0;
};

/// Memory of one piece of a sequence: `tape` keeps what backward needs of this mixer, `scratch` carries nothing from
/// call to call and is shared by all layers. Both hold the blocks that the mixer asked for, in that order.
template <class T>
struct MixerMemory {
  std::span<T*const> tape, scratch;
};

/// A floor (docs/design.md, "Floor") as the gates of a mixer meet it: a write gate below `write` counts as zero, and so
/// does the x of a decay e^-x if it is below `decay`, which is when 1 - e^-x is below the floor.
template <class T>
struct GateFloor {
  T write = 0, decay = 0;

  static GateFloor of(double floor) { return {static_cast<T>(floor), static_cast<T>(-std::log1p(-floor))}; }
};

template <class T>
struct MixerForward {
  View<const T, 1> folded;
  View<const T, 2> u;        // [T, D]
  View<T, 2> y;              // [T, D], added to: the caller puts the residual there
  const T* state = nullptr;  // state before the first token, laid out as Mixer::state(); nullptr: empty (zero)
  T* final_state = nullptr;  // state after the last token is stored here if asked for; may be `state`
  MixerMemory<T> memory;
  GateFloor<T> floor{};
};

/// Tokens of a stream.
template <class T>
struct MixerAdvance {
  View<const T, 1> folded;
  View<const T, 2> u;  // [T, D]
  View<T, 1> state;    // the layer's, in place
  std::span<T* const> blocks;
  View<T, 2> y;  // [T, D], added to
  GateFloor<T> floor{};
};

/// Everything of a piece's vector-Jacobian product. `u` and `memory.tape` are those of the forward call.
template <class T>
struct MixerBackward {
  View<const T, 1> folded;
  View<const T, 2> u;        // [T, D]
  View<const T, 2> d_y;      // [T, D]
  View<T, 2> d_u;            // [T, D], added to
  View<T, 1> shard;          // gradient of the weights in the mixer's own form, added to
  T* d_state = nullptr;      // dL/d(state after the last token) on entry, dL/d(state before the first) on return
                             // nullptr: zero on entry, not wanted on return
  bool state_given = false;  // forward started from a given state
  MixerMemory<T> memory;
  /// Adds stillness * sum over segments of the change from S_begin to S_end to the loss, S_t being the recurrent state
  /// after t tokens: its mean square, for Gated DeltaNet divided by that of S_begin. Zero asks for nothing, and
  /// `segments` may then be empty.
  T stillness = 0;
  std::span<const Segment> segments{};  // ascending, disjoint
};

/// One sequence mixer of a baseline (Gated DeltaNet, Mamba-3) for one layer. It is immutable and
/// owns no memory that it writes; nothing but the functions that return a Layout or a vector allocates.
template <class T>
class Mixer {
 public:
  virtual ~Mixer() = default;

  virtual std::string_view name() const = 0;
  /// Official names, shapes and orientation ([out, in]); the frame prefixes `layers.{i}.mixer.`.
  virtual const Layout& parameters() const = 0;
  /// Everything that advance() carries, official names and shapes; the frame prefixes `layers.{i}.`.
  virtual const Layout& state() const = 0;
  /// D: rows that a mixer reads and writes have this many elements; a multiple of 16.
  virtual std::size_t width() const = 0;
  /// Of every norm of the model.
  virtual T norm_epsilon() const = 0;
  /// Hidden width of the SwiGLU behind the mixer, a multiple of 16; zero: this model has none, and no second norm.
  virtual std::size_t mlp_hidden() const = 0;

  /// Draws the weights; streams `first_stream`, `first_stream` + 1, ... belong to this call, one for each tensor.
  virtual void initialise(std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                          View<T, 1> weights) const = 0;

  /// Elements of the weights as the kernels want them (transposed, merged, padded) and of their gradient.
  virtual std::size_t folded_size() const = 0;
  virtual std::size_t shard_size() const = 0;
  virtual void fold(View<const T, 1> weights, View<T, 1> folded) const = 0;
  /// Overwrites d_weights (official form) with what `shard`, the ordered sum of all shards, says.
  virtual void unfold(View<const T, 1> folded, View<const T, 1> shard, View<T, 1> d_weights) const = 0;

  /// Sizes, in elements, of the blocks needed for pieces of up to `tokens` tokens.
  virtual std::vector<std::size_t> tape_blocks(std::size_t tokens) const = 0;
  virtual std::vector<std::size_t> scratch_blocks(std::size_t tokens) const = 0;

  virtual void forward(const MixerForward<T>& call) const = 0;
  /// Returns the stillness term's value without its weight. Consumes the tape.
  virtual T backward(const MixerBackward<T>& call) const = 0;

  /// Sizes of the blocks that advance() works in; it takes any number of tokens, at most this many at once inside.
  virtual std::vector<std::size_t> stream_blocks() const = 0;
  /// y += the mixer's output for each row of u, token by token: the bits depend on the tokens so far, not on how they
  /// were cut into calls.
  virtual void advance(const MixerAdvance<T>& call) const = 0;

  /// Flops of the matrix products executed in one forward and one backward over a piece of this length.
  virtual double training_flops(std::size_t tokens) const = 0;
};

}  // namespace schemamem
