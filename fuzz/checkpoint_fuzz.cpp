// Any bytes as one file of a checkpoint: the first says which, and whether the marker's hash is made to agree.
#include <array>

#include "base/sha256.h"
#include "support.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"
#include "train/checkpoint.h"

namespace {

using namespace schemamem;
namespace fs = std::filesystem;

constexpr std::array kParts{"state.json", "optimizer.safetensors", "model.safetensors", "complete.json"};

/// Checkpoints of steps 2 and 4; the newer one is broken and mended again.
struct World {
  World() {
    for (const std::int64_t step : {2, 4}) {
      test::advance(trainer, step);
      fuzz::must(static_cast<bool>(checkpoints.save(take_snapshot(trainer, {.hash = "1a2b3c4d"}))));
    }
    for (const char* part : kParts) whole[part] = read_text_file(newest / part, 1 << 24).value();
  }

  std::unique_ptr<SequenceModel<float>> model = test::tiny_model();
  TemporaryFolder folder{memory_folder()};
  Checkpoints checkpoints{folder.path()};
  Trainer trainer{*model, test::tiny_setup(), 1}, restored{*model, test::tiny_setup(), 1};
  fs::path newest = checkpoints.folder(4), aside = folder / "checkpoints" / "damaged-step-000000004";
  std::map<std::string, std::string> whole;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0) return 0;
  const char* part = kParts[data[0] % kParts.size()];
  const std::string_view text = fuzz::text_of(data + 1, size - 1);
  fuzz::write(world.newest / part, text);
  if ((data[0] & 64) != 0) {
    std::string marker = world.whole.at("complete.json");
    const std::string before = sha256_hex(std::as_bytes(std::span(world.whole.at(part))));
    if (const std::size_t at = marker.find(before); at != std::string::npos)
      fuzz::write(world.newest / "complete.json",
                  marker.replace(at, before.size(), sha256_hex(std::as_bytes(std::span(text)))));
  }

  const auto loaded = world.checkpoints.load(world.restored, "1a2b3c4d");
  if (fuzz::accepted(loaded, {ErrorKind::kBadData})) {
    // There always is a whole one: a run never begins again.
    fuzz::must(loaded->memory.has_value());
    const std::int64_t step = world.restored.position().step;
    fuzz::must(step == (loaded->set_aside.empty() ? 4 : 2));
  }

  if (fs::exists(world.aside)) fs::rename(world.aside, world.newest);
  fuzz::write(world.newest / part, world.whole.at(part));
  fuzz::write(world.newest / "complete.json", world.whole.at("complete.json"));
  return 0;
}
