#include "report/other_runs.h"

#include <map>
#include <tuple>

#include "report/page.h"
#include "report/statistics.h"
#include "report/table.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

/// The runs that differ in nothing but their seed stand behind each other in the ledger.
bool are_of_one_kind(const LedgerRun& a, const LedgerRun& b) {
  return std::tie(a.recipe, a.model, a.variant, a.form, a.task, a.setting) ==
         std::tie(b.recipe, b.model, b.variant, b.form, b.task, b.setting);
}

/// Each cell of any record of the runs, the evaluation with the most episodes first; by seed of episodes.
using Values = std::map<std::uint64_t, std::vector<SeedValue>>;

Values values_of(const LedgerRun* first, const LedgerRun* last, const EvaluationCell& like) {
  Values values;
  for (const LedgerRun* run = first; run != last; ++run) {
    std::map<std::uint64_t, const EvaluationRecord*> best;
    for (const EvaluationRecord& record : run->evaluations) {
      if (record.protocol.kind != "table" || record.protocol.mode != "recurrent" || record.protocol.floor > 0) continue;
      if (record.find(like.scenario, like.delay, like.group) == nullptr) continue;
      const EvaluationRecord*& found = best[record.protocol.eval_seed];
      if (found == nullptr || found->protocol.episodes < record.protocol.episodes) found = &record;
    }
    for (const auto& [seed, record] : best) {
      const EvaluationCell* const cell = record->find(like.scenario, like.delay, like.group);
      values[seed].push_back({.seed = run->seed, .exact = cell->exact_percent(), .run = run, .cell = cell});
    }
  }
  return values;
}

/// What the page shows whichever recipe of the other tables is chosen: the row itself names its recipe.
Json ours_json(const Values& values, const std::vector<std::string>& recipes) {
  Json ours = Json::array();
  for (const auto& [eval_seed, some] : values) {
    const auto summary = summarise(some);
    if (!summary) continue;
    Json one{{"eval_seed", eval_seed}, {"mean", summary->mean}, {"sd", or_null(summary->sd)}, {"seeds", Json::array()}};
    bool capped = false;
    for (const SeedValue& value : some) {
      one["seeds"].push_back(value.seed);
      capped = capped || value.run->capped();
    }
    one["capped"] = capped;
    if (recipes.empty()) ours.push_back(one);
    for (const std::string& recipe : recipes) {
      one["recipe"] = recipe;
      ours.push_back(one);
    }
  }
  return ours;
}

/// The rows of runs of one kind.
void add_rows(const LedgerRun* first, const LedgerRun* last, const std::vector<std::string>& recipes, Json& rows) {
  EvaluationRecord all;  // every cell that any of them has, in the order of records
  for (const LedgerRun* run = first; run != last; ++run) {
    for (const EvaluationRecord& record : run->evaluations) {
      for (const EvaluationCell& cell : record.cells) all.put(cell);
    }
  }
  for (const EvaluationCell& cell : all.cells) {
    const Values values = values_of(first, last, cell);
    if (values.empty()) continue;
    rows.push_back({{"heads",
                     {first->task, first->setting, first->model_text(), first->recipe, cell.scenario,
                      grouped(cell.delay), cell.group}},
                    {"model", first->model},
                    {"cells", Json::array({{{"paper", nullptr}, {"ours", ours_json(values, recipes)}}})}});
  }
}

}  // namespace

nlohmann::ordered_json other_runs_table(const Ledger& ledger, const std::function<bool(const LedgerRun&)>& belongs) {
  Json rows = Json::array();
  const std::vector<std::string> recipes = ledger.recipes();
  for (const std::vector<LedgerRun>* some : {&ledger.runs(), &ledger.others()}) {
    const LedgerRun* const end = some->data() + some->size();
    for (const LedgerRun* first = some->data(); first != end;) {
      const LedgerRun* last = first + 1;
      while (last != end && are_of_one_kind(*first, *last)) ++last;
      if (some == &ledger.others() || belongs(*first)) add_rows(first, last, recipes, rows);
      first = last;
    }
  }
  return {{"id", "other_runs"},
          {"title", "Other tasks, settings and models"},
          {"caption",
           "Exact accuracy (%, mean ± sample SD over training seeds) of runs that the paper has no counterpart of: "
           "other tasks and settings, other models, and models of other sizes."},
          {"heads", {"Task", "Setting", "Model", "Recipe", "Scenario", "Length", "Group"}},
          {"columns", Json::array({{{"name", "exact"}, {"label", "Exact"}, {"unit", "percent"}, {"places", 1}}})},
          {"own", true},
          {"rows", std::move(rows)}};
}

}  // namespace schemamem
