#include "report/page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/build_info.h"
#include "base/page_text.h"
#include "record/json_file.h"
#include "report/assets.h"
#include "report/other_runs.h"
#include "report/statistics.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "{{payload}}";

Json vocabulary(const PageSubject& subject) {
  Json models = Json::array(), columns = Json::array();
  for (const PageSubject::Model& model : subject.models)
    models.push_back({{"name", model.name}, {"label", model.label}, {"short", model.mark}});
  for (const NamedColumn& column : named_columns())
    columns.push_back(
        {{"name", column.name}, {"label", column.title}, {"scenario", column.scenario}, {"group", column.group}});
  return {{"models", std::move(models)}, {"settings", subject.settings}, {"columns", std::move(columns)}};
}

/// The subject, and behind it whatever else the runs are of: settings and models that it does not speak of are shown
/// too, by the names in their files.
PageSubject with_all_runs(PageSubject subject, const Ledger& ledger) {
  for (const LedgerRun& run : ledger.runs()) {
    if (run.evaluations.empty()) continue;
    if (!subject.has_setting(run.setting)) subject.settings.push_back(run.setting);
    if (!subject.has_model(run.model)) subject.models.push_back({run.model, run.model, run.model});
  }
  return subject;
}

/// One curve; null if nothing was measured.
Json curve_json(const Ledger& ledger, Query query, const NamedColumn& column) {
  query = query.at(column, 0);
  const std::vector<std::int64_t> delays = ledger.delays(query);
  if (delays.empty()) return nullptr;
  Json mean = Json::array(), sd = Json::array(), seeds = Json::array();
  for (const LedgerRun* run : ledger.runs_of(query.recipe, query.model, query.setting))
    seeds.push_back({{"seed", run->seed}, {"capped", run->capped()}, {"values", Json::array()}});
  for (const std::int64_t delay : delays) {
    query.delay = delay;
    const std::vector<SeedValue> values = ledger.values(query);
    const auto summary = summarise(values);
    mean.push_back(summary ? Json(summary->mean) : Json(nullptr));
    sd.push_back(summary ? or_null(summary->sd) : Json(nullptr));
    for (Json& seed : seeds) {
      const auto value =
          std::find_if(values.begin(), values.end(), [&](const SeedValue& one) { return one.seed == seed.at("seed"); });
      seed["values"].push_back(value == values.end() ? Json(nullptr) : Json(value->exact));
    }
  }
  return {{"kind", query.kind},       {"recipe", query.recipe},  {"eval_seed", query.eval_seed},
          {"setting", query.setting}, {"model", query.model},    {"column", column.name},
          {"delays", delays},         {"mean", std::move(mean)}, {"sd", std::move(sd)},
          {"seeds", std::move(seeds)}};
}

Json curves_json(const Ledger& ledger, const PageSubject& subject) {
  Json curves = Json::array();
  for (const char* kind : {"table", "curve"})
    for (const std::string& recipe : ledger.shown_recipes())
      for (const PageSubject::EvalSeed& episodes : subject.eval_seeds)
        for (const std::string& setting : subject.settings)
          for (const PageSubject::Model& model : subject.models)
            for (const NamedColumn& column : named_columns()) {
              Json curve = curve_json(
                  ledger,
                  {.recipe = recipe, .model = model.name, .setting = setting, .eval_seed = episodes.seed, .kind = kind},
                  column);
              if (!curve.is_null()) curves.push_back(std::move(curve));
            }
  return curves;
}

/// What is left after numbers of writes; as the curves of delays, in writes.
Json writes_json(const Ledger& ledger, const PageSubject& subject) {
  Json curves = Json::array();
  for (const std::string& recipe : ledger.shown_recipes())
    for (const PageSubject::EvalSeed& episodes : subject.eval_seeds)
      for (const std::string& setting : subject.settings)
        for (const PageSubject::Model& model : subject.models) {
          Query query{.recipe = recipe, .model = model.name, .setting = setting, .eval_seed = episodes.seed};
          Json counts = Json::array(), mean = Json::array(), sd = Json::array(), seeds = Json::array();
          for (const std::int64_t count : write_counts(ledger, query)) {
            query.delay = count;
            const std::vector<SeedValue> values = write_values(ledger, query);
            const auto summary = summarise(values);
            if (!summary) continue;
            counts.push_back(count);
            mean.push_back(summary->mean);
            sd.push_back(or_null(summary->sd));
            seeds.push_back(values.size());
          }
          if (counts.empty()) continue;
          curves.push_back({{"recipe", recipe},
                            {"eval_seed", episodes.seed},
                            {"setting", setting},
                            {"model", model.name},
                            {"writes", std::move(counts)},
                            {"mean", std::move(mean)},
                            {"sd", std::move(sd)},
                            {"seeds", std::move(seeds)}});
        }
  return curves;
}

Json times_json(const Ledger& ledger, const PageSubject& subject) {
  Json times = Json::array();
  for (const std::string& recipe : ledger.recipes()) {
    for (const PageSubject::Model& model : subject.models) {
      std::int64_t runs = 0, capped = 0, steps = 0;
      double seconds = 0;
      for (const LedgerRun& run : ledger.runs()) {
        if (run.recipe != recipe || run.model != model.name || !run.end) continue;
        ++runs;
        capped += run.capped() ? 1 : 0;
        steps += run.end->steps;
        seconds += run.end->seconds;
      }
      if (runs > 0)
        times.push_back({{"recipe", recipe},
                         {"model", model.name},
                         {"runs", runs},
                         {"capped", capped},
                         {"steps", steps},
                         {"seconds", seconds}});
    }
  }
  return times;
}

Result<Json> run_json(const LedgerRun& run) {
  const std::filesystem::path path = run.folder / (run.guest ? "guest.json" : "run.json");
  const auto manifest = read_json_object(path);
  if (!manifest) return manifest.error();
  std::set<std::string> checkpoints;
  Json evaluations = Json::array();
  for (const EvaluationRecord& record : run.evaluations) {
    checkpoints.insert(record.checkpoint.sha256);
    const EvaluationProtocol& protocol = record.protocol;
    evaluations.push_back({{"kind", protocol.kind},
                           {"mode", protocol.mode},
                           {"eval_seed", protocol.eval_seed},
                           {"episodes", protocol.episodes},
                           {"isa", protocol.isa},
                           {"cells", record.cells.size()}});
    if (protocol.floor > 0) evaluations.back()["floor"] = protocol.floor;
  }
  const auto command = run.facts.find("command");
  return Json{{"name", run.folder.filename().empty() ? run.folder.parent_path().filename().string()
                                                     : run.folder.filename().string()},
              {"folder", run.folder.string()},
              {"model", run.model},
              {"task", run.task},
              {"setting", run.setting},
              {"recipe", run.recipe},
              {"seed", run.seed},
              {"hash", run.hash},
              {"status", run.guest         ? "guest"
                         : !run.end        ? "unfinished"
                         : run.end->passed ? "passed"
                                           : "step-limit"},
              {"steps", run.end ? Json(run.end->steps) : Json(nullptr)},
              {"seconds", run.end ? Json(run.end->seconds) : Json(nullptr)},
              {"command", command == run.facts.end() ? Json(nullptr) : Json(command->second)},
              {"checkpoints", checkpoints},
              {"evaluations", std::move(evaluations)},
              {"manifest", manifest->raw()}};
}

}  // namespace

nlohmann::ordered_json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

bool PageSubject::has_setting(std::string_view setting) const {
  return std::find(settings.begin(), settings.end(), setting) != settings.end();
}

bool PageSubject::has_model(std::string_view model) const {
  return std::any_of(models.begin(), models.end(), [&](const Model& one) { return one.name == model; });
}

Result<std::string> page_payload(const Ledger& ledger, const PageSubject& compared, const std::string& command) {
  const PageSubject subject = with_all_runs(compared, ledger);
  Json seeds = Json::array(), runs = Json::array();
  for (const auto& [seed, role] : subject.eval_seeds) seeds.push_back({{"seed", seed}, {"role", role}});
  for (const std::vector<LedgerRun>* some : {&ledger.runs(), &ledger.guests(), &ledger.others()}) {
    for (const LedgerRun& run : *some) {
      auto one = run_json(run);
      if (!one) return one.error();
      runs.push_back(std::move(one).value());
    }
  }
  const BuildInfo build = build_info();
  Json payload{{"format", "schemamem report"},
               {"version", 1},
               {"program", {{"version", build.version}, {"commit", build.commit}}},
               {"command", command},
               {"training_limit", subject.training_limit}};
  payload.update(vocabulary(subject));
  payload["recipes"] = ledger.shown_recipes();
  for (const std::string& recipe : ledger.shown_recipes()) payload["recipe_texts"][recipe] = ledger.recipe_text(recipe);
  payload["eval_seeds"] = std::move(seeds);
  payload["claims"] = subject.claims;
  payload["tables"] = subject.tables;
  Json others = other_runs_table(ledger, [&](const LedgerRun& run) {
    return !compared.has_model(run.model) || !compared.has_setting(run.setting);
  });
  if (!others.at("rows").empty()) payload["tables"].push_back(std::move(others));
  payload["curves"] = curves_json(ledger, subject);
  payload["writes"] = writes_json(ledger, subject);
  payload["paper_points"] = subject.points;
  payload["times"] = times_json(ledger, subject);
  payload["runs"] = std::move(runs);
  // Names of files may be any bytes: what is no UTF-8 is shown as a replacement character.
  return payload.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> report_page(const Ledger& ledger, const PageSubject& subject, const std::string& command) {
  const auto payload = page_payload(ledger, subject, command);
  if (!payload) return payload.error();
  const std::string_view page = report_template();
  const std::size_t place = page.find(kPlace);
  require(place != std::string_view::npos, "report_page: the template has no place for the data");
  std::string text(page.substr(0, place));
  text += for_script(*payload);
  text += page.substr(place + kPlace.size());
  return text;
}

}  // namespace schemamem
