#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "check/inspection.h"
#include "eval/trained_weights.h"
#include "record/evaluation_record.h"
#include "system/claim_watch.h"
#include "system/file_lock.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Json = Inspection::Json;

constexpr const char* kManifest = "run.json";
constexpr const char* kResult = "result.json";
constexpr const char* kWeights = "model.safetensors";
constexpr std::size_t kHashDigits = 8;

constexpr const char* kManifestRescue =
    "Weights and checkpoints stand on their own: model.safetensors names model, setting, seed, recipe and hash. Move "
    "run.json away and run that `schemamem train` again with --out on this folder: it writes run.json and goes on.";

/// The hash at the end of a folder's name as `train` makes it; empty if the folder was named otherwise.
std::string hash_in_name(const fs::path& folder) {
  const fs::path whole = folder.has_filename() ? folder : folder.parent_path();
  const std::string name = whole.filename().string();
  if (name.size() <= kHashDigits || name[name.size() - kHashDigits - 1] != '-') return {};
  const std::string digits = name.substr(name.size() - kHashDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string::npos ? digits : std::string();
}

/// What files say about whose they are.
template <class Expect>
void expect_same_run(const RunRequest& request, Expect expect) {
  expect("model", request.model.name);
  expect("setting", std::string(request.task->setting()));
  expect("recipe", request.recipe.name);
  expect("hash", run_hash(request));
}

}  // namespace

void check_manifest(Inspection& run) {
  if (!run.there(kManifest, kManifestRescue)) {
    if (run.check.findings.empty()) run.damaged(kManifest, "the manifest is missing", kManifestRescue);
    return;
  }
  const auto json = run.object(kManifest, kManifestRescue);
  if (!json) return;
  Result<StoredRun> stored = read_run(run.check.folder);
  if (!stored) return run.failed(kManifest, stored.error(), kManifestRescue);
  run.request = std::move(stored).value().request;
  run.check.state = "unfinished";
  run.expect(kManifest, *json, "format", 1, kManifestRescue);
  const std::string hash = run_hash(*run.request);
  if (json->value("hash", Json()) != hash) {
    run.damaged(kManifest,
                fmt::format("its values have the hash {}, but it says {}: one of them was changed", hash,
                            quote(json->value("hash", Json()).dump())),
                kManifestRescue);
  }
  if (const std::string name = hash_in_name(run.check.folder); !name.empty() && name != hash)
    run.damaged(kManifest, fmt::format("the folder's name ends in {}, the run has the hash {}", name, hash),
                "If the folder was renamed by hand, give it its name back; else the manifest is another run's.");
  const auto model = make_model(*run.request);
  if (!model) return run.failed(kManifest, model.error(), kManifestRescue);
  constexpr std::uint64_t kCopies = 5, kHeader = std::uint64_t{2} << 20;
  run.largest_tensors = kCopies * sizeof(float) * (*model)->parameters().size() + kHeader;
  run.expect(kManifest, *json, "parameters", (*model)->parameters().size(), kManifestRescue);
  run.expect(kManifest, *json, "persistent_elements", (*model)->persistent_elements(), kManifestRescue);
}

void check_result(Inspection& run) {
  if (!run.there(kResult, run.from_checkpoints(kResult))) return;
  const std::string rescue = run.from_checkpoints(kResult);
  auto json = run.object(kResult, rescue);
  if (!json) return;
  const auto result = read_result(run.check.folder);
  if (!result) return run.failed(kResult, result.error(), rescue);
  if (!result->has_value()) return run.damaged(kResult, "it went away while it was read", rescue);
  const std::string& status = (*result)->status;
  if (status != "passed" && status != "step-limit")
    return run.damaged(kResult, fmt::format("\"status\" should be passed or step-limit, found {}", quote(status)),
                       rescue);
  run.result = std::move(json);
  run.check.state = status;
  if (!run.request) return;
  expect_same_run(*run.request, [&](const char* key, const std::string& value) {
    run.expect(kResult, *run.result, key, value, rescue);
  });
  run.expect(kResult, *run.result, "seed", run.request->seed, rescue);
  std::int64_t last = 0;
  std::size_t stage = 0;
  const std::vector<Stage> stages = make_curriculum(*run.request);
  for (const PassedStage& passed : (*result)->passed) {
    while (stage < stages.size() && stages[stage].name != passed.name) ++stage;
    if (stage == stages.size())
      return run.damaged(kResult, fmt::format("{} is no stage of this run, or not in its place", quote(passed.name)),
                         rescue);
    if (passed.step < last || passed.step > (*result)->steps)
      return run.damaged(kResult,
                         fmt::format("stage {} was passed at step {}, which is not between {} and {}", passed.name,
                                     passed.step, last, (*result)->steps),
                         rescue);
    last = passed.step;
  }
}

void check_weights(Inspection& run) {
  const std::string rescue = run.from_checkpoints("result.json and model.safetensors");
  if (!run.there(kWeights, rescue)) {
    const bool told = !run.check.findings.empty() && run.check.findings.back().file == kWeights;
    if (run.ended() && !told) run.damaged(kWeights, "the run has ended, but its weights are missing", rescue);
    return;
  }
  const auto weights = TrainedWeights::load(run.path(kWeights));
  if (!weights) return run.failed(kWeights, weights.error(), rescue);
  run.weights_sha256 = weights->about().sha256;
  if (!run.request) return;
  const EvaluatedCheckpoint& about = weights->about();
  const Json notes{{"model", about.model}, {"setting", about.setting},       {"recipe", about.recipe},
                   {"hash", about.hash},   {"seed", about.seed.value_or(0)}, {"task", about.task}};
  expect_same_run(*run.request,
                  [&](const char* key, const std::string& value) { run.expect(kWeights, notes, key, value, rescue); });
  run.expect(kWeights, notes, "seed", run.request->seed, rescue);
  run.expect(kWeights, notes, "task", std::string(run.request->task->name()), rescue);
}

void check_records(Inspection& run) {
  constexpr const char* kFolder = "evaluations";
  const std::string again = "`schemamem eval` and `schemamem ablate` with the same options and --force make it again.";
  std::error_code fault;
  const fs::file_status status = fs::symlink_status(run.path(kFolder), fault);
  if (status.type() == fs::file_type::not_found) return;
  if (status.type() != fs::file_type::directory) return run.damaged(kFolder, "expected a folder of records", again);
  const auto names = list_directory(run.path(kFolder));
  if (!names) return run.failed(kFolder, names.error(), again);
  for (const std::string& name : *names) {
    const std::string file = std::string(kFolder) + "/" + name;
    if (!name.ends_with(".json") || !run.there(file, again)) continue;
    const auto record = load_evaluation(run.path(file));
    if (!record) {
      run.failed(file, record.error(), again);
      continue;
    }
    const std::size_t before = run.check.findings.size();
    if (const std::string expected = evaluation_file_name(record->protocol); name != expected)
      run.damaged(file, "its protocol says that it is called " + quote(expected), "Give it that name, or remove it.");
    if (run.weights_sha256.empty() && run.check.findings.size() == before)
      run.note(printable(file) + ": there are no weights to hold it against");
    if (!run.weights_sha256.empty() && record->checkpoint.sha256 != run.weights_sha256)
      run.damaged(file,
                  fmt::format("it is about weights with the SHA-256 {}, model.safetensors has {}",
                              record->checkpoint.sha256, run.weights_sha256),
                  again);
    if (run.request) {
      const Json about{{"model", record->checkpoint.model},
                       {"setting", record->checkpoint.setting},
                       {"recipe", record->checkpoint.recipe},
                       {"hash", record->checkpoint.hash}};
      expect_same_run(*run.request,
                      [&](const char* key, const std::string& value) { run.expect(file, about, key, value, again); });
    }
    if (run.check.findings.size() == before) ++run.check.records;
  }
}

/// What a process that works here, or was killed here, leaves lying.
void check_claims(Inspection& run) {
  const auto claims = ClaimWatch(run.check.folder).look();
  if (!claims) return run.failed("claim", claims.error(), "Everything else stands on its own.");
  for (const SeenClaim& claim : *claims) {
    if (claim.pulse == SeenClaim::Pulse::kAlive && !run.ended() && run.request) run.check.state = "running";
    if (claim.pulse == SeenClaim::Pulse::kAlive) continue;
    run.note(fmt::format(
        "{}: left by {}{}; the next process here takes it over", claim_name(claim.number), claim.text.who(),
        claim.pulse == SeenClaim::Pulse::kDead ? ", which has ended" : ", unless that is still at work on its host"));
  }
}

RunCheck check_run(const fs::path& folder) {
  Inspection run(folder);
  check_manifest(run);
  read_metrics(run);
  check_checkpoints(run);
  check_result(run);
  check_metrics(run);
  check_events(run);
  check_weights(run);
  check_records(run);
  check_claims(run);
  if (!run.ended() && run.request && FileLock::holder_of(run.path("lock"))) run.check.state = "running";
  return std::move(run.check);
}

}  // namespace schemamem
