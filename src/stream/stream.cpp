#include "stream/stream.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stream/state_file.h"

namespace schemamem {
namespace {

/// A number that is not finite would stay in the memory for good.
template <class T>
bool all_finite(View<const T, 2> rows) {
  for (std::size_t t = 0; t < rows.extent(0); ++t) {
    const View<const T, 1> row = rows[t];
    if (!std::all_of(row.begin(), row.end(), [](T value) { return std::isfinite(value); })) return false;
  }
  return true;
}

template <class T>
StreamState<T> empty_state(const LoadedModel<T>& model, Mode mode) {
  StreamState<T> state = model.model().empty_state();
  state.mode = mode;
  return state;
}

}  // namespace

template <class T>
Stream<T>::Stream(SharedModel model, Mode mode) : model_(std::move(model)) {
  require(model_ != nullptr, "Stream: a stream has a model");
  scratch_ = model_->model().make_scratch();
  logits_ = Buffer<T>(model_->model().config().outputs);
  set_state(empty_state(*model_, mode));
}

template <class T>
Result<Stream<T>> Stream<T>::open(const std::filesystem::path& path, SharedModel model) {
  Stream stream(std::move(model));
  if (const Status loaded = stream.load(path); !loaded) return loaded.error();
  return stream;
}

template <class T>
std::span<const T> Stream<T>::push(std::span<const T> row) {
  push({row.data(), {1, row.size()}}, {logits_.data(), {1, logits_.size()}});
  return std::as_const(logits_).span();
}

template <class T>
void Stream<T>::push(View<const T, 2> rows, View<T, 2> logits) {
  require(all_finite(rows), "Stream::push: every number of a row is finite");
  model_->model().advance(model_->folded(), rows, state_, *scratch_, logits);
}

template <class T>
void Stream<T>::reset() {
  model_->model().reset(state_);
  model_->model().refresh(model_->folded(), state_, *scratch_);
}

template <class T>
Stream<T> Stream<T>::fork() const {
  Stream other(model_, state_.mode);
  other.set_state(state_);
  return other;
}

template <class T>
Status Stream<T>::save(const std::filesystem::path& path) const {
  return save_state(path, *model_, state_);
}

template <class T>
Status Stream<T>::load(const std::filesystem::path& path) {
  Result<StreamState<T>> state = load_state(path, *model_);
  if (!state) return state.error();
  set_state(std::move(state).value());
  return Done{};
}

template <class T>
void Stream<T>::set_state(StreamState<T> state) {
  if (const auto fault = model_->model().fault(state)) throw ContractViolation("Stream: " + *fault);
  state_ = std::move(state);
  model_->model().refresh(model_->folded(), state_, *scratch_);
}

template <class T>
std::size_t Stream<T>::bytes() const {
  return sizeof(*this) + (state_.values.size() + logits_.size()) * sizeof(T) + scratch_->bytes();
}

template class Stream<float>;
template class Stream<double>;

}  // namespace schemamem
