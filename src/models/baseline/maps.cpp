#include <algorithm>

#include "models/baseline/memory.h"

// The maps into and out of the layers: H_0 = x W_in + b, or a row of the table W_in for a symbol; logits = RMSNorm(H)
// W_out. A bare stack has neither: rows go in and come out as they are.

namespace schemamem {

template <class T>
void BaselineModel<T>::read_in(const T* folded, Memory& memory, View<const T, 2> x, T* h) const {
  const std::size_t rows = x.extent(0), width = sizes_.width, given = config_.row_width();
  const T* const table = folded + folded_places_.in;
  const T* const bias = folded + folded_places_.bias;
  if (!config_.maps) {
    for (std::size_t t = 0; t < rows; ++t) std::copy_n(x[t].begin(), width, h + t * width);
    return;
  }
  for (std::size_t t = 0; t < rows; ++t) std::copy_n(x[t].begin(), given, memory.x + t * given);
  if (!config_.symbols) {
    kernels_.embed(sizes_, memory.x, table, bias, rows, config_.inputs, h);
    return;
  }
  for (std::size_t t = 0; t < rows; ++t) {
    const T* const entry = table + static_cast<std::size_t>(memory.x[t]) * width;
    for (std::size_t j = 0; j < width; ++j) h[t * width + j] = entry[j] + bias[j];
  }
}

template <class T>
void BaselineModel<T>::read_in_backward(const T* folded, const Memory& memory, View<T, 2> d_x, T* shard) const {
  const std::size_t rows = memory.tokens, width = sizes_.width;
  const T* const table = folded + folded_places_.in;
  for (std::size_t t = 0; t < d_x.extent(0); ++t) {
    const T* const d_h = memory.d_h + t * width;
    for (std::size_t i = 0; i < d_x.extent(1); ++i) {
      T sum = 0;
      for (std::size_t j = 0; config_.maps && j < width; ++j) sum += d_h[j] * table[i * width + j];
      d_x(t, i) = config_.maps ? sum : d_h[i];
    }
  }
  if (!config_.maps) return;
  T* const d_table = shard + shard_places_.in;
  T* const d_bias = shard + shard_places_.bias;
  if (!config_.symbols) {
    kernels_.embed_backward(sizes_, memory.x, memory.d_h, rows, config_.inputs, d_table, d_bias);
    return;
  }
  for (std::size_t t = 0; t < rows; ++t) {
    T* const d_entry = d_table + static_cast<std::size_t>(memory.x[t]) * width;
    for (std::size_t j = 0; j < width; ++j) {
      d_entry[j] += memory.d_h[t * width + j];
      d_bias[j] += memory.d_h[t * width + j];
    }
  }
}

template <class T>
void BaselineModel<T>::read_out(const T* folded, Memory& memory, std::size_t rows, View<T, 2> logits) const {
  const std::size_t padded = padded_outputs(), width = sizes_.width;
  const std::size_t answers = memory.answers.empty() ? rows : memory.answers.size();
  if (config_.maps) {
    kernels_.norm(sizes_, memory.end, folded + folded_places_.final_norm, mixer_->norm_epsilon(), rows, memory.normed,
                  memory.inverse);
  }
  const T* out = config_.maps ? memory.normed : memory.end;
  if (!memory.answers.empty()) {
    for (std::size_t i = 0; i < answers; ++i)
      std::copy_n(out + memory.answers[i] * width, width, memory.answered + i * width);
    out = memory.answered;
  }
  if (!config_.maps) {
    for (std::size_t i = 0; i < answers; ++i) std::copy_n(out + i * width, width, logits[i].begin());
    return;
  }
  kernels_.read_out(sizes_, out, folded + folded_places_.out, answers, padded, memory.logits);
  for (std::size_t i = 0; i < answers; ++i) std::copy_n(memory.logits + i * padded, config_.outputs, logits[i].begin());
}

template <class T>
void BaselineModel<T>::read_out_backward(const T* folded, Memory& memory, View<const T, 2> d_logits, T* shard) const {
  const std::size_t rows = memory.tokens, width = sizes_.width, padded = padded_outputs();
  const std::size_t answers = d_logits.extent(0);
  const bool all = memory.answers.empty();
  std::fill_n(memory.d_h, rows * width, T(0));
  if (!config_.maps) {
    for (std::size_t i = 0; i < answers; ++i)
      std::copy_n(d_logits[i].begin(), width, memory.d_h + (all ? i : memory.answers[i]) * width);
    return;
  }
  for (std::size_t i = 0; i < answers; ++i) {
    std::copy_n(d_logits[i].begin(), config_.outputs, memory.logits + i * padded);
    std::fill_n(memory.logits + i * padded + config_.outputs, padded - config_.outputs, T(0));
  }
  kernels_.read_out_backward(sizes_, all ? memory.normed : memory.answered, folded + folded_places_.out_t,
                             memory.logits, answers, padded, all ? memory.d_u : memory.d_answered,
                             shard + shard_places_.out);
  if (!all) {
    std::fill_n(memory.d_u, rows * width, T(0));
    for (std::size_t i = 0; i < answers; ++i)
      std::copy_n(memory.d_answered + i * width, width, memory.d_u + memory.answers[i] * width);
  }
  kernels_.norm_backward(sizes_, memory.end, folded + folded_places_.final_norm, memory.inverse, memory.d_u, rows,
                         memory.d_h, shard + shard_places_.final_norm);
}

template class BaselineModel<float>;
template class BaselineModel<double>;

}  // namespace schemamem
