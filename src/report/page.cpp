#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/build_info.h"
#include "base/files.h"
#include "base/text.h"
#include "record/json_file.h"
#include "report/assets.h"
#include "report/claims.h"
#include "report/page_tables.h"
#include "report/paper_numbers.h"
#include "report/statistics.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "{{payload}}";

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

/// Seeds of evaluation episodes that any record has; the paper's stands first.
std::vector<std::uint64_t> eval_seeds_of(const Ledger& ledger) {
  std::set<std::uint64_t> found;
  for (const LedgerRun& run : ledger.runs())
    for (const EvaluationRecord& record : run.evaluations) found.insert(record.protocol.eval_seed);
  std::vector<std::uint64_t> seeds{kPaperEvalSeed};
  found.erase(kPaperEvalSeed);
  seeds.insert(seeds.end(), found.begin(), found.end());
  return seeds;
}

std::string_view role_of(std::uint64_t eval_seed) {
  if (eval_seed == kPaperEvalSeed) return "paper";
  return eval_seed == kUnseenEvalSeed ? "unseen" : "other";
}

Json vocabulary() {
  Json models = Json::array(), columns = Json::array();
  for (const PaperModel& model : kPaperModels)
    models.push_back({{"name", model.name}, {"label", model.title}, {"short", model.mark}});
  for (const NamedColumn& column : named_columns())
    columns.push_back(
        {{"name", column.name}, {"label", column.title}, {"scenario", column.scenario}, {"group", column.group}});
  return {{"models", std::move(models)}, {"settings", kPaperSettings}, {"columns", std::move(columns)}};
}

/// The commands that made a claim's numbers: the training of its runs, and their evaluation.
Json provenance(const Ledger& ledger, const Selection& selection, const Claim& claim, const ClaimResult& result) {
  std::set<std::size_t> runs;
  std::set<std::int64_t> normal, ablated;
  for (std::size_t i = 0; i < claim.terms.size(); ++i) {
    if (!result.values[i]) continue;
    for (const LedgerRun* run : result.values[i]->runs)
      runs.insert(static_cast<std::size_t>(run - ledger.runs().data()));
    const Quantity& quantity = claim.terms[i].quantity;
    if (!quantity.delay) continue;
    for (const std::string& mode : {quantity.mode, quantity.than_mode}) {
      if (mode == "recurrent") normal.insert(*quantity.delay);
      if (mode == "ablated") ablated.insert(*quantity.delay);
    }
  }
  Json commands = Json::array();
  const auto add = [&](const char* verb, const std::set<std::int64_t>& delays) {
    if (!delays.empty())
      commands.push_back(
          {{"command", verb},
           {"arguments", fmt::format("--delays {} --eval-seed {}", fmt::join(delays, ","), selection.eval_seed)}});
  };
  add("eval", normal);
  add("ablate", ablated);
  return {{"runs", runs}, {"commands", std::move(commands)}};
}

Json claim_json(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds, const Claim& claim) {
  Json terms = Json::array(), results = Json::array();
  for (const ClaimTerm& term : claim.terms)
    terms.push_back({{"label", term.label}, {"unit", term.unit}, {"stated", or_null(term.stated)}});
  for (const std::string& recipe : ledger.recipes()) {
    for (const std::uint64_t eval_seed : eval_seeds) {
      const Selection selection{.recipe = recipe, .eval_seed = eval_seed};
      const ClaimResult result = judge_claim(ledger, selection, claim);
      Json values = Json::array();
      for (const auto& value : result.values) {
        values.push_back(
            value ? Json{{"value", value->value}, {"sd", or_null(value->sd)}, {"have", value->have}, {"of", value->of}}
                  : Json(nullptr));
      }
      results.push_back({{"recipe", recipe},
                         {"eval_seed", eval_seed},
                         {"verdict", claim_verdict_name(result.verdict)},
                         {"values", std::move(values)},
                         {"made_by", provenance(ledger, selection, claim, result)}});
    }
  }
  return {{"id", claim.id},           {"section", claim.section},  {"quote", claim.quote},         {"note", claim.note},
          {"rule", rule_text(claim)}, {"terms", std::move(terms)}, {"results", std::move(results)}};
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

Json curves_json(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds) {
  Json curves = Json::array();
  for (const char* kind : {"table", "curve"})
    for (const std::string& recipe : ledger.recipes())
      for (const std::uint64_t eval_seed : eval_seeds)
        for (const std::string_view setting : kPaperSettings)
          for (const PaperModel& model : kPaperModels)
            for (const NamedColumn& column : named_columns()) {
              Json curve = curve_json(ledger,
                                      {.recipe = recipe,
                                       .model = std::string(model.name),
                                       .setting = std::string(setting),
                                       .eval_seed = eval_seed,
                                       .kind = kind},
                                      column);
              if (!curve.is_null()) curves.push_back(std::move(curve));
            }
  return curves;
}

/// The paper's printed numbers that lie on a delay curve.
Json paper_points() {
  Json points = Json::array();
  for (const PaperCell& cell : paper_cells()) {
    if (cell.table != "long_delay" && (cell.table != "ablation_384" || cell.column.starts_with("zero/"))) continue;
    points.push_back({{"setting", cell.setting},
                      {"model", cell.model},
                      {"column", cell.column},
                      {"delay", *cell.delay},
                      {"mean", cell.mean},
                      {"sd", or_null(cell.sd)}});
  }
  return points;
}

Json times_json(const Ledger& ledger) {
  Json times = Json::array();
  for (const std::string& recipe : ledger.recipes()) {
    for (const PaperModel& model : kPaperModels) {
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
  const std::filesystem::path path = run.folder / "run.json";
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
  }
  const auto command = run.facts.find("command");
  return Json{{"name", run.folder.filename().empty() ? run.folder.parent_path().filename().string()
                                                     : run.folder.filename().string()},
              {"folder", run.folder.string()},
              {"model", run.model},
              {"setting", run.setting},
              {"recipe", run.recipe},
              {"seed", run.seed},
              {"hash", run.hash},
              {"status", !run.end          ? "unfinished"
                         : run.end->passed ? "passed"
                                           : "step-limit"},
              {"steps", run.end ? Json(run.end->steps) : Json(nullptr)},
              {"seconds", run.end ? Json(run.end->seconds) : Json(nullptr)},
              {"command", command == run.facts.end() ? Json(nullptr) : Json(command->second)},
              {"checkpoints", checkpoints},
              {"evaluations", std::move(evaluations)},
              {"manifest", *manifest}};
}

/// JSON that a script element cannot mistake for its own end or for a comment.
std::string for_script(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

Result<std::string> page_payload(const Ledger& ledger, const std::string& command) {
  const std::vector<std::uint64_t> eval_seeds = eval_seeds_of(ledger);
  Json seeds = Json::array(), claims = Json::array(), runs = Json::array();
  for (const std::uint64_t seed : eval_seeds) seeds.push_back({{"seed", seed}, {"role", role_of(seed)}});
  for (const Claim& claim : paper_claims()) claims.push_back(claim_json(ledger, eval_seeds, claim));
  for (const LedgerRun& run : ledger.runs()) {
    auto one = run_json(run);
    if (!one) return one.error();
    runs.push_back(std::move(one).value());
  }
  const BuildInfo build = build_info();
  Json payload{{"format", "schemamem report"},
               {"version", 1},
               {"program", {{"version", build.version}, {"commit", build.commit}}},
               {"command", command},
               {"training_limit", kTrainedDelay}};
  payload.update(vocabulary());
  payload["recipes"] = ledger.recipes();
  payload["eval_seeds"] = std::move(seeds);
  payload["claims"] = std::move(claims);
  payload["tables"] = page_tables(ledger, eval_seeds);
  payload["curves"] = curves_json(ledger, eval_seeds);
  payload["paper_points"] = paper_points();
  payload["times"] = times_json(ledger);
  payload["runs"] = std::move(runs);
  // Names of files may be any bytes: what is no UTF-8 is shown as a replacement character.
  return payload.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> report_page(const Ledger& ledger, const std::string& command) {
  const auto payload = page_payload(ledger, command);
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
