#include "report/ledger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/name.h"
#include "base/suggest.h"
#include "base/text.h"
#include "record/guest.h"
#include "record/json_file.h"
#include "record/run_folders.h"
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

/// They go into tables, scripts and pages.
Status check_names(const LedgerRun& run) {
  const std::string file = (run.folder / "run.json").string();
  for (const auto& [what, name] :
       {std::pair("model", &run.model), std::pair("task", &run.task), std::pair("setting", &run.setting),
        std::pair("recipe", &run.recipe), std::pair("hash", &run.hash)}) {
    if (const Status named = check_name(*name, fmt::format("{}: {}", file, what)); !named) return named;
  }
  return Done{};
}

Status take_end(const JsonField& json, LedgerRun& run) {
  RunEnd end{.passed = json.text("status") == "passed",
             .steps = json.count("steps"),
             .seconds = json.number("seconds"),
             .target = json.number("target")};
  end.tx_steps = end.steps;  // of a run that was never let into maintenance
  for (const JsonField& stage : json.items("passed")) {
    if (stage.text("name") == "transactions-full") end.tx_steps = stage.count("step");
  }
  end.maint_steps = end.steps - end.tx_steps;
  run.end = end;
  return json.status();
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

Result<LedgerRun> read_run_folder(const fs::path& folder, const Ledger::IsOption& is_option) {
  LedgerRun run;
  run.folder = folder;
  const auto manifest = read_json_object(folder / "run.json");
  if (!manifest) return manifest.error();
  if (const Status taken = take_manifest(*manifest, run, is_option); !taken) return taken.error();
  if (const Status named = check_names(run); !named) return named.error();
  if (const fs::path path = folder / "result.json"; !is_absent(path)) {
    const auto result = read_json_object(path);
    if (!result) return result.error();
    if (const Status taken = take_end(*result, run); !taken) return taken.error();
  }
  auto evaluations = load_evaluations(folder / "evaluations");
  if (!evaluations) return evaluations.error();
  run.evaluations = std::move(evaluations).value();
  for (const EvaluationRecord& record : run.evaluations)
    if (const Status fits = check_record(record, run); !fits) return fits.error();
  if (const Status fits = check_weights(run); !fits) return fits.error();
  return run;
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

auto place(const LedgerRun& run, const std::vector<std::string>& models) {
  return std::tuple(std::string_view(run.recipe), std::find(models.begin(), models.end(), run.model) - models.begin(),
                    std::string_view(run.model), std::string_view(run.setting), std::string_view(run.task),
                    std::string_view(run.variant), std::string_view(run.form), run.seed);
}

/// What two neighbours in the ledger's order may not be.
Status check_neighbours(const LedgerRun& a, const LedgerRun& b) {
  if (std::tie(a.recipe, a.model, a.setting, a.task, a.variant) !=
      std::tie(b.recipe, b.model, b.setting, b.task, b.variant))
    return Done{};
  if (a.form != b.form) {
    return Error(
        ErrorKind::kBadData,
        fmt::format("{} and {} are both of the recipe {}, but of {} and {}. Options of a model are never mixed "
                    "in a cell: leave one of them out, or give the recipe of one another name.",
                    a.folder.string(), b.folder.string(), a.recipe, a.model_text(), b.model_text()));
  }
  if (a.seed == b.seed) {
    if (a.guest || b.guest) {
      return Error(
          ErrorKind::kBadData,
          fmt::format("{} and {} are both the guest {} {} seed {}. A table has room for one of them: leave the "
                      "other out.",
                      a.folder.string(), b.folder.string(), a.model, a.setting, a.seed));
    }
    return Error(
        ErrorKind::kBadData,
        fmt::format("{} (hash {}) and {} (hash {}) are both {} {} seed {} of the recipe {}. A table has room for "
                    "one of them: leave the other out.",
                    a.folder.string(), a.hash, b.folder.string(), b.hash, a.model, a.setting, a.seed, a.recipe));
  }
  if (a.config == b.config) return Done{};
  std::string difference = "the fields themselves";
  for (const auto& [name, value] : a.config) {
    const auto other = b.config.find(name);
    if (other == b.config.end() || other->second == value) continue;
    difference = fmt::format("{} is {} and {}", name, value, other->second);
    break;
  }
  return Error(
      ErrorKind::kBadData,
      fmt::format("{} and {} are both of a recipe called {}, but not of the same: {}. Recipes are never mixed in "
                  "a cell: leave one of them out, or train it again.",
                  a.folder.string(), b.folder.string(), a.recipe, difference));
}

const EvaluationCell* find_cell(const LedgerRun& run, const Query& query) {
  const EvaluationCell* best = nullptr;
  std::int64_t episodes = 0;
  for (const EvaluationRecord& record : run.evaluations) {
    const EvaluationProtocol& protocol = record.protocol;
    if (protocol.kind != query.kind || protocol.mode != query.mode || protocol.eval_seed != query.eval_seed) continue;
    if (protocol.floor != query.floor || protocol.rounds != query.rounds) continue;
    const EvaluationCell* cell = record.find(query.scenario, query.delay, query.group);
    if (cell == nullptr || cell->asked == 0 || protocol.episodes <= episodes) continue;
    best = cell;
    episodes = protocol.episodes;
  }
  return best;
}

}  // namespace

std::string LedgerRun::model_text() const {
  std::string text = model;
  for (const std::string& fields : {variant, form})
    if (!fields.empty()) text += ":" + fields;
  return text;
}

Query Query::at(const NamedColumn& column, std::int64_t at_delay) const {
  Query other = *this;
  other.scenario = column.scenario;
  other.group = column.group;
  other.delay = at_delay;
  return other;
}

Query Query::in_mode(std::string other_mode) const {
  Query other = *this;
  other.mode = std::move(other_mode);
  return other;
}

Result<Ledger> Ledger::read(std::span<const fs::path> paths, const std::vector<std::string>& models,
                            const IsOption& is_option) {
  Ledger ledger;
  std::set<fs::path> seen;
  const auto is_new = [&](const fs::path& folder) {
    std::error_code unknown;
    const fs::path real = fs::weakly_canonical(folder, unknown);
    return seen.insert(unknown ? folder : real).second;
  };
  for (const fs::path& path : paths) {
    const auto guests = find_guests(path);
    if (!guests) return guests.error();
    for (const fs::path& folder : *guests) {
      if (!is_new(folder)) continue;
      auto guest = read_guest_folder(folder, models);
      if (!guest) return guest.error();
      (guest->is_published_kind() ? ledger.guests_ : ledger.others_).push_back(std::move(guest).value());
    }
    const auto folders = guests->empty() ? find_runs(path) : runs_in(path);
    if (!folders) return folders.error();
    for (const fs::path& folder : *folders) {
      if (!is_new(folder)) continue;
      auto run = read_run_folder(folder, is_option);
      if (!run) return run.error();
      (run->is_published_kind() ? ledger.runs_ : ledger.others_).push_back(std::move(run).value());
    }
  }
  for (std::vector<LedgerRun>* runs : {&ledger.runs_, &ledger.guests_, &ledger.others_}) {
    std::sort(runs->begin(), runs->end(),
              [&](const LedgerRun& a, const LedgerRun& b) { return place(a, models) < place(b, models); });
    for (std::size_t i = 1; i < runs->size(); ++i)
      if (const Status fit = check_neighbours((*runs)[i - 1], (*runs)[i]); !fit) return fit.error();
  }
  return ledger;
}

void Ledger::supply_persistent_elements(const Count& count) {
  for (LedgerRun& run : runs_)
    if (!run.persistent_elements) run.persistent_elements = count(run);
}

std::vector<std::string> Ledger::recipes() const {
  std::vector<std::string> names;
  for (const LedgerRun& run : runs_)
    if (names.empty() || names.back() != run.recipe) names.push_back(run.recipe);
  return names;
}

std::string Ledger::recipe_text(std::string_view recipe) const {
  std::string forms;
  for (const LedgerRun& run : runs_) {
    if (run.recipe != recipe || run.form.empty()) continue;
    const std::string form = run.model_text();
    if (forms.find(form) == std::string::npos) forms += (forms.empty() ? "" : ", ") + form;
  }
  return std::string(recipe) + (forms.empty() ? "" : " (" + forms + ")");
}

std::vector<std::string> Ledger::shown_recipes() const {
  std::vector<std::string> names = recipes();
  if (names.empty() && !guests_.empty()) names.emplace_back();
  return names;
}

std::set<std::uint64_t> Ledger::eval_seeds() const {
  std::set<std::uint64_t> seeds;
  for (const std::vector<LedgerRun>* runs : {&runs_, &guests_, &others_})
    for (const LedgerRun& run : *runs)
      for (const EvaluationRecord& record : run.evaluations) seeds.insert(record.protocol.eval_seed);
  return seeds;
}

std::vector<std::string> Ledger::guest_names() const {
  std::vector<std::string> names;
  for (const LedgerRun& guest : guests_)
    if (names.empty() || names.back() != guest.model) names.push_back(guest.model);
  return names;
}

std::vector<const LedgerRun*> Ledger::runs_of(std::string_view recipe, std::string_view model,
                                              std::string_view setting) const {
  std::vector<const LedgerRun*> found;
  for (const LedgerRun& run : runs_)
    if (run.recipe == recipe && run.model == model && run.setting == setting) found.push_back(&run);
  for (const LedgerRun& guest : guests_)
    if (guest.model == model && guest.setting == setting) found.push_back(&guest);
  return found;
}

std::vector<SeedValue> Ledger::values(const Query& query) const {
  std::vector<SeedValue> values;
  for (const LedgerRun* run : runs_of(query.recipe, query.model, query.setting)) {
    if (const EvaluationCell* cell = find_cell(*run, query))
      values.push_back({.seed = run->seed, .exact = cell->exact_percent(), .run = run, .cell = cell});
  }
  return values;
}

std::vector<std::int64_t> Ledger::delays(const Query& query) const {
  std::set<std::int64_t> found;
  for (const LedgerRun* run : runs_of(query.recipe, query.model, query.setting)) {
    for (const EvaluationRecord& record : run->evaluations) {
      for (const EvaluationCell& cell : record.cells) {
        Query here = query;
        here.delay = cell.delay;
        if (find_cell(*run, here) != nullptr) found.insert(cell.delay);
      }
    }
  }
  return {found.begin(), found.end()};
}

std::vector<SeedValue> Ledger::drops(const Query& query, std::int64_t from, std::int64_t to) const {
  Query before = query, after = query;
  before.delay = from;
  after.delay = to;
  std::vector<SeedValue> drops;
  const std::vector<SeedValue> later = values(after);
  for (SeedValue value : values(before)) {
    const auto same =
        std::find_if(later.begin(), later.end(), [&](const SeedValue& v) { return v.seed == value.seed; });
    if (same == later.end()) continue;
    value.exact -= same->exact;
    value.cell = nullptr;
    drops.push_back(value);
  }
  return drops;
}

Result<std::string> choose_recipe(const Ledger& ledger, const std::optional<std::string>& wanted) {
  const std::vector<std::string> recipes = ledger.recipes();
  if (recipes.empty()) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("None of the {} run{} is of the paper's task with a model of published sizes, which is "
                             "what its tables are about. `schemamem report` shows all runs; guests stand beside runs, "
                             "such as results/steady.",
                             ledger.others().size() + ledger.guests().size(),
                             ledger.others().size() + ledger.guests().size() == 1 ? "" : "s"));
  }
  if (wanted) {
    if (std::find(recipes.begin(), recipes.end(), *wanted) != recipes.end()) return *wanted;
    return Error(ErrorKind::kUsage, fmt::format("No run is of the recipe {}: the runs are of {}.{}", quote(*wanted),
                                                fmt::join(recipes, ", "), did_you_mean(*wanted, recipes)));
  }
  if (recipes.size() == 1) return recipes.front();
  return Error(
      ErrorKind::kUsage,
      fmt::format("The runs are of {} recipes: {}. Recipes are never mixed in a table; choose one with --recipe.",
                  recipes.size(), fmt::join(recipes, ", ")));
}

}  // namespace schemamem
