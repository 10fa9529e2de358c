#include <fmt/format.h>
#include <sys/stat.h>

#include "base/sha256.h"
#include "campaigns/world.h"
#include "cli/hostile/commands.h"
#include "cli/hostile/manners.h"

// Files with changed bytes before commands of the real program that read them (docs/trust.md).

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;

/// A file of the world below, and commands that read it.
struct Readers {
  std::string file;
  std::vector<std::string> commands;
};

std::vector<Readers> readers() {
  const std::string few = " --delays 8 --episodes 2 --threads 1 ";
  const std::vector<std::string> ended{
      "watch --once " + kEnded,       "check " + kEnded,     "check --json --all runs", "report runs -o out/page.html",
      "resume --threads 1 " + kEnded, "eval" + few + kEnded, "ablate" + few + kEnded};
  const std::vector<std::string> begun{"resume --threads 1 " + kBegun, "watch --once " + kBegun, "check " + kBegun,
                                       "sweep run --jobs 1 --threads 1 begun", "sweep status begun"};
  const std::vector<std::string> published{"paper tables published -o out/paper", "paper diff published --json",
                                           "paper headline published -o out/paper --gnuplot ./true.sh",
                                           "report published -o out/page.html", "check " + kPublished};
  const std::vector<std::string> state{"state info my.state", "state info --json my.state",
                                       "state diff my.state other.state", "state zero my.state out/zero.state",
                                       "talk " + kEnded + " --state my.state"};
  const std::vector<std::string> recipe{
      "config explain --recipe recipe.toml",
      std::string("train --threads 1 --recipe recipe.toml --out out/run ") + test::kTinyRun,
      "sweep plan --no-estimate --settings A2V2 --recipes recipe.toml --out out/sweep"};
  std::vector<Readers> all{
      {"my.state", state},
      {"golden.safetensors", {"verify golden.safetensors", "verify --scalar float golden.safetensors"}},
      {"recipe.toml", recipe},
      {"begun/sweep.toml", {"sweep status begun", "sweep run --jobs 1 --threads 1 begun"}},
      {kEnded + "/model.safetensors", {"talk " + kEnded + "/model.safetensors", "eval" + few + kEnded}}};
  const std::string step = "/checkpoints/step-000000042/";
  for (const char* file :
       {"/run.json", "/result.json", "/metrics.jsonl", "/events.jsonl", "/evaluations/table-recurrent-20261001-4.json"})
    all.push_back({kEnded + file, ended});
  for (const std::string& file :
       {std::string("/run.json"), std::string("/metrics.jsonl"), std::string("/events.jsonl"),
        std::string("/failed.json"), std::string("/tensorboard/events.out.tfevents.schemamem"), step + "complete.json",
        step + "state.json", step + "optimizer.safetensors", step + "model.safetensors"})
    all.push_back({kBegun + file, begun});
  for (const char* file : {"/run.json", "/result.json", "/evaluations/table-recurrent-20261001-512.json"})
    all.push_back({kPublished + file, published});
  return all;
}

/// Lets the marker of a checkpoint agree with a changed part, so that more than the hash is looked at.
void sign_again(const fs::path& part, const std::string& before, const std::string& after) {
  const fs::path marker = part.parent_path() / "complete.json";
  if (!fs::exists(marker)) return;
  const auto sha256 = [](const std::string& text) { return sha256_hex(std::as_bytes(std::span(text))); };
  std::string text = test::text_of(marker);
  const std::size_t at = text.find(sha256(before));
  if (at != std::string::npos) test::put(marker, text.replace(at, sha256(before).size(), sha256(after)));
}

/// One changed file, and one command that reads it.
std::string changed_file(const World& world, Rng& rng, const fs::path& in, std::string& told) {
  static const std::vector<Readers> kReaders = readers();
  const Readers& drawn = one_of(rng, kReaders);
  const std::string& command = one_of(rng, drawn.commands);
  const std::string before = test::text_of(in / drawn.file);
  std::string after = before;
  mutate(after, rng);
  test::put(in / drawn.file, after);
  ::chmod((in / drawn.file).c_str(), 0666);
  if (chance(rng, 70)) sign_again(in / drawn.file, before, after);
  told = fmt::format("{} changed, {}", drawn.file, command);
  return world.fault_of(in, split(command), false);
}

/// The commands are right: on files that nobody changed, each does what it is for.
void require_that_readers_read(const World& world) {
  for (const Readers& one : readers()) {
    for (const std::string& command : one.commands) {
      const test::Ending end = world.run(world.make_case(0), split(command));
      // A sweep has a run that is marked as failed; true.sh draws nothing.
      const bool half = command.starts_with("sweep") || command.find("true.sh") != std::string::npos;
      const bool good = end.code == 0 || end.code == 2 || (end.code == 1 && half);
      require(good || end.stopped, fmt::format("{} on whole files: code {}, {}", command, end.code, end.err));
    }
  }
}

}  // namespace

bool changed_files_campaign(const Options& options, int files) {
  const World world(options);
  require_that_readers_read(world);
  const int wrong = play(options, world, "file", 0, files, changed_file);
  Tally().say(fmt::format("changed files: {}, {} failures", files, wrong));
  return wrong == 0;
}

}  // namespace schemamem::campaign
