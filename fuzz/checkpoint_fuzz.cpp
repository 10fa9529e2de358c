// Any bytes as the state of a checkpoint, as its optimiser, or as its marker: the first one says which. The others are
// whole. (Its weights are only hashed; model_file_fuzz reads them. What a run does about a damaged part is in
// tests/train/checkpoint_test.cpp.)
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
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  if (data[0] % 4 == 2) {
    const auto hashes = parse_checkpoint_marker(text, "fuzz");
    if (fuzz::accepted(hashes, {ErrorKind::kBadData})) fuzz::must(hashes->size() == 3);
    return 0;
  }
  if (data[0] % 4 == 0) {
    const auto state = parse_checkpoint_state(text, "fuzz");
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
