#include <fmt/format.h>

#include <set>

#include "campaigns/campaign.h"
#include "campaigns/disk.h"
#include "support/run_hashes.h"
#include "support/temporary_folder.h"
#include "support/tiny_training.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;

struct Recording {
  std::string model;
  RunRequest request;
  std::vector<DiskCall> calls;
  std::string hashes;  // of a run that nothing happened to
};

Result<RunResult> train(const Recording& recording, const fs::path& run, FileSystem& files = posix_files()) {
  RunObserver silent;
  return train_run(*make_model(recording.request).value(), recording.request, {.folder = run, .environment = {}},
                   StopFlag(false), silent, files);
}

Recording record(const std::string& model) {
  const TemporaryFolder folder(memory_folder());
  Recording recording{.model = model, .request = test::tiny_request({}, model), .calls = {}, .hashes = {}};
  RecordingFiles files(folder.path());
  require(static_cast<bool>(train(recording, folder / "run", files)), "the recorded run of " + model + " ends");
  recording.calls = files.calls();
  recording.hashes = test::result_hashes(folder / "run");
  return recording;
}

/// The step of the last save that was finished within the first calls; -1 before the first. The program said so to
/// nobody before the folder with the marker was synced.
std::int64_t last_save(const std::vector<DiskCall>& calls, std::size_t count) {
  std::int64_t saved = -1, marked = -1;
  for (std::size_t i = 0; i < count; ++i) {
    const DiskCall& call = calls[i];
    if (call.kind == DiskCall::Kind::kRename && call.to.filename() == "complete.json")
      marked = std::stoll(call.to.parent_path().filename().string().substr(5));
    if (call.kind == DiskCall::Kind::kSyncFolder && marked >= 0 &&
        call.path.filename().string().ends_with(fmt::format("{:09}", marked)))
      saved = std::max(saved, marked);
  }
  return saved;
}

/// What is wrong with a run that goes on from an image; empty if nothing.
std::string fault_after(const Recording& recording, const DiskImage& image, std::int64_t saved) {
  const TemporaryFolder folder(memory_folder());
  image.write_to(folder.path());
  const fs::path run = folder / "run";
  const auto steps = Checkpoints(run).complete();
  const std::int64_t newest = steps.empty() ? -1 : steps.front();
  if (newest < saved) return fmt::format("the save of step {} is lost, the newest is {}", saved, newest);
  const auto result = train(recording, run);
  if (!result) return result.error().message();
  if (test::result_hashes(run) != recording.hashes) return "the run ended differently";
  return {};
}

}  // namespace

bool power_campaign(const Options& options, std::size_t images) {
  Tally tally;
  const std::vector<std::string> models = model_names();
  std::size_t points = 0, orders = 0;
  std::set<std::string> seen;
  for (const std::string& model : models) {
    const Recording recording = record(model);
    const std::size_t share = images / models.size(), each = std::max<std::size_t>(1, share / recording.calls.size());
    // With fewer images than points, points are left out evenly.
    const std::size_t stride = std::max<std::size_t>(1, recording.calls.size() / std::max<std::size_t>(1, share));
    Rng rng = Rng::stream(options.seed, Purpose::kTest, models.size());
    Disk disk;
    for (std::size_t n = 0; n < recording.calls.size(); ++n) {
      disk.apply(recording.calls[n]);
      if (n % stride != 0) continue;
      ++points;
      const std::int64_t saved = last_save(recording.calls, n + 1);
      for (const DiskImage& image : disk.images(each, rng)) {
        ++orders;
        if (!seen.insert(model + image.fingerprint()).second) continue;
        const std::string fault = fault_after(recording, image, saved);
        if (fault.empty()) continue;
        tally.add("failures");
        if (tally.count("failures") > 20) continue;
        const fs::path kept = options.folder / fmt::format("{}-{}-{}", model, n, seen.size());
        image.write_to(kept);
        tally.say(fmt::format("FAILED: {}, power lost after call {} of {}: {}; kept in {}", model, n,
                              recording.calls.size(), fault, kept.string()));
      }
    }
  }
  tally.say(fmt::format(
      "power: lost at {} points, {} orders and tearings replayed, {} of them different disks, each resumed to its end; "
      "{} failures",
      points, orders, seen.size(), tally.count("failures")));
  return tally.count("failures") == 0;
}

}  // namespace schemamem::campaign
