#include "models/baseline/frame.h"

#include <string>

namespace schemamem {

namespace isa_scalar {
template <class T>
FrameKernels<T> frame_kernels();
}
namespace isa_baseline {
template <class T>
FrameKernels<T> frame_kernels();
}
namespace isa_neon {
template <class T>
FrameKernels<T> frame_kernels();
}
namespace isa_avx2 {
template <class T>
FrameKernels<T> frame_kernels();
}
namespace isa_avx512 {
template <class T>
FrameKernels<T> frame_kernels();
}

template <class T>
FrameKernels<T> frame_kernels_for(Isa isa) {
#if defined(SCHEMAMEM_HAS_scalar)
  if (isa == Isa::kScalar) return isa_scalar::frame_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_baseline)
  if (isa == Isa::kBaseline) return isa_baseline::frame_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_neon)
  if (isa == Isa::kNeon) return isa_neon::frame_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_avx2)
  if (isa == Isa::kAvx2) return isa_avx2::frame_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_avx512)
  if (isa == Isa::kAvx512) return isa_avx512::frame_kernels<T>();
#endif
  throw ContractViolation("frame_kernels_for: this binary has no kernels for " + std::string(isa_name(isa)));
}
template FrameKernels<float> frame_kernels_for<float>(Isa);
template FrameKernels<double> frame_kernels_for<double>(Isa);

}  // namespace schemamem
