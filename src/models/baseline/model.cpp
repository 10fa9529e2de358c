#include "models/baseline/model.h"

#include <algorithm>
#include <string>

#include "models/baseline/memory.h"
#include "models/checks.h"

namespace schemamem {

namespace {

/// Maximal runs of inputs that only ask.
void find_read_segments(RowMarks marks, std::vector<Segment>& segments) {
  segments.clear();
  for (std::size_t t = 0; t < marks.size(); ++t) {
    if (!reads(marks[t])) continue;
    if (!segments.empty() && segments.back().end == t) {
      ++segments.back().end;
    } else {
      segments.push_back({t, t + 1});
    }
  }
}

}  // namespace

template <class T>
BaselineModel<T>::BaselineModel(ModelConfig config, ModelSpec spec, std::unique_ptr<Mixer<T>> mixer,
                                EngineChoice choice)
    : config_(std::move(config)),
      spec_(std::move(spec)),
      mixer_(std::move(mixer)),
      sizes_{.width = mixer_->width(), .hidden = mixer_->mlp_hidden()},
      kernels_(frame_kernels_for<T>(sizes_, choice.isa, choice.general)) {
  require(config_.inputs > 0 && config_.outputs > 0 && config_.layers > 0,
          "BaselineModel: a model has inputs, outputs and layers");
  require(sizes_.width > 0 && sizes_.width % 16 == 0 && sizes_.hidden % 16 == 0,
          "BaselineModel: the mixer's width and the SwiGLU's hidden width are multiples of 16");
  lay_out();
  folded_places_ = place(true, mixer_->folded_size());
  shard_places_ = place(false, mixer_->shard_size());
}

template <class T>
void BaselineModel<T>::lay_out() {
  const std::size_t hidden = sizes_.hidden;
  if (config_.maps) {
    weight_places_.in = parameters_.add("in_proj.weight", {config_.inputs, sizes_.width}, Role::kEdge);
    weight_places_.bias = parameters_.add("in_proj.bias", {sizes_.width});
  }
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const std::string prefix = "layers." + std::to_string(l) + ".";
    LayerPlaces layer;
    layer.norm1 = parameters_.add(prefix + "norm1.weight", {sizes_.width});
    layer.mixer = parameters_.size();
    for (const TensorSpec& tensor : mixer_->parameters().tensors()) {
      parameters_.add(prefix + "mixer." + tensor.name, tensor.shape, tensor.role);
    }
    for (const TensorSpec& tensor : mixer_->state().tensors())
      state_.add(prefix + tensor.name, tensor.shape, Role::kState);
    if (has_mlp()) {
      layer.norm2 = parameters_.add(prefix + "norm2.weight", {sizes_.width});
      layer.gate_up = parameters_.add(prefix + "mlp.w_gate", {sizes_.width, hidden});
      layer.up = parameters_.add(prefix + "mlp.w_up", {sizes_.width, hidden});
      layer.down = parameters_.add(prefix + "mlp.w_down", {hidden, sizes_.width});
    }
    weight_places_.layers.push_back(layer);
  }
  if (!config_.maps) return;
  weight_places_.final_norm = parameters_.add("final_norm.weight", {sizes_.width});
  weight_places_.out = parameters_.add("out_proj.weight", {sizes_.width, config_.outputs}, Role::kEdge);
}

template <class T>
std::size_t BaselineModel<T>::padded_outputs() const {
  return config_.maps ? (config_.outputs + kOutputPadding - 1) / kOutputPadding * kOutputPadding : 0;
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
  const std::size_t hidden = sizes_.hidden;
  const std::size_t maps = config_.maps ? 1 : 0;
  places.in = take(maps * config_.inputs * sizes_.width);
  places.bias = take(maps * sizes_.width);
  for (std::size_t l = 0; l < config_.layers; ++l) {
    LayerPlaces layer;
    layer.norm1 = take(sizes_.width);
    layer.norm2 = take(has_mlp() ? sizes_.width : 0);
    layer.gate_up = take(2 * hidden * sizes_.width);
    layer.down = take(hidden * sizes_.width);
    layer.gate_up_t = take(transposes ? 2 * hidden * sizes_.width : 0);
    layer.down_t = take(transposes ? hidden * sizes_.width : 0);
    layer.mixer = take(mixer_size);
    places.layers.push_back(layer);
  }
  places.final_norm = take(maps * sizes_.width);
  places.out = take(sizes_.width * padded_outputs());
  places.out_t = take(transposes ? sizes_.width * padded_outputs() : 0);
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
void BaselineModel<T>::forward(const Folded<T>& folded_base, const Episode<T>& episode, Tape<T>& tape,
                               View<T, 2> logits) const {
  const auto& folded = static_cast<const BaselineFolded<T>&>(folded_base);
  Memory& memory = static_cast<Memory&>(tape);
  const std::size_t rows = episode.x.extent(0);
  require(rows <= memory.capacity, "BaselineModel: the tape has room for the episode");
  check_episode(*this, episode, logits);
  const T* const w = folded.values.data();
  const T epsilon = mixer_->norm_epsilon();
  const auto floor = GateFloor<T>::of(episode.floor);
  memory.tokens = rows;
  memory.stillness = episode.stillness;
  memory.started = !episode.initial.empty();
  memory.ends_kept = !episode.final.empty();
  memory.answers.assign(episode.answers.begin(), episode.answers.end());
  if (episode.stillness != T(0)) find_read_segments(episode.marks, memory.segments);
  read_in(w, memory, episode.x, memory.layers[0].h);
  const std::size_t one_state = mixer_->state().size();
  for (std::size_t l = 0; l < config_.layers; ++l) {
    LayerRows<T>& layer = memory.layers[l];
    const LayerPlaces& at = folded_places_.layers[l];
    T* const next = l + 1 < config_.layers ? memory.layers[l + 1].h : memory.end;
    T* const mixed = has_mlp() ? layer.mid : next;
    kernels_.norm(sizes_, layer.h, w + at.norm1, epsilon, rows, layer.u, layer.inverse1);
    std::copy_n(layer.h, rows * sizes_.width, mixed);
    mixer_->forward({.folded = {w + at.mixer, {mixer_->folded_size()}},
                     .u = {layer.u, {rows, sizes_.width}},
                     .y = {mixed, {rows, sizes_.width}},
                     .state = memory.started ? episode.initial.data() + l * one_state : nullptr,
                     .final_state = memory.ends_kept ? episode.final.data() + l * one_state : nullptr,
                     .memory = {layer.mixer, memory.mixer_scratch},
                     .floor = floor});
    if (!has_mlp()) continue;
    kernels_.norm(sizes_, mixed, w + at.norm2, epsilon, rows, layer.z, layer.inverse2);
    std::copy_n(mixed, rows * sizes_.width, next);
    kernels_.mlp(sizes_, {.gate_up = w + at.gate_up,
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
                             GradientShard<T>& shard_base, const EpisodeGradients<T>& also) const {
  const T* const w = static_cast<const BaselineFolded<T>&>(folded_base).values.data();
  Memory& memory = static_cast<Memory&>(tape);
  T* const d_w = static_cast<BaselineShard<T>&>(shard_base).values.data();
  const std::size_t rows = memory.tokens;
  require(d_logits.extent(0) == (memory.answers.empty() ? rows : memory.answers.size()) &&
              d_logits.extent(1) == config_.outputs,
          "BaselineModel: d_logits has the shape of the logits of the last forward");
  check_gradients(*this, rows, memory.ends_kept, also);
  const std::size_t one_state = mixer_->state().size();
  read_out_backward(w, memory, d_logits, d_w);
  T stillness = 0;
  for (std::size_t l = config_.layers; l-- > 0;) {
    const LayerRows<T>& layer = memory.layers[l];
    const LayerPlaces& at = folded_places_.layers[l];
    const LayerPlaces& to = shard_places_.layers[l];
    if (has_mlp()) {
      kernels_.mlp_backward(sizes_, {.gate_up_t = w + at.gate_up_t,
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
      kernels_.norm_backward(sizes_, layer.mid, w + at.norm2, layer.inverse2, memory.d_u, rows, memory.d_h,
                             d_w + to.norm2);
    }
    std::fill_n(memory.d_u, rows * sizes_.width, T(0));
    stillness += mixer_->backward({.folded = {w + at.mixer, {mixer_->folded_size()}},
                                   .u = {layer.u, {rows, sizes_.width}},
                                   .d_y = {memory.d_h, {rows, sizes_.width}},
                                   .d_u = {memory.d_u, {rows, sizes_.width}},
                                   .shard = {d_w + to.mixer, {mixer_->shard_size()}},
                                   .d_state = also.state.empty() ? nullptr : also.state.data() + l * one_state,
                                   .state_given = memory.started,
                                   .memory = {layer.mixer, memory.mixer_scratch},
                                   .stillness = memory.stillness,
                                   .segments = memory.segments});
    kernels_.norm_backward(sizes_, layer.h, w + at.norm1, layer.inverse1, memory.d_u, rows, memory.d_h, d_w + to.norm1);
  }
  read_in_backward(w, memory, also.x, d_w);
  return stillness;
}

template <class T>
GateReading BaselineModel<T>::gates_at(const Tape<T>& tape, std::size_t layer, std::size_t token) const {
  const auto& memory = static_cast<const Memory&>(tape);
  const auto* const reader = dynamic_cast<const GateReader<T>*>(mixer_.get());
  require(reader != nullptr, "BaselineModel: this mixer has no gates that could be read");
  require(layer < memory.layers.size() && token < memory.tokens, "BaselineModel: the tape has no such layer and token");
  return reader->gates_at(memory.layers[layer].mixer, memory.tokens, token);
}

template <class T>
double BaselineModel<T>::training_flops(std::span<const std::size_t> chunk_ends) const {
  require(!chunk_ends.empty(), "BaselineModel: an episode has at least one chunk");
  const std::size_t tokens = chunk_ends.back();
  const double maps = config_.maps ? 1 : 0, entering = config_.symbols ? 0 : static_cast<double>(config_.inputs);
  const double frame = maps * (2.0 * entering + 3.0 * static_cast<double>(config_.outputs)) +
                       3.0 * 3.0 * static_cast<double>(sizes_.hidden * config_.layers);
  return 2.0 * static_cast<double>(sizes_.width) * static_cast<double>(tokens) * frame +
         static_cast<double>(config_.layers) * mixer_->training_flops(tokens);
}

template class BaselineModel<float>;
template class BaselineModel<double>;

}  // namespace schemamem
