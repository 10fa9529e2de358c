#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "models/model.h"

namespace schemamem {

/// What rows of an episode did to the memory of one layer, in the measure that a floor is in (docs/design.md, "Floor").
struct MemoryChange {
  std::size_t layer = 0;
  std::size_t step = 0;   // changes of one step happen together: those of a chunk, or of a row
  bool reads = false;     // the rows only ask
  std::string_view kind;  // "increment" of SchemaMem, "write gate" and "forget gate" of the baselines
  std::vector<double> sizes{};
};

/// The changes of one recurrent episode, in order. An episode has marks; its floor does not matter.
template <class T>
std::vector<MemoryChange> memory_changes(const SequenceModel<T>& model, const Folded<T>& folded,
                                         const Episode<T>& episode);

}  // namespace schemamem
