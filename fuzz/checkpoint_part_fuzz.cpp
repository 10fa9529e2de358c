// Any bytes as the state of a checkpoint, or as its optimiser: the first one says which. The other part is whole.
// (checkpoint_fuzz does the same to whole folders, with the marker and the weights.)
#include "support.h"
#include "support/tiny_training.h"
#include "train/checkpoint.h"

namespace {

using namespace schemamem;

/// A checkpoint of step 4, and who is to go on from it.
struct World {
  std::unique_ptr<SequenceModel<float>> model = test::tiny_model();
  Trainer trainer{*model, test::tiny_setup(), 1}, restored{*model, test::tiny_setup(), 1};
  Snapshot whole = (test::advance(trainer, 4), take_snapshot(trainer, {.hash = "1a2b3c4d"}));
  CheckpointState state = parse_checkpoint_state(whole.state, "whole").value();
  TensorFile optimizer = TensorFile::parse(whole.optimizer.span(), "whole").value();
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0) return 0;
  const bool is_state = data[0] % 2 == 0;
  if (is_state) {
    const auto state = parse_checkpoint_state(fuzz::text_of(data + 1, size - 1), "fuzz");
    if (!fuzz::accepted(state, {ErrorKind::kBadData})) return 0;
    if (fuzz::accepted(world.restored.restore(world.optimizer, state->saved), {ErrorKind::kBadData}))
      fuzz::must(world.restored.position().step == state->saved.position.step);
    return 0;
  }
  const auto optimizer = TensorFile::parse(fuzz::bytes_of(data + 1, size - 1), "fuzz");
  if (!fuzz::accepted(optimizer, {ErrorKind::kBadData})) return 0;
  fuzz::accepted(world.restored.restore(*optimizer, world.state.saved), {ErrorKind::kBadData});
  return 0;
}
