#include "models/baseline/frame.h"

#include "kernels/dispatch.h"

namespace schemamem {

template <class T>
FrameKernels<T> frame_kernels_for(FrameSizes sizes, Isa isa, bool general) {
  return dispatch(isa, [&](auto chosen) {
    const bool fixed = sizes.published() && !general;
    return fixed ? published_frame_kernels<chosen.value, T>() : any_frame_kernels<chosen.value, T>();
  });
}
template FrameKernels<float> frame_kernels_for<float>(FrameSizes, Isa, bool);
template FrameKernels<double> frame_kernels_for<double>(FrameSizes, Isa, bool);

}  // namespace schemamem
