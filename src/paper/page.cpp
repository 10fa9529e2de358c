#include "paper/page.h"

#include <fmt/format.h>

#include <set>

#include "paper/claims.h"
#include "paper/numbers.h"
#include "paper/page_tables.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

std::string role_of(std::uint64_t eval_seed) {
  if (eval_seed == kPaperEvaluationSeed) return "paper";
  return eval_seed == kUnseenEvaluationSeed ? "unseen" : "other";
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

}  // namespace

PageSubject paper_subject(const Ledger& ledger) {
  PageSubject subject{.training_limit = kTrainedDelay};
  for (const PaperModel& model : kPaperModels)
    subject.models.push_back({std::string(model.name), std::string(model.title), std::string(model.mark)});
  for (const std::string& guest : ledger.guest_names()) subject.models.push_back({guest, guest, guest});
  subject.settings.assign(kPaperSettings.begin(), kPaperSettings.end());
  std::vector<std::uint64_t> eval_seeds{kPaperEvaluationSeed};
  for (const std::uint64_t seed : ledger.eval_seeds())
    if (seed != kPaperEvaluationSeed) eval_seeds.push_back(seed);
  for (const std::uint64_t seed : eval_seeds) subject.eval_seeds.push_back({seed, role_of(seed)});
  for (const Claim& claim : paper_claims()) subject.claims.push_back(claim_json(ledger, eval_seeds, claim));
  subject.tables = page_tables(ledger, eval_seeds);
  subject.points = paper_points();
  return subject;
}

}  // namespace schemamem
