#include "models/baseline/frame.h"

#include "kernels/product.h"
#include "kernels/rms_norm.h"
#include "kernels/swiglu.h"

namespace schemamem::SCHEMAMEM_ISA {

namespace {

constexpr Fixed<kModelWidth> kWide{};
constexpr Fixed<kMlpHidden> kHidden{};
constexpr Fixed<2 * kMlpHidden> kGateUp{};

template <class T>
void embed(const T* x, const T* w, const T* bias, std::size_t rows, std::size_t inputs, T* h) {
  for (std::size_t t = 0; t < rows; ++t) {
    for (std::size_t j = 0; j < kWide; j += kLanes<T>) store<T>(h + t * kWide + j, load<T>(bias + j));
  }
  multiply_onto<T>({x, inputs, 1}, {w, kWide}, h, kWide, rows, kWide, inputs);
}

template <class T>
void embed_backward(const T* x, const T* d_h, std::size_t rows, std::size_t inputs, T* d_w, T* d_bias) {
  multiply_onto<T>({x, 1, inputs}, {d_h, kWide}, d_w, kWide, inputs, kWide, rows);
  for (std::size_t j = 0; j < kWide; j += kLanes<T>) {
    Vec<T> sum = load<T>(d_bias + j);
    for (std::size_t t = 0; t < rows; ++t) sum += load<T>(d_h + t * kWide + j);
    store<T>(d_bias + j, sum);
  }
}

template <class T>
void norm(const T* x, const T* gain, T epsilon, std::size_t rows, T* y, T* inverse) {
  rms_norm_forward<T>(x, gain, y, inverse, rows, kModelWidth, kWide, epsilon);
}
template <class T>
void norm_backward(const T* x, const T* gain, const T* inverse, const T* d_y, std::size_t rows, T* d_x, T* d_gain) {
  rms_norm_backward<T>(x, gain, inverse, d_y, d_x, d_gain, rows, kModelWidth, kWide);
}

template <class T>
void mlp(const MlpForward<T>& c) {
  multiply<T>({c.z, kWide, 1}, {c.gate_up, kGateUp}, c.gate_up_out, kGateUp, c.rows, kGateUp, kWide);
  swiglu_forward<T>(c.gate_up_out, c.activated, c.rows, kHidden);
  multiply_onto<T>({c.activated, kHidden, 1}, {c.down, kWide}, c.y, kWide, c.rows, kWide, kHidden);
}
template <class T>
void mlp_backward(const MlpBackward<T>& c) {
  multiply<T>({c.d_y, kWide, 1}, {c.down_t, kHidden}, c.d_activated, kHidden, c.rows, kHidden, kWide);
  multiply_onto<T>({c.activated, 1, kHidden}, {c.d_y, kWide}, c.d_down, kWide, kHidden, kWide, c.rows);
  swiglu_backward<T>(c.gate_up_out, c.d_activated, c.d_gate_up_out, c.rows, kHidden);
  multiply_onto<T>({c.z, 1, kWide}, {c.d_gate_up_out, kGateUp}, c.d_gate_up, kGateUp, kWide, kGateUp, c.rows);
  multiply<T>({c.d_gate_up_out, kGateUp, 1}, {c.gate_up_t, kWide}, c.d_z, kWide, c.rows, kWide, kGateUp);
}

template <class T>
void read_out(const T* x, const T* w, std::size_t rows, std::size_t padded, T* logits) {
  multiply<T>({x, kWide, 1}, {w, padded}, logits, padded, rows, padded, kWide);
}
template <class T>
void read_out_backward(const T* x, const T* w_t, const T* d_logits, std::size_t rows, std::size_t padded, T* d_x,
                       T* d_w) {
  multiply<T>({d_logits, padded, 1}, {w_t, kWide}, d_x, kWide, rows, kWide, padded);
  multiply_onto<T>({x, 1, kWide}, {d_logits, padded}, d_w, padded, kWide, padded, rows);
}

}  // namespace

template <class T>
FrameKernels<T> frame_kernels() {
  return {.embed = &embed<T>,
          .embed_backward = &embed_backward<T>,
          .norm = &norm<T>,
          .norm_backward = &norm_backward<T>,
          .mlp = &mlp<T>,
          .mlp_backward = &mlp_backward<T>,
          .read_out = &read_out<T>,
          .read_out_backward = &read_out_backward<T>};
}
template FrameKernels<float> frame_kernels<float>();
template FrameKernels<double> frame_kernels<double>();

}  // namespace schemamem::SCHEMAMEM_ISA
