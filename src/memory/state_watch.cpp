#include "memory/state_watch.h"

#include <algorithm>
#include <utility>

#include "stream/state_view.h"

namespace schemamem {
namespace {

bool writes(View<const float, 1> row) { return row(row.size() - 1) != 0; }

/// The numbers of held_tensors(), one tensor behind the other.
void copy_held(const Layout& layout, const StreamState<float>& state, std::vector<float>& to) {
  to.clear();
  for (const TensorSpec* tensor : held_tensors(layout)) {
    const auto part = state.values.span().subspan(tensor->offset, tensor->size);
    to.insert(to.end(), part.begin(), part.end());
  }
}

}  // namespace

StateWatch::StateWatch(const LoadedModel<float>& model) : model_(&model) {
  const auto names = model.model().counter_names();
  const auto counter = std::find(names.begin(), names.end(), "chunk_tokens");
  const auto longest = model.spec().sizes.find("commit_every");
  if (counter == names.end() || longest == model.spec().sizes.end()) return;
  chunks_ = Chunks{.counter = static_cast<std::size_t>(counter - names.begin()),
                   .longest = static_cast<std::int64_t>(longest->second)};
}

bool StateWatch::commits_before(const Stream<float>& stream, View<const float, 1> row) const {
  if (!chunks_) return false;
  const std::int64_t inputs = stream.state().counters[chunks_->counter];
  if (inputs == 0 || inputs == chunks_->longest) return inputs > 0;
  if (model_->mark_rule() == MarkRule::kNone) return false;
  return (model_->model().last_row(stream.state()) == LastRow::kWrite) != writes(row);
}

std::size_t StateWatch::rows_until_commit(const Stream<float>& stream, View<const float, 2> rows) const {
  if (!chunks_) return frozen_ ? 1 : rows.extent(0);
  const std::int64_t open = commits_before(stream, rows[0]) ? 0 : stream.state().counters[chunks_->counter];
  const std::size_t room = std::min(rows.extent(0), static_cast<std::size_t>(chunks_->longest - open));
  std::size_t count = 1;
  while (count < room && (model_->mark_rule() == MarkRule::kNone || writes(rows[count]) == writes(rows[0]))) ++count;
  return count;
}

void StateWatch::keep(const StreamState<float>& state) { copy_held(model_->model().state(), state, before_); }

void StateWatch::drop_pending(Stream<float>& stream) const {
  const Layout& layout = model_->model().state();
  StreamState<float> state = stream.state();
  for (const TensorSpec* tensor : held_tensors(layout)) {
    if (const TensorSpec* const pending = pending_of(layout, *tensor)) {
      const auto part = state.values.span().subspan(pending->offset, pending->size);
      std::fill(part.begin(), part.end(), 0.0F);
    }
  }
  stream.set_state(std::move(state));
}

void StateWatch::put_back(Stream<float>& stream) const {
  StreamState<float> state = stream.state();
  auto from = before_.begin();
  for (const TensorSpec* tensor : held_tensors(model_->model().state())) {
    const auto size = static_cast<std::ptrdiff_t>(tensor->size);
    std::copy(from, from + size, state.values.begin() + tensor->offset);
    from += size;
  }
  stream.set_state(std::move(state));
}

void StateWatch::push(Stream<float>& stream, View<const float, 2> rows, View<float, 2> logits) {
  for (std::size_t done = 0; done < rows.extent(0);) {
    const std::size_t count = rows_until_commit(stream, rows.slice(done, rows.extent(0) - done));
    const bool commits = commits_before(stream, rows[done]);
    if (commits && frozen_) drop_pending(stream);
    if ((commits && !frozen_) || (frozen_ && !chunks_)) keep(stream.state());
    stream.push(rows.slice(done, count), logits.slice(done, count));
    if (commits && !frozen_) ++commits_;
    if (frozen_ && !chunks_) put_back(stream);
    done += count;
  }
}

void StateWatch::forget() {
  commits_ = 0;
  before_.clear();
}

}  // namespace schemamem
