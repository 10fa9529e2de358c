#include "models/model.h"

namespace schemamem {

// Out of line, so that the code belongs to no instruction set in particular.
template <class T>
Folded<T>::~Folded() = default;
template <class T>
Tape<T>::~Tape() = default;
template <class T>
GradientShard<T>::~GradientShard() = default;
template <class T>
SequenceModel<T>::~SequenceModel() = default;

template struct Folded<float>;
template struct Folded<double>;
template struct Tape<float>;
template struct Tape<double>;
template struct GradientShard<float>;
template struct GradientShard<double>;
template class SequenceModel<float>;
template class SequenceModel<double>;

}  // namespace schemamem
