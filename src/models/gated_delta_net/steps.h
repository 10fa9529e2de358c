#pragma once

#include "models/gated_delta_net/sizes.h"

namespace schemamem::gdn {

/// The vectorised steps of the mixer, one set for each instruction set.
template <class T>
struct Kernels {
  void (*forward)(const MixerForward<T>& call);
  T (*backward)(const MixerBackward<T>& call);
  /// `work` holds kStreamWork elements.
  void (*advance)(const T* folded, const T* u, std::size_t tokens, T* state, T* work, T* y);
};

inline constexpr std::size_t kStreamWork = kStreamRows * (kColumns + kInner) + kMixed;

}  // namespace schemamem::gdn

#if defined(SCHEMAMEM_ISA)
namespace schemamem::SCHEMAMEM_ISA {

template <class T>
void gdn_forward(const MixerForward<T>& call);
template <class T>
T gdn_backward(const MixerBackward<T>& call);
template <class T>
void gdn_advance(const T* folded, const T* u, std::size_t tokens, T* state, T* work, T* y);

}  // namespace schemamem::SCHEMAMEM_ISA
#endif
