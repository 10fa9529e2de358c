#include "train/follow.h"

#include <utility>

#include "train/checkpoint.h"

namespace schemamem {
namespace {

constexpr const char* kState = "the state of rank 0";

/// Rank 0's bytes, to all.
Buffer<std::byte> share_bytes(Ranks& ranks, Buffer<std::byte> bytes) {
  std::uint64_t size = bytes.size();
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  if (bytes.size() != size) bytes = Buffer<std::byte>(size);
  ranks.broadcast(bytes.span());
  return bytes;
}

}  // namespace

bool goes_on(Ranks& ranks, bool said_by_first) {
  std::byte word{said_by_first};
  ranks.broadcast(std::span(&word, 1));
  return word != std::byte{0};
}

Status share_state(Trainer& trainer, Ranks& ranks) {
  if (ranks.is_alone()) return Done{};
  Snapshot snapshot = take_snapshot(trainer, {});
  Buffer<std::byte> optimizer = share_bytes(ranks, std::move(snapshot.optimizer));
  const std::string text = share_text(ranks, snapshot.state).value();
  if (ranks.is_first()) return Done{};
  const auto tensors = TensorFile::parse(std::move(optimizer), kState);
  if (!tensors) return tensors.error();
  const auto state = parse_checkpoint_state(text, kState);
  if (!state) return state.error();
  return trainer.restore(*tensors, state->saved);
}

Status follow_run(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                  const StopFlag& stop, Ranks& ranks) {
  require(!ranks.is_first(), "follow_run: rank 0 leads");
  if (!goes_on(ranks, false)) return Done{};  // nothing to train, or an error of rank 0
  Trainer trainer(model, {.recipe = request.recipe.recipe, .task = request.task, .seed = request.seed}, options.threads,
                  options.isa, ranks);
  if (const Status shared = share_state(trainer, ranks); !shared) return shared;
  while (goes_on(ranks, false)) {
    // Rank 0 came to the same end, and says what follows from it.
    if (trainer.check_due()) {
      static_cast<void>(trainer.check(stop));
    } else {
      static_cast<void>(trainer.step(stop));
    }
  }
  return Done{};
}

}  // namespace schemamem
