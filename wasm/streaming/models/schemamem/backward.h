#pragma once

// Stands before src/models/schemamem/backward.h in the module, which never trains.

#include "base/result.h"
#include "models/schemamem/maps.h"

namespace schemamem::SCHEMAMEM_ISA {

template <class T, class Shape>
T Engine<T, Shape>::backward(const Folded<T>&, Tape<T>&, View<const T, 2>, T, GradientShard<T>&,
                             const EpisodeGradients<T>&) const {
  throw ContractViolation("this module only streams");
}

}  // namespace schemamem::SCHEMAMEM_ISA
