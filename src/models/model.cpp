#include "models/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace schemamem {

std::string_view mode_name(Mode mode) {
  switch (mode) {
    case Mode::kFullHistory:
      return "full-history";
    case Mode::kAblated:
      return "ablated";
    case Mode::kRecurrent:
      break;
  }
  return "recurrent";
}

std::optional<Mode> mode_from_name(std::string_view name) {
  for (const Mode mode : {Mode::kRecurrent, Mode::kFullHistory, Mode::kAblated}) {
    if (mode_name(mode) == name) return mode;
  }
  return std::nullopt;
}

template <class T>
std::optional<std::string> SequenceModel<T>::fault(const StreamState<T>& s) const {
  if (s.values.size() != state().size())
    return fmt::format("expected {} numbers, found {}", state().size(), s.values.size());
  if (s.mode != Mode::kRecurrent)
    return fmt::format("a stream of {} is recurrent, not {}", config().name, mode_name(s.mode));
  return fault_in_numbers(s);
}

template <class T>
std::optional<std::string> SequenceModel<T>::fault_in_numbers(const StreamState<T>& s) const {
  for (const TensorSpec& tensor : state().tensors()) {
    for (std::size_t i = 0; i < tensor.size; ++i) {
      const T value = s.values[tensor.offset + i];
      if (!std::isfinite(value))
        return fmt::format("{}: element {} is {}, expected a finite number", tensor.name, i, value);
    }
  }
  if (!is_floor(s.floor)) return fmt::format("the floor is {}, expected at least 0 and below 1", s.floor);
  if (s.counters[0] < 0 || s.counters[0] > kMostTokens)
    return fmt::format("counter tokens is {}, expected 0 to {}", s.counters[0], kMostTokens);
  for (std::size_t i = counter_names().size(); i < s.counters.size(); ++i) {
    if (s.counters[i] != 0) return fmt::format("counter {} has no meaning and is {}, expected 0", i, s.counters[i]);
  }
  return std::nullopt;
}

// Out of line, so that the code belongs to no instruction set in particular.
template <class T>
Folded<T>::~Folded() = default;
template <class T>
Tape<T>::~Tape() = default;
template <class T>
GradientShard<T>::~GradientShard() = default;
template <class T>
void GradientShard<T>::clear() {
  const std::span<T> all = numbers();
  std::fill(all.begin(), all.end(), T(0));
}
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
