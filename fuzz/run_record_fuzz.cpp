// Any text as a file of a run: the first character says which. Everybody who reads it is asked.
#include <array>

#include "report/ledger.h"
#include "support.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"
#include "train/run_status.h"

namespace {

using namespace schemamem;

constexpr std::array kFiles{"run.json", "result.json", "failed.json", "metrics.jsonl", "events.jsonl"};
constexpr std::initializer_list<ErrorKind> kReasons{ErrorKind::kBadData, ErrorKind::kMissingInput};

/// A run that has a manifest and nothing else.
void make_run(const std::filesystem::path& folder) {
  const RunRequest request = test::tiny_request();
  fuzz::must(static_cast<bool>(settle_manifest(*test::tiny_model(), request, {.folder = folder}, posix_files())));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder(memory_folder());
  static const bool made = (make_run(folder.path()), true);
  if (size == 0 || !made) return 0;
  const std::filesystem::path file = folder / kFiles[data[0] % kFiles.size()];
  const bool is_manifest = file.filename() == "run.json";
  static const std::string manifest = read_text_file(folder / "run.json", 1 << 20).value();
  fuzz::write(file, fuzz::text_of(data + 1, size - 1));

  fuzz::accepted(read_run(folder.path()), kReasons);
  fuzz::accepted(read_result(folder.path()), kReasons);
  RunFollower follower(folder.path());
  const RunStatus& status = follower.look();
  fuzz::must(!status.trouble || !status.trouble->message().empty());
  fuzz::must(status.progress.stage_number >= 1);
  const std::array paths{folder.path()};
  fuzz::accepted(Ledger::read(paths, {"schemamem"}), kReasons);

  is_manifest ? fuzz::write(file, manifest) : static_cast<void>(std::filesystem::remove(file));
  return 0;
}
