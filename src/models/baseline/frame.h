#pragma once

#include <cstddef>

#include "kernels/isa.h"
#include "models/baseline/mixer.h"

namespace schemamem {

/// SwiGLU of one layer. Weights are [in, out]; gate and up are merged.
template <class T>
struct MlpForward {
  const T *gate_up, *down;     // [D, 2 H], [H, D]
  const T* z;                  // [T, D]
  T *gate_up_out, *activated;  // [T, 2 H], [T, H]
  T* y;                        // [T, D], added to
  std::size_t rows;
};
template <class T>
struct MlpBackward {
  const T *gate_up_t, *down_t;           // [2 H, D], [D, H]
  const T *z, *gate_up_out, *activated;  // of the forward call
  const T* d_y;                          // [T, D]
  T *d_activated, *d_gate_up_out;        // [T, H], [T, 2 H]: room
  T *d_z, *d_gate_up, *d_down;           // overwritten; added to; added to
  std::size_t rows;
};
/// D and H, multiples of 16: rows are whole vectors of every instruction set.
struct FrameSizes {
  std::size_t width;
  std::size_t hidden;  // zero: there is no SwiGLU

  /// Whether there are kernels that were compiled for these sizes.
  bool published() const { return width == kModelWidth && (hidden == 0 || hidden == kPublishedHidden); }
  static constexpr std::size_t kPublishedHidden = 16;
};

/// The vectorised steps of the frame around the mixers. Rows are D wide and follow each other without gaps. Kernels for
/// the published sizes know them without looking at `sizes`.
template <class T>
struct FrameKernels {
  /// h = x w + bias; x is [T, inputs].
  void (*embed)(FrameSizes sizes, const T* x, const T* w, const T* bias, std::size_t rows, std::size_t inputs, T* h);
  void (*embed_backward)(FrameSizes sizes, const T* x, const T* d_h, std::size_t rows, std::size_t inputs, T* d_w,
                         T* d_bias);
  void (*norm)(FrameSizes sizes, const T* x, const T* gain, T epsilon, std::size_t rows, T* y, T* inverse);
  /// d_x and d_gain are added to.
  void (*norm_backward)(FrameSizes sizes, const T* x, const T* gain, const T* inverse, const T* d_y, std::size_t rows,
                        T* d_x, T* d_gain);
  void (*mlp)(FrameSizes sizes, const MlpForward<T>& call);
  void (*mlp_backward)(FrameSizes sizes, const MlpBackward<T>& call);
  /// logits = x w; `padded` columns, a multiple of kOutputPadding.
  void (*read_out)(FrameSizes sizes, const T* x, const T* w, std::size_t rows, std::size_t padded, T* logits);
  /// d_x is overwritten, d_w added to.
  void (*read_out_backward)(FrameSizes sizes, const T* x, const T* w_t, const T* d_logits, std::size_t rows,
                            std::size_t padded, T* d_x, T* d_w);
};
/// Columns of the output projection come in whole vectors of any instruction set.
inline constexpr std::size_t kOutputPadding = 16;

/// `general` asks for the kernels that take any sizes even where fixed ones exist.
template <class T>
FrameKernels<T> frame_kernels_for(FrameSizes sizes, Isa isa, bool general);

/// Those of each instruction set, defined in frame.isa.cpp.
template <Isa isa, class T>
FrameKernels<T> published_frame_kernels();
template <Isa isa, class T>
FrameKernels<T> any_frame_kernels();

}  // namespace schemamem
