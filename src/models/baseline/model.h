#pragma once

#include <memory>
#include <vector>

#include "models/baseline/frame.h"
#include "models/baseline/gate_reader.h"
#include "models/baseline/mixer.h"
#include "models/engine_choice.h"
#include "models/model.h"

namespace schemamem {

/// The frame that both baselines share:
///   H_0 = x W_in + b;   H <- H + mixer(RMSNorm_1(H));   [H <- H + SwiGLU(RMSNorm_2(H));]   logits = RMSNorm(H) W_out
/// with the SwiGLU only if the mixer asks for one. Every layer has the same mixer with weights of its own.
template <class T>
class BaselineModel final : public SequenceModel<T> {
 public:
  BaselineModel(ModelConfig config, ModelSpec spec, std::unique_ptr<Mixer<T>> mixer, EngineChoice choice);

  const ModelConfig& config() const override { return config_; }
  const ModelSpec& spec() const override { return spec_; }
  const Layout& parameters() const override { return parameters_; }
  const Layout& state() const override { return state_; }
  const Layout& carried() const override { return state_; }
  std::span<const std::string_view> counter_names() const override;

  /// W_in, b and W_out are uniform on +-1/sqrt(fan_in) in both schemes; the SwiGLU's maps are normal with std 0.02
  /// ("paper") or 1/sqrt(fan_in) ("ours"); norms are one; the rest is the mixer's. Tensor n of parameters() draws from
  /// stream n.
  void initialise(std::string_view scheme, std::uint64_t seed, View<T, 1> weights) const override;

  std::unique_ptr<Folded<T>> make_folded() const override;
  std::unique_ptr<Tape<T>> make_tape(TapeSize size, ArenaPolicy policy) const override;
  std::unique_ptr<GradientShard<T>> make_shard() const override;

  void fold(View<const T, 1> weights, Folded<T>& folded) const override;
  void forward(const Folded<T>& folded, const Episode<T>& episode, Tape<T>& tape, View<T, 2> logits) const override;
  using SequenceModel<T>::backward;
  T backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits, GradientShard<T>& shard,
             const EpisodeGradients<T>& also) const override;
  void unfold(const Folded<T>& folded, std::span<GradientShard<T>* const> shards, View<T, 1> d_weights) const override;

  StreamState<T> empty_state() const override;
  void reset(StreamState<T>& state) const override;
  std::unique_ptr<Tape<T>> make_scratch() const override;
  void refresh(const Folded<T>&, const StreamState<T>&, Tape<T>&) const override {}  // nothing is derived from a state
  void advance(const Folded<T>& folded, const StreamRows<T>& rows, StreamState<T>& state, Tape<T>& scratch,
               View<T, 2> logits) const override;

  /// The gates of a layer at a token of the episode that forward() left on the tape; its mixer has some.
  GateReading gates_at(const Tape<T>& tape, std::size_t layer, std::size_t token) const;

  std::vector<std::size_t> chunk_ends(const Episode<T>& episode) const override { return {episode.x.extent(0)}; }
  /// Forward once, backward twice, except where the mixer counts what it executes (Mixer::training_flops) and the input
  /// projection, whose input needs no gradient.
  double training_flops(std::span<const std::size_t> chunk_ends) const override;

 private:
  struct Memory;
  /// Offsets of one layer's tensors in the folded weights, in a shard, or in the weights themselves (where gate and up
  /// are two tensors and nothing is transposed).
  struct LayerPlaces {
    std::size_t norm1 = 0, norm2 = 0, gate_up = 0, up = 0, gate_up_t = 0, down = 0, down_t = 0, mixer = 0;
  };
  struct Places {
    std::size_t in = 0, bias = 0, final_norm = 0, out = 0, out_t = 0, size = 0;
    std::vector<LayerPlaces> layers;
  };
  void lay_out();
  Places place(bool transposes, std::size_t mixer_size) const;
  bool has_mlp() const { return sizes_.hidden > 0; }
  std::size_t padded_outputs() const;
  /// Input rows to H_0, which is `h`; and from the gradient of H_0 (memory.d_h) to the input map and the inputs.
  void read_in(const T* folded, Memory& memory, View<const T, 2> x, T* h) const;
  void read_in_backward(const T* folded, const Memory& memory, View<T, 2> d_x, T* shard) const;
  /// Hidden rows to logits; `memory` holds the rows of the last layer's output. And back, to memory.d_h.
  void read_out(const T* folded, Memory& memory, std::size_t rows, View<T, 2> logits) const;
  void read_out_backward(const T* folded, Memory& memory, View<const T, 2> d_logits, T* shard) const;

  ModelConfig config_;
  ModelSpec spec_;
  std::unique_ptr<Mixer<T>> mixer_;
  FrameSizes sizes_;
  FrameKernels<T> kernels_;
  Layout parameters_, state_;
  Places weight_places_, folded_places_, shard_places_;
};

extern template class BaselineModel<float>;
extern template class BaselineModel<double>;

}  // namespace schemamem
