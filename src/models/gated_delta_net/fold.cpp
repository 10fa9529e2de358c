#include "models/gated_delta_net/fold.h"

#include <algorithm>
#include <cmath>

namespace schemamem::gdn {

// The official projections are contiguous and in the order of the merged columns, so that row `column` of the merged
// [columns, D] matrix is row `column` of the weights.
static_assert(Weights(PublishedSizes::kAny).q_conv == PublishedSizes::kAny.projected * PublishedSizes::kAny.width);

template <class T>
void fold(const AnySizes& s, const T* weights, T* folded) {
  const Weights from(s);
  const Folded to(s);
  std::fill_n(folded, to.size, T(0));
  for (std::size_t column = 0; column < s.projected; ++column) {
    for (std::size_t i = 0; i < s.width; ++i) {
      const T w = weights[column * s.width + i];
      folded[to.in + i * s.columns + column] = w;
      folded[to.in_t + column * s.width + i] = w;
    }
  }
  for (std::size_t channel = 0; channel < s.mixed; ++channel) {
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      folded[to.taps + tap * s.mixed + channel] = weights[from.q_conv + channel * kTaps + tap];
    }
  }
  for (std::size_t h = 0; h < s.heads; ++h) {
    folded[to.dt_bias + h] = weights[from.dt_bias + h];
    folded[to.rate + h] = std::exp(weights[from.a_log + h]);
    std::copy_n(weights + from.o_norm, s.head, folded + to.o_norm + h * s.head);
  }
  for (std::size_t i = 0; i < s.width; ++i) {
    for (std::size_t j = 0; j < s.inner; ++j) {
      const T w = weights[from.o_proj + i * s.inner + j];
      folded[to.out_t + i * s.inner + j] = w;
      folded[to.out + j * s.width + i] = w;
    }
  }
}

template <class T>
void unfold(const AnySizes& s, const T* shard, T* d_weights) {
  const Shard from(s);
  const Weights to(s);
  for (std::size_t column = 0; column < s.projected; ++column) {
    for (std::size_t i = 0; i < s.width; ++i) {
      d_weights[column * s.width + i] = shard[from.in + i * s.columns + column];
    }
  }
  for (std::size_t channel = 0; channel < s.mixed; ++channel) {
    for (std::size_t tap = 0; tap < kTaps; ++tap) {
      d_weights[to.q_conv + channel * kTaps + tap] = shard[from.taps + tap * s.mixed + channel];
    }
  }
  for (std::size_t h = 0; h < s.heads; ++h) {
    d_weights[to.a_log + h] = shard[from.a_log + h];
    d_weights[to.dt_bias + h] = shard[from.dt_bias + h];
  }
  std::copy_n(shard + from.o_norm, s.head, d_weights + to.o_norm);
  for (std::size_t h = 1; h < s.heads; ++h) {
    for (std::size_t j = 0; j < s.head; ++j) d_weights[to.o_norm + j] += shard[from.o_norm + h * s.head + j];
  }
  for (std::size_t i = 0; i < s.width; ++i) {
    for (std::size_t j = 0; j < s.inner; ++j) {
      d_weights[to.o_proj + i * s.inner + j] = shard[from.out + j * s.width + i];
    }
  }
}

template void fold<float>(const AnySizes&, const float*, float*);
template void fold<double>(const AnySizes&, const double*, double*);
template void unfold<float>(const AnySizes&, const float*, float*);
template void unfold<double>(const AnySizes&, const double*, double*);

}  // namespace schemamem::gdn
