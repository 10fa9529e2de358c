#pragma once

#include "kernels/vector_math.h"

namespace schemamem::SCHEMAMEM_ISA {

/// act = silu(gate) * up with silu(z) = z / (1 + e^-z). `gate_up` holds [gate | up] in each row, both `hidden` wide
/// (a multiple of the lanes).
template <class T, class Hidden>
[[gnu::always_inline]] inline void swiglu_forward(const T* gate_up, T* act, std::size_t rows, Hidden hidden) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < hidden; j += kLanes<T>) {
      const Vec<T> gate = load<T>(gate_up + t * 2 * hidden + j);
      const Vec<T> up = load<T>(gate_up + t * 2 * hidden + hidden + j);
      store<T>(act + t * hidden + j, gate * sigmoid<T>(gate) * up);
    }
  }
}

/// d_gate = d_act up silu'(gate), d_up = d_act silu(gate), with silu'(z) = s (1 + z (1 - s)), s = sigmoid(z).
/// `d_gate_up` is overwritten.
template <class T, class Hidden>
[[gnu::always_inline]] inline void swiglu_backward(const T* gate_up, const T* d_act, T* d_gate_up, std::size_t rows,
                                                   Hidden hidden) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < hidden; j += kLanes<T>) {
      const Vec<T> gate = load<T>(gate_up + t * 2 * hidden + j);
      const Vec<T> up = load<T>(gate_up + t * 2 * hidden + hidden + j);
      const Vec<T> upstream = load<T>(d_act + t * hidden + j);
      const Vec<T> s = sigmoid<T>(gate);
      store<T>(d_gate_up + t * 2 * hidden + j, upstream * up * s * (T(1) + gate * (T(1) - s)));
      store<T>(d_gate_up + t * 2 * hidden + hidden + j, upstream * gate * s);
    }
  }
}

}  // namespace schemamem::SCHEMAMEM_ISA
