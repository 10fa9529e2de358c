#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "base/memory.h"
#include "base/result.h"
#include "base/view.h"
#include "models/model.h"
#include "stream/loaded_model.h"

namespace schemamem {

/// A memory that reads token after token for as long as one likes, in constant space and time a token.
///
///   const auto model = LoadedModel<float>::load("a3v3.safetensors");
///   Stream<float> stream(model.value());
///   const std::span<const float> logits = stream.push(row);   // one row of input bits, the last one the validity bit
///   stream.save("now.safetensors");                           // and, elsewhere, load: the same bits go on
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
  /// A memory from a state file of this model.
  static Result<Stream> open(const std::filesystem::path& path, SharedModel model);

  /// Reads one token and returns its logits, which stay valid until the next call. Numbers are finite.
  std::span<const T> push(std::span<const T> row /* [inputs] */);
  /// Reads many tokens.
  void push(View<const T, 2> rows /* [T, inputs] */, View<T, 2> logits /* [T, outputs] */);

  /// Forgets everything.
  void reset();
  /// A second stream with the same past and a future of its own.
  Stream fork() const;

  /// Possible between any two tokens. A load that fails leaves the stream as it was.
  Status save(const std::filesystem::path& path) const;
  Status load(const std::filesystem::path& path);

  const SharedModel& model() const { return model_; }
  const StreamState<T>& state() const { return state_; }
  /// Continues from a state of this model instead; one that no stream can have is the caller's mistake.
  void set_state(StreamState<T> state);
  /// Tokens read since the beginning or the last reset.
  std::int64_t tokens() const { return state_.counters[0]; }
  /// Memory of this stream, the shared model not counted. It never grows.
  std::size_t bytes() const;

 private:
  SharedModel model_;
  StreamState<T> state_;
  std::unique_ptr<Tape<T>> scratch_;
  Buffer<T> logits_;
};

extern template class Stream<float>;
extern template class Stream<double>;

}  // namespace schemamem
