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

/// A stream has a model.
template <class T>
std::shared_ptr<const LoadedModel<T>> checked(std::shared_ptr<const LoadedModel<T>> model) {
  require(model != nullptr, "Stream: a stream has a model");
  return model;
}

}  // namespace

template <class T>
Stream<T>::Stream(SharedModel model, Mode mode)
    : model_(checked<T>(std::move(model))),
      reader_(model_->model(), model_->folded(), model_->mark_rule(), mode),
      logits_(model_->model().config().outputs) {}

template <class T>
Result<Stream<T>> Stream<T>::open(std::span<const std::byte> bytes, SharedModel model, std::string what) {
  Stream stream(std::move(model));
  if (const Status restored = stream.restore(bytes, std::move(what)); !restored) return restored.error();
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
  reader_.push(rows, logits);
}

template <class T>
void Stream<T>::push(const StreamRows<T>& rows, View<T, 2> logits) {
  require(all_finite(rows.x), "Stream::push: every number of a row is finite");
  reader_.push(rows, logits);
}

template <class T>
Stream<T> Stream<T>::fork() const {
  Stream other(model_, state().mode);
  other.reader_.follow(reader_);
  return other;
}

template <class T>
Buffer<std::byte> Stream<T>::encode() const {
  return encode_state(*model_, state());
}

template <class T>
Status Stream<T>::restore(std::span<const std::byte> bytes, std::string what) {
  Result<StreamState<T>> state = parse_state(bytes, std::move(what), *model_);
  if (!state) return state.error();
  set_state(std::move(state).value());
  return Done{};
}

template <class T>
std::size_t Stream<T>::memory_bytes() const {
  return sizeof(*this) + (state().values.size() + logits_.size()) * sizeof(T) + reader_.scratch_bytes();
}

template class Stream<float>;
template class Stream<double>;

}  // namespace schemamem
