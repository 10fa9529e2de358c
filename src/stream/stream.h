#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "base/memory.h"
#include "base/result.h"
#include "base/view.h"
#include "models/model.h"
#include "stream/loaded_model.h"
#include "stream/stream_reader.h"

namespace schemamem {

/// A memory that reads token after token for as long as one likes, in constant space and time a token.
///
///   const auto model = LoadedModel<float>::parse(bytes, "a5v5");   // catalog/model_files.h: by path or by name
///   Stream<float> stream(model.value());
///   const std::span<const float> logits = stream.push(row);   // one row of numbers; its outputs
///   const Buffer<std::byte> now = stream.encode();            // and, elsewhere, restore: the same bits go on
///
/// A stream belongs to one thread at a time; the model behind it is shared by all. Its numbers do not depend on how the
/// rows were cut into calls, nor on saving, loading and forking in between. Feeding it allocates nothing.
template <class T>
class Stream {
 public:
  using SharedModel = std::shared_ptr<const LoadedModel<T>>;

  /// An empty memory. kAblated forgets at every commit and is there to measure what the memory is worth; a mode that
  /// the model does not stream in is the caller's mistake.
  explicit Stream(SharedModel model, Mode mode = Mode::kRecurrent);
  /// A memory from a state of this model, as encode() gives it.
  static Result<Stream> open(std::span<const std::byte> bytes, SharedModel model, std::string what = "the state");

  /// Reads one row and returns its logits, which stay valid until the next call. Numbers are finite, and marks follow
  /// from the rule of the model's file.
  std::span<const T> push(std::span<const T> row /* [row_width] */);
  /// Reads many rows.
  void push(View<const T, 2> rows /* [T, row_width] */, View<T, 2> logits /* [T, outputs] */);
  /// Reads many rows with marks of the caller's.
  void push(const StreamRows<T>& rows, View<T, 2> logits /* [T, outputs] */);

  /// As StreamReader::set_floor.
  void set_floor(double floor) { reader_.set_floor(floor); }
  /// Forgets everything.
  void reset() { reader_.reset(); }
  /// A second stream with the same past and a future of its own.
  Stream fork() const;

  /// The state as the bytes of a state file (docs/formats.md); possible between any two tokens.
  Buffer<std::byte> encode() const;
  /// Goes on from such bytes, which `what` names in messages. A failure leaves the stream as it was.
  Status restore(std::span<const std::byte> bytes, std::string what = "the state");

  const SharedModel& model() const { return model_; }
  const StreamState<T>& state() const { return reader_.state(); }
  /// How the last row weighed the places of a layer's memory; valid until the next one.
  PlaceWeights<T> place_weights(std::size_t layer) const { return reader_.place_weights(layer); }
  /// Continues from a state of this model instead; one that no stream can have is the caller's mistake.
  void set_state(StreamState<T> state) { reader_.set_state(std::move(state)); }
  /// Rows read since the beginning or the last reset.
  std::int64_t tokens() const { return state().counters[0]; }
  /// Memory of this stream, the shared model not counted. It never grows.
  std::size_t memory_bytes() const;

 private:
  SharedModel model_;
  StreamReader<T> reader_;
  Buffer<T> logits_;
};

extern template class Stream<float>;
extern template class Stream<double>;

}  // namespace schemamem
