// Any text as what a run tells while it is followed: the first character says whether as its metrics, its
// events or the mark of its failure. (manifest_fuzz and result_fuzz have its other files.)
#include <array>

#include "support.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"
#include "train/run_status.h"

namespace {

using namespace schemamem;

constexpr std::array kFiles{"metrics.jsonl", "events.jsonl", "failed.json"};

/// A run that has a manifest and nothing else, and who has read that.
struct World {
  World() {
    const RunRequest request = test::tiny_request();
    const auto model = test::tiny_model();
    fuzz::must(static_cast<bool>(settle_manifest(*model, request, {.folder = folder.path()}, posix_files())));
    fuzz::must(!follower.look().trouble);
  }
  TemporaryFolder folder{memory_folder()};
  RunFollower follower{folder.path()};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0) return 0;
  const std::filesystem::path file = world.folder / kFiles[data[0] % kFiles.size()];
  fuzz::write(file, fuzz::text_of(data + 1, size - 1));
  RunFollower follower = world.follower;
  const RunStatus& status = follower.look();
  fuzz::must(!status.trouble || !status.trouble->message().empty());
  fuzz::must(status.progress.stage_number >= 1);
  std::filesystem::remove(file);
  return 0;
}
