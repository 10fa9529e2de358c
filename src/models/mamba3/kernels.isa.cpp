#include "models/mamba3/kernels.h"

#include "models/mamba3/backward.h"
#include "models/mamba3/forward.h"
#include "models/mamba3/stream.h"

namespace schemamem::SCHEMAMEM_ISA {

template <class T>
mamba3::Kernels<T> mamba3_kernels() {
  return {.forward = mamba3_forward<T>, .backward = mamba3_backward<T>, .advance = mamba3_advance<T>};
}
template mamba3::Kernels<float> mamba3_kernels<float>();
template mamba3::Kernels<double> mamba3_kernels<double>();

}  // namespace schemamem::SCHEMAMEM_ISA
