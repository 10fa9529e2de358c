#include "report/run_folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "record/tensor_files.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

Status take_manifest(const JsonField& json, LedgerRun& run, const Ledger::IsOption& is_option) {
  run.model = json.text("model");
  if (const auto task = json.find("task")) run.task = task->text();
  if (const auto set = json.find("model_set")) {
    for (const auto& [name, value] : set->members()) {
      const bool option = is_option && is_option(run.model, name);
      std::string& fields = option ? run.form : run.variant;
      fields += fmt::format("{}{}={}", fields.empty() ? "" : ":", name, value.text());
      const std::string what = fmt::format("{}: {} of model_set", (run.folder / "run.json").string(), printable(name));
      if (const Status named = option ? check_name(value.text(), what) : Status(Done{}); !named) return named;
    }
  }
  run.setting = json.text("setting");
  run.seed = json.natural("seed");
  run.recipe = json.text("recipe");
  run.hash = json.text("hash");
  if (const auto parameters = json.find("parameters")) run.parameters = parameters->count();
  if (const auto elements = json.find("persistent_elements")) run.persistent_elements = elements->count();
  for (const auto& [name, field] : json.members("config")) run.config[name] = field.text("value");
  const auto take_facts = [&](const JsonField& object) {
    for (const auto& [name, value] : object.members())
      if (value.is_text()) run.facts[name] = value.text();
  };
  take_facts(json);
  if (const auto environment = json.find("environment")) take_facts(*environment);
  return json.status();
}

Status check_names(const LedgerRun& run) {
  const std::string file = (run.folder / "run.json").string();
  for (const auto& [what, name] :
       {std::pair("model", &run.model), std::pair("task", &run.task), std::pair("setting", &run.setting),
        std::pair("recipe", &run.recipe), std::pair("hash", &run.hash)}) {
    if (const Status named = check_name(*name, fmt::format("{}: {}", file, what)); !named) return named;
  }
  return Done{};
}

Status check_record(const EvaluationRecord& record, const LedgerRun& run) {
  const EvaluatedCheckpoint& weights = record.checkpoint;
  const EvaluatedCheckpoint& first = run.evaluations.front().checkpoint;
  const std::string file = (run.folder / "evaluations" / evaluation_file_name(record.protocol)).string();
  if (weights.hash != run.hash || weights.model != run.model || weights.task != run.task ||
      weights.setting != run.setting) {
    return Error(ErrorKind::kBadData,
                 fmt::format("{} is about {} {} {} of the run {}, expected {} {} {} of the run {}. "
                             "Remove it and evaluate again with `schemamem eval {}`.",
                             file, weights.model, weights.task, weights.setting, quote(weights.hash), run.model,
                             run.task, run.setting, run.hash, run.folder.string()));
  }
  if (weights.sha256 != first.sha256) {
    return Error(ErrorKind::kBadData,
                 fmt::format("The evaluations of {} are of different weights: {} and {} in {}. "
                             "`schemamem eval --force {}` makes them anew.",
                             run.folder.string(), first.sha256, weights.sha256, file, run.folder.string()));
  }
  return Done{};
}

/// Records are of the weights beside them, where there are any.
Status check_weights(const LedgerRun& run) {
  const fs::path weights = run.folder / "model.safetensors";
  if (run.evaluations.empty() || is_absent(weights)) return Done{};
  const auto sha256 = tensor_file_sha256(weights);
  if (!sha256) return sha256.error();
  for (const EvaluationRecord& record : run.evaluations) {
    if (record.checkpoint.sha256 == *sha256) continue;
    return Error(ErrorKind::kBadData,
                 fmt::format("{} is stale: it is about weights with the SHA-256 {}, and {} has {}. `schemamem eval {}` "
                             "makes it anew.",
                             (run.folder / "evaluations" / evaluation_file_name(record.protocol)).string(),
                             record.checkpoint.sha256, weights.string(), *sha256, run.folder.string()));
  }
  return Done{};
}

}  // namespace

Result<LedgerRun> parse_ledger_run(std::string_view manifest, const fs::path& folder,
                                   const Ledger::IsOption& is_option) {
  const auto json = parse_json_object(manifest, (folder / "run.json").string());
  if (!json) return json.error();
  LedgerRun run;
  run.folder = folder;
  if (const Status taken = take_manifest(*json, run, is_option); !taken) return taken.error();
  if (const Status named = check_names(run); !named) return named.error();
  return run;
}

Result<RunEnd> parse_run_end(std::string_view result, const std::string& what) {
  const auto json = parse_json_object(result, what);
  if (!json) return json.error();
  RunEnd end{.passed = json->text("status") == "passed",
             .steps = json->count("steps"),
             .seconds = json->number("seconds"),
             .target = json->number("target")};
  end.tx_steps = end.steps;  // of a run that was never let into maintenance
  for (const JsonField& stage : json->items("passed")) {
    if (stage.text("name") == "transactions-full") end.tx_steps = stage.count("step");
  }
  end.maint_steps = end.steps - end.tx_steps;
  if (const Status read = json->status(); !read) return read.error();
  return end;
}

Result<LedgerRun> read_run_folder(const fs::path& folder, const Ledger::IsOption& is_option) {
  const auto manifest = read_text_file(folder / "run.json", JsonLimits{}.bytes);
  if (!manifest) return manifest.error();
  auto parsed = parse_ledger_run(*manifest, folder, is_option);
  if (!parsed) return parsed;
  LedgerRun& run = parsed.value();
  if (const fs::path path = folder / "result.json"; !is_absent(path)) {
    const auto result = read_text_file(path, JsonLimits{}.bytes);
    if (!result) return result.error();
    const auto end = parse_run_end(*result, path.string());
    if (!end) return end.error();
    run.end = *end;
  }
  auto evaluations = load_evaluations(folder / "evaluations");
  if (!evaluations) return evaluations.error();
  run.evaluations = std::move(evaluations).value();
  for (const EvaluationRecord& record : run.evaluations)
    if (const Status fits = check_record(record, run); !fits) return fits.error();
  if (const Status fits = check_weights(run); !fits) return fits.error();
  return parsed;
}

Result<LedgerRun> read_guest_folder(const fs::path& folder, const std::vector<std::string>& models) {
  auto guest = load_guest(folder);
  if (!guest) return guest.error();
  LedgerRun run;
  run.folder = folder;
  run.model = guest->name;
  run.task = guest->task;
  run.setting = guest->setting;
  run.seed = guest->seed;
  run.parameters = guest->parameters;
  run.guest = std::move(guest).value();
  if (std::find(models.begin(), models.end(), run.model) != models.end()) {
    return Error(
        ErrorKind::kBadData,
        fmt::format("{}: the guest is called {}, as a model of ours is, and a table could not tell them apart. "
                    "Score it again under another name.",
                    (folder / "guest.json").string(), run.model));
  }
  auto evaluations = load_evaluations(folder / "evaluations");
  if (!evaluations) return evaluations.error();
  run.evaluations = std::move(evaluations).value();
  for (const EvaluationRecord& record : run.evaluations) {
    const EvaluatedCheckpoint& about = record.checkpoint;
    if (about.model == run.model && about.task == run.task && about.setting == run.setting && about.seed == run.seed)
      continue;
    return Error(ErrorKind::kBadData,
                 fmt::format("{} is about {} {} {}, and the guest beside it is {} {} {}. Score it again.",
                             (folder / "evaluations" / evaluation_file_name(record.protocol)).string(), about.model,
                             about.task, about.setting, run.model, run.task, run.setting));
  }
  return run;
}

}  // namespace schemamem
