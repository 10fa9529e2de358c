#include "models/baseline/frame.h"

#include "kernels/product.h"
#include "kernels/rms_norm.h"
#include "kernels/swiglu.h"

namespace schemamem::SCHEMAMEM_ISA {

/// The published sizes, known to the compiler.
struct PublishedFrame {
  static constexpr Fixed<kModelWidth> width{};
  static constexpr Fixed<FrameSizes::kPublishedHidden> hidden{};

  [[gnu::always_inline]] explicit PublishedFrame(FrameSizes /*the same*/) {}
};

template <class T, class Sizes>
struct Frame {
  static void embed(FrameSizes sizes, const T* x, const T* w, const T* bias, std::size_t rows, std::size_t inputs,
                    T* h) {
    const Sizes s(sizes);
    for (std::size_t t = 0; t < rows; ++t) {
      for (std::size_t j = 0; j < s.width; j += kLanes<T>) store<T>(h + t * s.width + j, load<T>(bias + j));
    }
    multiply_onto<T>({x, inputs, 1}, {w, s.width}, h, s.width, rows, s.width, inputs);
  }

  static void embed_backward(FrameSizes sizes, const T* x, const T* d_h, std::size_t rows, std::size_t inputs, T* d_w,
                             T* d_bias) {
    const Sizes s(sizes);
    multiply_onto<T>({x, 1, inputs}, {d_h, s.width}, d_w, s.width, inputs, s.width, rows);
    for (std::size_t j = 0; j < s.width; j += kLanes<T>) {
      Vec<T> sum = load<T>(d_bias + j);
      for (std::size_t t = 0; t < rows; ++t) sum += load<T>(d_h + t * s.width + j);
      store<T>(d_bias + j, sum);
    }
  }

  static void norm(FrameSizes sizes, const T* x, const T* gain, T epsilon, std::size_t rows, T* y, T* inverse) {
    const Sizes s(sizes);
    rms_norm_forward<T>(x, gain, y, inverse, rows, s.width, s.width, epsilon);
  }
  static void norm_backward(FrameSizes sizes, const T* x, const T* gain, const T* inverse, const T* d_y,
                            std::size_t rows, T* d_x, T* d_gain) {
    const Sizes s(sizes);
    rms_norm_backward<T>(x, gain, inverse, d_y, d_x, d_gain, rows, s.width, s.width);
  }

  static void mlp(FrameSizes sizes, const MlpForward<T>& c) {
    const Sizes s(sizes);
    const auto gate_up = times<2>(s.hidden);
    multiply<T>({c.z, s.width, 1}, {c.gate_up, gate_up}, c.gate_up_out, gate_up, c.rows, gate_up, s.width);
    swiglu_forward<T>(c.gate_up_out, c.activated, c.rows, s.hidden);
    multiply_onto<T>({c.activated, s.hidden, 1}, {c.down, s.width}, c.y, s.width, c.rows, s.width, s.hidden);
  }
  static void mlp_backward(FrameSizes sizes, const MlpBackward<T>& c) {
    const Sizes s(sizes);
    const auto gate_up = times<2>(s.hidden);
    multiply<T>({c.d_y, s.width, 1}, {c.down_t, s.hidden}, c.d_activated, s.hidden, c.rows, s.hidden, s.width);
    multiply_onto<T>({c.activated, 1, s.hidden}, {c.d_y, s.width}, c.d_down, s.width, s.hidden, s.width, c.rows);
    swiglu_backward<T>(c.gate_up_out, c.d_activated, c.d_gate_up_out, c.rows, s.hidden);
    multiply_onto<T>({c.z, 1, s.width}, {c.d_gate_up_out, gate_up}, c.d_gate_up, gate_up, s.width, gate_up, c.rows);
    multiply<T>({c.d_gate_up_out, gate_up, 1}, {c.gate_up_t, s.width}, c.d_z, s.width, c.rows, s.width, gate_up);
  }

  static void read_out(FrameSizes sizes, const T* x, const T* w, std::size_t rows, std::size_t padded, T* logits) {
    const Sizes s(sizes);
    multiply<T>({x, s.width, 1}, {w, padded}, logits, padded, rows, padded, s.width);
  }
  static void read_out_backward(FrameSizes sizes, const T* x, const T* w_t, const T* d_logits, std::size_t rows,
                                std::size_t padded, T* d_x, T* d_w) {
    const Sizes s(sizes);
    multiply<T>({d_logits, padded, 1}, {w_t, s.width}, d_x, s.width, rows, s.width, padded);
    multiply_onto<T>({x, 1, s.width}, {d_logits, padded}, d_w, padded, s.width, padded, rows);
  }

  static constexpr FrameKernels<T> table() {
    return {.embed = &embed,
            .embed_backward = &embed_backward,
            .norm = &norm,
            .norm_backward = &norm_backward,
            .mlp = &mlp,
            .mlp_backward = &mlp_backward,
            .read_out = &read_out,
            .read_out_backward = &read_out_backward};
  }
};

}  // namespace schemamem::SCHEMAMEM_ISA

namespace schemamem {

template <>
FrameKernels<float> published_frame_kernels<SCHEMAMEM_ISA::kThisIsa, float>() {
  return SCHEMAMEM_ISA::Frame<float, SCHEMAMEM_ISA::PublishedFrame>::table();
}
template <>
FrameKernels<double> published_frame_kernels<SCHEMAMEM_ISA::kThisIsa, double>() {
  return SCHEMAMEM_ISA::Frame<double, SCHEMAMEM_ISA::PublishedFrame>::table();
}
template <>
FrameKernels<float> any_frame_kernels<SCHEMAMEM_ISA::kThisIsa, float>() {
  return SCHEMAMEM_ISA::Frame<float, FrameSizes>::table();
}
template <>
FrameKernels<double> any_frame_kernels<SCHEMAMEM_ISA::kThisIsa, double>() {
  return SCHEMAMEM_ISA::Frame<double, FrameSizes>::table();
}

}  // namespace schemamem
