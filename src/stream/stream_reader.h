#pragma once

#include <array>
#include <memory>
#include <span>

#include "base/row_marks.h"
#include "base/view.h"
#include "models/model.h"

namespace schemamem {

/// The one place where a state is carried: a model reads rows, in constant space and time a row. Whoever makes it keeps
/// the model and what is folded from its weights; a Stream is one that also owns these. Reading allocates nothing.
template <class T>
class StreamReader {
 public:
  StreamReader(const SequenceModel<T>& model, const Folded<T>& folded, MarkRule rule, Mode mode = Mode::kRecurrent);

  /// Reads rows whose marks follow from the reader's rule.
  void push(View<const T, 2> rows /* [T, row_width] */, View<T, 2> logits /* [T, outputs] */);
  /// Reads rows with marks of the caller's.
  void push(const StreamRows<T>& rows, View<T, 2> logits);

  /// Changes of state smaller than this do not happen from here on (docs/design.md, "Floor"); at least 0, where it is
  /// off, and below 1. It belongs to the state: reset() leaves it alone.
  void set_floor(double floor);
  /// Forgets everything.
  void reset();
  /// Takes over the state of another reader of the same model; that one goes on by itself.
  void follow(const StreamReader& other);
  /// What is derived from a state and from the weights is derived anew: after either changed.
  void refresh();

  const StreamState<T>& state() const { return state_; }
  /// Continues from a state of this model instead; one that no stream can have is the caller's mistake.
  void set_state(StreamState<T> state);
  PlaceWeights<T> place_weights(std::size_t layer) const { return model_->place_weights(*scratch_, layer); }
  std::size_t scratch_bytes() const { return scratch_->bytes(); }

 private:
  static constexpr std::size_t kPiece = 256;  // rows whose marks are found together

  const SequenceModel<T>* model_;
  const Folded<T>* folded_;
  MarkRule rule_;
  StreamState<T> state_;
  std::unique_ptr<Tape<T>> scratch_;
  std::array<RowMark, kPiece> marks_{};
};

extern template class StreamReader<float>;
extern template class StreamReader<double>;

}  // namespace schemamem
