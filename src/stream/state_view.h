#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "models/model.h"

namespace schemamem {

/// A slot holds something when one of its phases is turned by at least this many radians from zero: far more than the
/// published models' questions turn it, and a fifth of what one write does.
inline constexpr double kHeldTurn = 0.005;

/// What one place of a layer's memory holds: a slot of phases, or the matrix of a head.
struct HeldPlace {
  double depth = 0;       // of a slot: its largest turn from zero, in radians; of a matrix: its norm
  double change = 0;      // the same of the difference to an earlier state
  double directions = 0;  // of a matrix: its squared norm over that of its largest singular value
};

/// One tensor of a layer's memory, place by place.
struct HeldLayer {
  std::string name;     // "layers.0.phase"
  bool phases = false;  // places are slots, in radians; else heads
  std::vector<HeldPlace> places;
};

/// The tensors of a state that are a model's memory, layer by layer: its phases, or, for a model without, its matrices.
std::vector<const TensorSpec*> held_tensors(const Layout& state);
/// What waits to be committed to a tensor of phases; null where nothing does.
const TensorSpec* pending_of(const Layout& state, const TensorSpec& phases);

/// What a state holds, layer by layer: slots of phases with what waits to be committed to them, or, for a model
/// without, its matrices. `before` is an earlier state of the same model, or null.
template <class T>
std::vector<HeldLayer> look_inside(const SequenceModel<T>& model, const StreamState<T>& state,
                                   const StreamState<T>* before = nullptr);

}  // namespace schemamem
