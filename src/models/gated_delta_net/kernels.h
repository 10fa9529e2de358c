#pragma once

#include "kernels/isa.h"
#include "models/gated_delta_net/sizes.h"

namespace schemamem::gdn {

/// The mixer's arithmetic, compiled once per instruction set, scalar type and kind of sizes. Kernels for the published
/// sizes know them without looking at `sizes`.
template <class T>
struct Kernels {
  void (*forward)(const AnySizes& sizes, const MixerForward<T>& call);
  T (*backward)(const AnySizes& sizes, const MixerBackward<T>& call);
  /// The call's one block holds stream_work(sizes) elements.
  void (*advance)(const AnySizes& sizes, const MixerAdvance<T>& call);
};

constexpr std::size_t stream_work(const AnySizes& s) { return kStreamRows * (s.columns + s.inner) + s.mixed; }

/// Those of each instruction set, defined in published.isa.cpp and any_*.isa.cpp.
template <Isa isa, class T>
Kernels<T> published_kernels();
template <Isa isa, class T>
Kernels<T> any_kernels();

}  // namespace schemamem::gdn
