#pragma once

#include <cstddef>

#include "kernels/isa.h"
#include "models/baseline/mixer.h"
#include "models/mamba3/sizes.h"

namespace schemamem::mamba3 {

/// The calls of Mixer<T> with plain pointers: what crosses into the sources that are compiled per instruction set.
template <class T>
struct Forward {
  const AnySizes* sizes;
  const T* folded;
  const T* u;
  std::size_t u_row;  // distance of rows
  T* y;
  std::size_t y_row;
  std::size_t tokens;
  const T* state;  // or nullptr
  T* final_state;  // or nullptr
  T* const* tape;
  T* const* scratch;
  GateFloor<T> floor;
};

template <class T>
struct Backward {
  const AnySizes* sizes;
  const T* folded;
  const T* u;
  std::size_t u_row;
  const T* d_y;
  std::size_t d_y_row;
  T* d_u;
  std::size_t d_u_row;
  std::size_t tokens;
  T* shard;
  T* d_state;  // or nullptr
  T* const* tape;
  T* const* scratch;
  T stillness;
  const Segment* segments;
  std::size_t segment_count;
};

template <class T>
struct Advance {
  const AnySizes* sizes;
  const T* folded;
  const T* u;
  std::size_t u_row;
  T* y;
  std::size_t y_row;
  std::size_t tokens;
  T* state;
  T* work;
  GateFloor<T> floor;
};

template <class T>
struct Kernels {
  void (*forward)(const Forward<T>&);
  T (*backward)(const Backward<T>&);
  void (*advance)(const Advance<T>&);
};

/// The kernels of each instruction set, defined in published_*.isa.cpp and any_*.isa.cpp. The former know their sizes
/// and ignore those of a call.
template <Isa isa, class T>
Kernels<T> published_kernels();
template <Isa isa, class T>
Kernels<T> any_kernels();

}  // namespace schemamem::mamba3
