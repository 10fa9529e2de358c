#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/view.h"
#include "stream/stream.h"

namespace schemamem {

/// Somebody who looks on while a stream reads: keeps what the memory was before its last commit and counts the commits,
/// and may hold the memory still. The rows are read in pieces that end where a commit is due, which changes no bit.
class StateWatch {
 public:
  explicit StateWatch(const LoadedModel<float>& model);

  void push(Stream<float>& stream, View<const float, 2> rows, View<float, 2> logits);

  /// While frozen the memory stays as it is: nothing that waits is committed, and of a model that has no commits what
  /// it holds is put back after every row.
  void freeze(bool frozen) { frozen_ = frozen; }
  bool frozen() const { return frozen_; }
  /// Commits that were seen and made.
  std::int64_t commits() const { return commits_; }
  /// What the tensors of held_tensors(), one behind the other, were before the last of them; empty: none was seen.
  std::span<const float> before() const { return before_; }
  /// The stream went somewhere else: what was seen is of another past.
  void forget();

 private:
  struct Chunks {
    std::size_t counter = 0;  // the place of the counter of inputs since the last commit
    std::int64_t longest = 0;
  };
  bool commits_before(const Stream<float>& stream, View<const float, 1> row) const;
  std::size_t rows_until_commit(const Stream<float>& stream, View<const float, 2> rows) const;
  void keep(const StreamState<float>& state);
  void drop_pending(Stream<float>& stream) const;
  void put_back(Stream<float>& stream) const;

  const LoadedModel<float>* model_;
  std::optional<Chunks> chunks_;  // none: a model without commits
  bool frozen_ = false;
  std::int64_t commits_ = 0;
  std::vector<float> before_;
};

}  // namespace schemamem
