#include <algorithm>
#include <cmath>
#include <string>

#include "base/rng.h"
#include "models/baseline/memory.h"

namespace schemamem {

namespace {

template <class T>
void transpose_into(const T* from, std::size_t rows, std::size_t columns, std::size_t from_row, T* to,
                    std::size_t to_row) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[j * to_row + i] = from[i * from_row + j];
  }
}
template <class T>
void copy_columns(const T* from, std::size_t rows, std::size_t columns, std::size_t from_row, T* to,
                  std::size_t to_row) {
  for (std::size_t i = 0; i < rows; ++i) std::copy_n(from + i * from_row, columns, to + i * to_row);
}

}  // namespace

template <class T>
void BaselineModel<T>::initialise(std::string_view scheme, std::uint64_t seed, View<T, 1> weights) const {
  if (scheme == "silent") scheme = "ours";  // no map here writes by itself
  const bool paper = scheme == "paper";
  require(paper || scheme == "ours",
          "BaselineModel: the initialisation is \"paper\", \"ours\" or \"silent\", not " + std::string(scheme));
  require(weights.size() == parameters_.size(), "BaselineModel: weights are laid out as parameters()");
  const std::vector<TensorSpec>& tensors = parameters_.tensors();
  const std::size_t in_mixer = mixer_->parameters().tensors().size();
  for (std::size_t n = 0; n < tensors.size();) {
    const TensorSpec& tensor = tensors[n];
    if (tensor.name.find(".mixer.") != std::string::npos) {
      mixer_->initialise(scheme, seed, n, weights.slice(tensor.offset, mixer_->parameters().size()));
      n += in_mixer;
      continue;
    }
    Rng rng = Rng::stream(seed, Purpose::kWeights, n++);
    const bool outer = tensor.name.starts_with("in_proj") || tensor.name.starts_with("out_proj");
    const double fan_in =
        tensor.name == "in_proj.bias" ? static_cast<double>(config_.inputs) : static_cast<double>(tensor.shape.front());
    const double reach = 1.0 / std::sqrt(fan_in);
    for (T& w : weights.slice(tensor.offset, tensor.size)) {
      if (outer) {
        w = static_cast<T>((2.0 * rng.uniform() - 1.0) * reach);
      } else if (tensor.shape.size() == 1) {
        w = T(1);
      } else {
        w = static_cast<T>(rng.normal() * (paper ? 0.02 : reach));
      }
    }
  }
}

template <class T>
void BaselineModel<T>::fold(View<const T, 1> weights, Folded<T>& folded_base) const {
  require(weights.size() == parameters_.size(), "BaselineModel: weights are laid out as parameters()");
  T* const w = static_cast<BaselineFolded<T>&>(folded_base).values.data();
  const T* const from = weights.data();
  const std::size_t hidden = sizes_.hidden;
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const LayerPlaces& source = weight_places_.layers[l];
    const LayerPlaces& at = folded_places_.layers[l];
    std::copy_n(from + source.norm1, sizes_.width, w + at.norm1);
    mixer_->fold(weights.slice(source.mixer, mixer_->parameters().size()), {w + at.mixer, {mixer_->folded_size()}});
    if (!has_mlp()) continue;
    std::copy_n(from + source.norm2, sizes_.width, w + at.norm2);
    copy_columns(from + source.gate_up, sizes_.width, hidden, hidden, w + at.gate_up, 2 * hidden);
    copy_columns(from + source.up, sizes_.width, hidden, hidden, w + at.gate_up + hidden, 2 * hidden);
    transpose_into(w + at.gate_up, sizes_.width, 2 * hidden, 2 * hidden, w + at.gate_up_t, sizes_.width);
    std::copy_n(from + source.down, hidden * sizes_.width, w + at.down);
    transpose_into(w + at.down, hidden, sizes_.width, sizes_.width, w + at.down_t, hidden);
  }
  if (!config_.maps) return;
  std::copy_n(from + weight_places_.in, config_.inputs * sizes_.width, w + folded_places_.in);
  std::copy_n(from + weight_places_.bias, sizes_.width, w + folded_places_.bias);
  std::copy_n(from + weight_places_.final_norm, sizes_.width, w + folded_places_.final_norm);
  const T* const out = from + weight_places_.out;  // the padding's columns stay zero
  copy_columns(out, sizes_.width, config_.outputs, config_.outputs, w + folded_places_.out, padded_outputs());
  transpose_into(out, sizes_.width, config_.outputs, config_.outputs, w + folded_places_.out_t, sizes_.width);
}

template <class T>
void BaselineModel<T>::unfold(const Folded<T>& folded_base, std::span<GradientShard<T>* const> shards,
                              View<T, 1> d_weights) const {
  require(!shards.empty() && d_weights.size() == parameters_.size(),
          "BaselineModel: there is a shard, and d_weights is laid out as parameters()");
  const T* const folded = static_cast<const BaselineFolded<T>&>(folded_base).values.data();
  Buffer<T>& sum = static_cast<BaselineShard<T>*>(shards[0])->total;
  std::copy_n(static_cast<const BaselineShard<T>*>(shards[0])->values.data(), sum.size(), sum.data());
  for (const GradientShard<T>* shard : shards.subspan(1)) {
    const T* const part = static_cast<const BaselineShard<T>*>(shard)->values.data();
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  const T* const from = sum.data();
  T* const to = d_weights.data();
  const std::size_t hidden = sizes_.hidden;
  for (std::size_t l = 0; l < config_.layers; ++l) {
    const LayerPlaces& source = shard_places_.layers[l];
    const LayerPlaces& at = weight_places_.layers[l];
    std::copy_n(from + source.norm1, sizes_.width, to + at.norm1);
    mixer_->unfold({folded + folded_places_.layers[l].mixer, {mixer_->folded_size()}},
                   {from + source.mixer, {mixer_->shard_size()}},
                   d_weights.slice(at.mixer, mixer_->parameters().size()));
    if (!has_mlp()) continue;
    std::copy_n(from + source.norm2, sizes_.width, to + at.norm2);
    copy_columns(from + source.gate_up, sizes_.width, hidden, 2 * hidden, to + at.gate_up, hidden);
    copy_columns(from + source.gate_up + hidden, sizes_.width, hidden, 2 * hidden, to + at.up, hidden);
    std::copy_n(from + source.down, hidden * sizes_.width, to + at.down);
  }
  if (!config_.maps) return;
  std::copy_n(from + shard_places_.in, config_.inputs * sizes_.width, to + weight_places_.in);
  std::copy_n(from + shard_places_.bias, sizes_.width, to + weight_places_.bias);
  std::copy_n(from + shard_places_.final_norm, sizes_.width, to + weight_places_.final_norm);
  copy_columns(from + shard_places_.out, sizes_.width, config_.outputs, padded_outputs(), to + weight_places_.out,
               config_.outputs);
}

template void BaselineModel<float>::initialise(std::string_view, std::uint64_t, View<float, 1>) const;
template void BaselineModel<double>::initialise(std::string_view, std::uint64_t, View<double, 1>) const;
template void BaselineModel<float>::fold(View<const float, 1>, Folded<float>&) const;
template void BaselineModel<double>::fold(View<const double, 1>, Folded<double>&) const;
template void BaselineModel<float>::unfold(const Folded<float>&, std::span<GradientShard<float>* const>,
                                           View<float, 1>) const;
template void BaselineModel<double>::unfold(const Folded<double>&, std::span<GradientShard<double>* const>,
                                            View<double, 1>) const;

}  // namespace schemamem
