#include "stream/stream_reader.h"

#include <algorithm>
#include <utility>

#include "base/result.h"

namespace schemamem {

template <class T>
StreamReader<T>::StreamReader(const SequenceModel<T>& model, const Folded<T>& folded, MarkRule rule, Mode mode)
    : model_(&model), folded_(&folded), rule_(rule), scratch_(model.make_scratch()) {
  StreamState<T> state = model.empty_state();
  state.mode = mode;
  set_state(std::move(state));
}

template <class T>
void StreamReader<T>::push(View<const T, 2> rows, View<T, 2> logits) {
  if (rule_ == MarkRule::kNone) return push(StreamRows<T>{rows, {}}, logits);
  require(logits.extent(0) == rows.extent(0), "StreamReader: there is room for the outputs of every row");
  for (std::size_t first = 0; first < rows.extent(0); first += kPiece) {
    const std::size_t count = std::min(kPiece, rows.extent(0) - first);
    const auto marks = std::span(marks_).first(count);
    validity_marks<T>(rows.slice(first, count), model_->last_row(state_), marks);
    push(StreamRows<T>{rows.slice(first, count), marks}, logits.slice(first, count));
  }
}

template <class T>
void StreamReader<T>::push(const StreamRows<T>& rows, View<T, 2> logits) {
  model_->advance(*folded_, rows, state_, *scratch_, logits);
}

template <class T>
void StreamReader<T>::set_floor(double floor) {
  require(is_floor(floor), "StreamReader: a floor is at least 0 and below 1");
  state_.floor = floor;
}

template <class T>
void StreamReader<T>::reset() {
  model_->reset(state_);
  refresh();
}

template <class T>
void StreamReader<T>::follow(const StreamReader& other) {
  require(model_ == other.model_, "StreamReader: the other reads with another model");
  state_.mode = other.state_.mode;
  state_.floor = other.state_.floor;
  state_.counters = other.state_.counters;
  std::copy(other.state_.values.begin(), other.state_.values.end(), state_.values.begin());
  refresh();
}

template <class T>
void StreamReader<T>::refresh() {
  model_->refresh(*folded_, state_, *scratch_);
}

template <class T>
void StreamReader<T>::set_state(StreamState<T> state) {
  if (const auto fault = model_->fault(state)) throw ContractViolation("Stream: " + *fault);
  state_ = std::move(state);
  refresh();
}

template class StreamReader<float>;
template class StreamReader<double>;

}  // namespace schemamem
