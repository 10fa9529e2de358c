#include "models/baseline/model.h"

#include <algorithm>
#include <string>

#include "models/baseline/memory.h"

namespace schemamem {

namespace {

/// Maximal runs of inputs whose validity bit, the last one, is zero.
template <class T>
void find_read_segments(View<const T, 2> x, std::vector<Segment>& segments) {
  segments.clear();
  const std::size_t validity = x.extent(1) - 1;
  for (std::size_t t = 0; t < x.extent(0); ++t) {
    if (x(t, validity) != T(0)) continue;
    if (!segments.empty() && segments.back().end == t) {
      ++segments.back().end;
    } else {
      segments.push_back({t, t + 1});
    }
  }
}

}  // namespace

template <class T>
BaselineModel<T>::BaselineModel(ModelConfig config, std::unique_ptr<Mixer<T>> mixer, Isa isa)
    : config_(std::move(config)), mixer_(std::move(mixer)), kernels_(frame_kernels_for<T>(isa)) {
  require(config_.inputs > 0 && config_.outputs > 0 && config_.layers > 0,
          "BaselineModel: a model has inputs, outputs and layers");
  require(mixer_->mlp_hidden() == 0 || mixer_->mlp_hidden() == kMlpHidden,
          "BaselineModel: the SwiGLU is compiled for one hidden width");
  lay_out();
  folded_places_ = place(true, mixer_->folded_size());
  shard_places_ = place(false, mixer_->shard_size());
}

template <class T>
void BaselineModel<T>::lay_out() {
  const std::size_t hidden = mixer_->mlp_hidden();
  weight_places_.in = parameters_.add("in_proj.weight", {config_.inputs, kModelWidth});
  weight_places_.bias = parameters_.add("in_proj.bias", {kModelWidth});
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const std::string prefix = "layers." + std::to_string(l) + ".";
    LayerPlaces layer;
    layer.norm1 = parameters_.add(prefix + "norm1.weight", {kModelWidth});
    layer.mixer = parameters_.size();
    for (const TensorSpec& tensor : mixer_->parameters().tensors()) {
      parameters_.add(prefix + "mixer." + tensor.name, tensor.shape);
    }
    for (const TensorSpec& tensor : mixer_->state().tensors()) state_.add(prefix + tensor.name, tensor.shape);
    if (has_mlp()) {
      layer.norm2 = parameters_.add(prefix + "norm2.weight", {kModelWidth});
      layer.gate_up = parameters_.add(prefix + "mlp.w_gate", {kModelWidth, hidden});
      layer.up = parameters_.add(prefix + "mlp.w_up", {kModelWidth, hidden});
      layer.down = parameters_.add(prefix + "mlp.w_down", {hidden, kModelWidth});
    }
    weight_places_.layers.push_back(layer);
  }
  weight_places_.final_norm = parameters_.add("final_norm.weight", {kModelWidth});
  weight_places_.out = parameters_.add("out_proj.weight", {kModelWidth, config_.outputs});
}

template <class T>
std::size_t BaselineModel<T>::padded_outputs() const {
  return (config_.outputs + kOutputPadding - 1) / kOutputPadding * kOutputPadding;
}

template <class T>
typename BaselineModel<T>::Places BaselineModel<T>::place(bool transposes, std::size_t mixer_size) const {
  Places places;
  const auto take = [&](std::size_t size) {
    constexpr std::size_t kLine = kAlignment / sizeof(T);
    const std::size_t at = places.size;
    places.size += (size + kLine - 1) / kLine * kLine;
    return at;
  };
  const std::size_t hidden = mixer_->mlp_hidden();
  places.in = take(config_.inputs * kModelWidth);
  places.bias = take(kModelWidth);
  for (std::size_t l = 0; l < config_.layers; ++l) {
    LayerPlaces layer;
    layer.norm1 = take(kModelWidth);
    layer.norm2 = take(has_mlp() ? kModelWidth : 0);
    layer.gate_up = take(2 * hidden * kModelWidth);
    layer.down = take(hidden * kModelWidth);
    layer.gate_up_t = take(transposes ? 2 * hidden * kModelWidth : 0);
    layer.down_t = take(transposes ? hidden * kModelWidth : 0);
    layer.mixer = take(mixer_size);
    places.layers.push_back(layer);
  }
  places.final_norm = take(kModelWidth);
  places.out = take(kModelWidth * padded_outputs());
  places.out_t = take(transposes ? kModelWidth * padded_outputs() : 0);
  return places;
}

template <class T>
std::unique_ptr<Folded<T>> BaselineModel<T>::make_folded() const {
  return std::make_unique<BaselineFolded<T>>(folded_places_.size);
}
template <class T>
std::unique_ptr<GradientShard<T>> BaselineModel<T>::make_shard() const {
  return std::make_unique<BaselineShard<T>>(shard_places_.size);
}
template <class T>
std::unique_ptr<Tape<T>> BaselineModel<T>::make_tape(TapeSize size, ArenaPolicy policy) const {
  return std::make_unique<Memory>(*this, size.tokens, Memory::Use::kTraining, policy);
}

template <class T>
void BaselineModel<T>::read_out(const T* folded, Memory& memory, std::size_t rows, View<T, 2> logits) const {
  const std::size_t padded = padded_outputs();
  kernels_.norm(memory.end, folded + folded_places_.final_norm, mixer_->norm_epsilon(), rows, memory.normed,
                memory.inverse);
  kernels_.read_out(memory.normed, folded + folded_places_.out, rows, padded, memory.logits);
  for (std::size_t t = 0; t < rows; ++t) std::copy_n(memory.logits + t * padded, config_.outputs, logits[t].begin());
}

template <class T>
void BaselineModel<T>::forward(const Folded<T>& folded_base, const Episode<T>& episode, Tape<T>& tape,
                               View<T, 2> logits) const {
  const auto& folded = static_cast<const BaselineFolded<T>&>(folded_base);
  Memory& memory = static_cast<Memory&>(tape);
  const std::size_t rows = episode.x.extent(0);
  require(episode.mode == Mode::kRecurrent, "BaselineModel: the baselines know only the recurrent mode");
  require(rows > 0 && rows <= memory.capacity, "BaselineModel: an episode has tokens, and the tape room for them");
  require(episode.x.extent(1) == config_.inputs && logits.extent(0) == rows && logits.extent(1) == config_.outputs,
          "BaselineModel: x is [T, inputs] and logits [T, outputs]");
  const T* const w = folded.values.data();
  const T epsilon = mixer_->norm_epsilon();
  memory.tokens = rows;
  memory.stillness = episode.stillness;
  if (episode.stillness != T(0)) find_read_segments(episode.x, memory.segments);
  for (std::size_t t = 0; t < rows; ++t) {
    std::copy_n(episode.x[t].begin(), config_.inputs, memory.x + t * config_.inputs);
  }
  kernels_.embed(memory.x, w + folded_places_.in, w + folded_places_.bias, rows, config_.inputs, memory.layers[0].h);
  for (std::size_t l = 0; l < config_.layers; ++l) {
    LayerRows<T>& layer = memory.layers[l];
    const LayerPlaces& at = folded_places_.layers[l];
    T* const next = l + 1 < config_.layers ? memory.layers[l + 1].h : memory.end;
    T* const mixed = has_mlp() ? layer.mid : next;
    kernels_.norm(layer.h, w + at.norm1, epsilon, rows, layer.u, layer.inverse1);
    std::copy_n(layer.h, rows * kModelWidth, mixed);
    mixer_->forward({.folded = {w + at.mixer, {mixer_->folded_size()}},
                     .u = {layer.u, {rows, kModelWidth}},
                     .y = {mixed, {rows, kModelWidth}},
                     .memory = {layer.mixer, memory.mixer_scratch}});
    if (!has_mlp()) continue;
    kernels_.norm(mixed, w + at.norm2, epsilon, rows, layer.z, layer.inverse2);
    std::copy_n(mixed, rows * kModelWidth, next);
    kernels_.mlp({.gate_up = w + at.gate_up,
                  .down = w + at.down,
                  .z = layer.z,
                  .gate_up_out = layer.gate_up,
                  .activated = layer.activated,
                  .y = next,
                  .rows = rows});
  }
  read_out(w, memory, rows, logits);
}

template <class T>
T BaselineModel<T>::backward(const Folded<T>& folded_base, Tape<T>& tape, View<const T, 2> d_logits,
                             GradientShard<T>& shard_base) const {
  const T* const w = static_cast<const BaselineFolded<T>&>(folded_base).values.data();
  Memory& memory = static_cast<Memory&>(tape);
  T* const d_w = static_cast<BaselineShard<T>&>(shard_base).values.data();
  const std::size_t rows = memory.tokens;
  require(d_logits.extent(0) == rows && d_logits.extent(1) == config_.outputs,
          "BaselineModel: d_logits has the shape of the logits of the last forward");
  const std::size_t padded = padded_outputs();
  for (std::size_t t = 0; t < rows; ++t) {
    std::copy_n(d_logits[t].begin(), config_.outputs, memory.logits + t * padded);
    std::fill_n(memory.logits + t * padded + config_.outputs, padded - config_.outputs, T(0));
  }
  kernels_.read_out_backward(memory.normed, w + folded_places_.out_t, memory.logits, rows, padded, memory.d_u,
                             d_w + shard_places_.out);
  std::fill_n(memory.d_h, rows * kModelWidth, T(0));
  kernels_.norm_backward(memory.end, w + folded_places_.final_norm, memory.inverse, memory.d_u, rows, memory.d_h,
                         d_w + shard_places_.final_norm);
  T stillness = 0;
  for (std::size_t l = config_.layers; l-- > 0;) {
    const LayerRows<T>& layer = memory.layers[l];
    const LayerPlaces& at = folded_places_.layers[l];
    const LayerPlaces& to = shard_places_.layers[l];
    if (has_mlp()) {
      kernels_.mlp_backward({.gate_up_t = w + at.gate_up_t,
                             .down_t = w + at.down_t,
                             .z = layer.z,
                             .gate_up_out = layer.gate_up,
                             .activated = layer.activated,
                             .d_y = memory.d_h,
                             .d_activated = memory.d_activated,
                             .d_gate_up_out = memory.d_gate_up,
                             .d_z = memory.d_u,
                             .d_gate_up = d_w + to.gate_up,
                             .d_down = d_w + to.down,
                             .rows = rows});
      kernels_.norm_backward(layer.mid, w + at.norm2, layer.inverse2, memory.d_u, rows, memory.d_h, d_w + to.norm2);
    }
    std::fill_n(memory.d_u, rows * kModelWidth, T(0));
    stillness += mixer_->backward({.folded = {w + at.mixer, {mixer_->folded_size()}},
                                   .u = {layer.u, {rows, kModelWidth}},
                                   .d_y = {memory.d_h, {rows, kModelWidth}},
                                   .d_u = {memory.d_u, {rows, kModelWidth}},
                                   .shard = {d_w + to.mixer, {mixer_->shard_size()}},
                                   .memory = {layer.mixer, memory.mixer_scratch},
                                   .stillness = memory.stillness,
                                   .segments = memory.segments});
    kernels_.norm_backward(layer.h, w + at.norm1, layer.inverse1, memory.d_u, rows, memory.d_h, d_w + to.norm1);
  }
  kernels_.embed_backward(memory.x, memory.d_h, rows, config_.inputs, d_w + shard_places_.in, d_w + shard_places_.bias);
  return stillness;
}

template <class T>
double BaselineModel<T>::training_flops(std::span<const std::size_t> chunk_ends) const {
  require(!chunk_ends.empty(), "BaselineModel: an episode has at least one chunk");
  const std::size_t tokens = chunk_ends.back();
  const double frame = 2.0 * static_cast<double>(config_.inputs) + 3.0 * static_cast<double>(config_.outputs) +
                       3.0 * 3.0 * static_cast<double>(mixer_->mlp_hidden() * config_.layers);
  return 2.0 * kModelWidth * static_cast<double>(tokens) * frame +
         static_cast<double>(config_.layers) * mixer_->training_flops(tokens);
}

template class BaselineModel<float>;
template class BaselineModel<double>;

}  // namespace schemamem
