#include "models/gated_delta_net/fold.h"

#include <algorithm>
#include <cmath>

namespace schemamem::gdn {

namespace {

/// The official projections are contiguous and in the order of the merged columns, so that row `column` of the merged
/// [columns, D] matrix is row `column` of the weights.
constexpr std::size_t kProjected = kMixed + kInner + 2 * kHeads;
static_assert(Weights::q_conv == kProjected * kModelWidth);

}  // namespace

template <class T>
void fold(const T* weights, T* folded) {
  std::fill_n(folded, Folded::size, T(0));
  for (std::size_t column = 0; column < kProjected; ++column) {
    for (std::size_t i = 0; i < kModelWidth; ++i) {
      const T w = weights[column * kModelWidth + i];
      folded[Folded::in + i * kColumns + column] = w;
      folded[Folded::in_t + column * kModelWidth + i] = w;
    }
  }
  for (std::size_t channel = 0; channel < kMixed; ++channel) {
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      folded[Folded::taps + tap * kMixed + channel] = weights[Weights::q_conv + channel * kTaps + tap];
    }
  }
  for (std::size_t h = 0; h < kHeads; ++h) {
    folded[Folded::dt_bias + h] = weights[Weights::dt_bias + h];
    folded[Folded::rate + h] = std::exp(weights[Weights::a_log + h]);
    std::copy_n(weights + Weights::o_norm, kHead, folded + Folded::o_norm + h * kHead);
  }
  for (std::size_t i = 0; i < kModelWidth; ++i) {
    for (std::size_t j = 0; j < kInner; ++j) {
      const T w = weights[Weights::o_proj + i * kInner + j];
      folded[Folded::out_t + i * kInner + j] = w;
      folded[Folded::out + j * kModelWidth + i] = w;
    }
  }
}

template <class T>
void unfold(const T* shard, T* d_weights) {
  for (std::size_t column = 0; column < kProjected; ++column) {
    for (std::size_t i = 0; i < kModelWidth; ++i) {
      d_weights[column * kModelWidth + i] = shard[Shard::in + i * kColumns + column];
    }
  }
  for (std::size_t channel = 0; channel < kMixed; ++channel) {
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      d_weights[Weights::q_conv + channel * kTaps + tap] = shard[Shard::taps + tap * kMixed + channel];
    }
  }
  for (std::size_t h = 0; h < kHeads; ++h) {
    d_weights[Weights::a_log + h] = shard[Shard::a_log + h];
    d_weights[Weights::dt_bias + h] = shard[Shard::dt_bias + h];
  }
  for (std::size_t j = 0; j < kHead; ++j) {
    d_weights[Weights::o_norm + j] = shard[Shard::o_norm + j] + shard[Shard::o_norm + kHead + j];
  }
  for (std::size_t i = 0; i < kModelWidth; ++i) {
    for (std::size_t j = 0; j < kInner; ++j) {
      d_weights[Weights::o_proj + i * kInner + j] = shard[Shard::out + j * kModelWidth + i];
    }
  }
}

template void fold<float>(const float*, float*);
template void fold<double>(const double*, double*);
template void unfold<float>(const float*, float*);
template void unfold<double>(const double*, double*);

}  // namespace schemamem::gdn
