#include "paper/page_tables.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "paper/diff.h"
#include "paper/guests.h"
#include "paper/numbers.h"
#include "paper/page_layouts.h"
#include "report/page.h"
#include "report/statistics.h"
#include "report/table.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<PaperCell>;

Json columns_json(const std::vector<TableColumn>& columns) {
  Json list = Json::array();
  for (const TableColumn& column : columns) {
    Json one{{"name", column.name}, {"label", column.label}, {"unit", column.unit}, {"places", column.places}};
    if (!column.group.empty()) one["group"] = column.group;
    if (!column.model.empty()) one["model"] = column.model;
    list.push_back(std::move(one));
  }
  return list;
}

/// Ours beside one number of the paper, for each recipe and each seed of episodes that has one.
Json cell_json(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds, const PaperCell& paper) {
  Json ours = Json::array();
  for (const std::string& recipe : ledger.recipes()) {
    for (const std::uint64_t eval_seed : eval_seeds) {
      const DiffCell cell = compare(ledger, {.recipe = recipe, .eval_seed = eval_seed}, paper);
      if (cell.ours) {
        ours.push_back({{"recipe", recipe},
                        {"eval_seed", paper.delay ? Json(eval_seed) : Json(nullptr)},
                        {"mean", cell.ours->mean},
                        {"sd", or_null(cell.ours->sd)},
                        {"seeds", cell.seeds},
                        {"capped", cell.capped},
                        {"verdict", verdict_name(cell.verdict)}});
      }
      if (!paper.delay) break;  // not an accuracy: the same for all episodes
    }
  }
  return {{"paper", {{"mean", paper.mean}, {"sd", paper.sd_printed ? or_null(paper.sd) : Json(nullptr)}}},
          {"ours", std::move(ours)}};
}

Json table_json(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds, const TableLayout& layout,
                const Cells& cells) {
  Json rows = Json::array();
  for (const PaperCell& cell : cells) {
    if (cell.table != layout.id) continue;
    const std::vector<std::string> heads = layout.row(cell);
    auto row = std::find_if(rows.begin(), rows.end(), [&](const Json& one) { return one.at("heads") == Json(heads); });
    if (row == rows.end()) {
      rows.push_back({{"heads", heads}, {"model", cell.model}, {"cells", Json::array()}});
      if (layout.ablated_at) rows.back()["state"] = cell.column.starts_with("zero/") ? "zero" : "normal";
      rows.back()["cells"].get_ref<Json::array_t&>().resize(layout.columns.size());
      row = rows.end() - 1;
    }
    const auto column = std::find_if(layout.columns.begin(), layout.columns.end(),
                                     [&](const TableColumn& one) { return one.name == layout.column(cell); });
    require(column != layout.columns.end(), "page_tables: no column for " + cell.column + " in " + layout.id);
    (*row)["cells"][static_cast<std::size_t>(column - layout.columns.begin())] = cell_json(ledger, eval_seeds, cell);
  }
  Json table{{"id", layout.id},
             {"title", layout.title},
             {"caption", layout.caption},
             {"heads", layout.heads},
             {"columns", columns_json(layout.columns)},
             {"rows", std::move(rows)}};
  if (layout.ablated_at) table["delay"] = *layout.ablated_at;
  return table;
}

using Seeds = std::vector<std::uint64_t>;

/// A row of a table that the paper does not have: the named columns, and what `ours` makes of a query.
Json own_row(const Ledger& ledger, const Seeds& eval_seeds, Json heads, const Query& row,
             const std::function<Json(const Query&)>& ours) {
  Json cells = Json::array();
  for (const NamedColumn& column : named_columns()) {
    Json found = Json::array();
    for (const std::string& recipe : ledger.shown_recipes()) {
      for (const std::uint64_t eval_seed : eval_seeds) {
        Query query = row.at(column, row.delay);
        query.recipe = recipe;
        query.eval_seed = eval_seed;
        Json number = ours(query);
        if (number.is_null()) continue;
        number["recipe"] = recipe;
        number["eval_seed"] = eval_seed;
        found.push_back(std::move(number));
      }
    }
    cells.push_back({{"paper", nullptr}, {"ours", std::move(found)}});
  }
  return {{"heads", std::move(heads)}, {"model", row.model}, {"cells", std::move(cells)}};
}

/// Such a table with a row for each setting and model.
Json own_table(const Ledger& ledger, const Seeds& eval_seeds, Json table,
               const std::function<Json(const Query&)>& ours) {
  Json rows = Json::array();
  for (const std::string_view setting : kPaperSettings)
    for (const PaperModel& model : kPaperModels)
      rows.push_back(own_row(ledger, eval_seeds, {setting, model.title},
                             {.model = std::string(model.name), .setting = std::string(setting)}, ours));
  table["heads"] = {"Setting", "Model"};
  table["own"] = true;
  table["rows"] = std::move(rows);
  return table;
}

/// Mean and spread of values, and the seeds they are of; null for none.
Json summary_json(const std::vector<SeedValue>& values) {
  const auto summary = summarise(values);
  if (!summary) return nullptr;
  Json seeds = Json::array();
  for (const SeedValue& value : values) seeds.push_back(value.seed);
  return {{"mean", summary->mean}, {"sd", or_null(summary->sd)}, {"seeds", std::move(seeds)}};
}

/// A row for each setting, model and delay that curves reach and tables do not.
Json far_table(const Ledger& ledger, const Seeds& eval_seeds) {
  Json rows = Json::array();
  for (const std::string_view setting : kPaperSettings) {
    for (const PaperModel& model : kPaperModels) {
      Query row{.model = std::string(model.name), .setting = std::string(setting)};
      std::set<std::int64_t> delays;
      for (const std::string& recipe : ledger.recipes()) {
        for (const std::uint64_t eval_seed : eval_seeds) {
          Query query = row;
          query.recipe = recipe;
          query.eval_seed = eval_seed;
          delays.merge(far_delays(ledger, query, kLongDelay));
        }
      }
      for (const std::int64_t delay : delays) {
        row.delay = delay;
        rows.push_back(own_row(ledger, eval_seeds, {setting, model.title, grouped(delay)}, row,
                               [&](const Query& query) { return summary_json(far_values(ledger, query)); }));
      }
    }
  }
  return {
      {"id", "far"},
      {"title", "Beyond 1,536"},
      {"caption",
       "Exact-value accuracy (%, mean ± sample SD over training seeds) at delays far beyond the longest of training, "
       "384: one long stream an episode, asked at each delay."},
      {"columns", columns_json(named_table_columns("percent"))},
      {"heads", {"Setting", "Model", "Delay"}},
      {"own", true},
      {"rows", std::move(rows)}};
}

/// A row for each setting that guests were scored in, delay and model.
Json guests_table(const Ledger& ledger, const Seeds& eval_seeds) {
  Json rows = Json::array();
  for (const std::string& setting : guest_settings(ledger)) {
    for (const std::int64_t delay : {kTrainedDelay, kLongDelay}) {
      for (const ShownModel& model : shown_models(ledger)) {
        const auto guest = ledger.runs_of("", model.name, setting);
        const bool counted = !guest.empty() && guest.front()->parameters;
        rows.push_back(
            own_row(ledger, eval_seeds,
                    {setting, grouped(delay), model.title, counted ? grouped(*guest.front()->parameters) : ""},
                    {.model = model.name, .setting = setting, .delay = delay},
                    [&](const Query& query) { return summary_json(ledger.values(query)); }));
      }
    }
  }
  return {{"id", "guests"},
          {"title", "Guests"},
          {"caption",
           "Models that are not ours on the same evaluation episodes: exact-value accuracy (%), mean ± sample SD over "
           "training seeds. What each is stands among the runs."},
          {"columns", columns_json(named_table_columns("percent"))},
          {"heads", {"Setting", "Delay", "Model", "Parameters of guests"}},
          {"own", true},
          {"rows", std::move(rows)}};
}

Json drops_table(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds) {
  const Json table{{"id", "drops"},
                   {"title", "Drops"},
                   {"caption",
                    "Accuracy lost between delay 384 and delay 1,536, in percentage points: differences within each "
                    "training seed, then mean ± sample SD. The paper draws them and prints no numbers."},
                   {"columns", columns_json(named_table_columns("points"))}};
  return own_table(ledger, eval_seeds, table,
                   [&](const Query& query) { return summary_json(ledger.drops(query, kTrainedDelay, kLongDelay)); });
}

Json half_life_table(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds) {
  const Json table{{"id", "half_life"},
                   {"title", "Half-lives"},
                   {"caption",
                    "The delay at which the mean accuracy has fallen to half of what it is at the shortest delay, on "
                    "straight lines over the logarithm of the delay. “>” means: not within the delays measured."},
                   {"columns", columns_json(named_table_columns("delay"))}};
  return own_table(ledger, eval_seeds, table, [&](const Query& query) -> Json {
    const auto half = half_life(mean_curve(ledger, query));
    if (!half) return nullptr;
    return {{"mean", half->delay}, {"sd", nullptr}, {"beyond", half->beyond}};
  });
}

}  // namespace

nlohmann::ordered_json page_tables(const Ledger& ledger, const std::vector<std::uint64_t>& eval_seeds) {
  Json tables = Json::array();
  const Cells cells = paper_cells();
  for (const TableLayout& layout : table_layouts()) tables.push_back(table_json(ledger, eval_seeds, layout, cells));
  tables.push_back(drops_table(ledger, eval_seeds));
  tables.push_back(far_table(ledger, eval_seeds));
  tables.push_back(half_life_table(ledger, eval_seeds));
  if (!ledger.guests().empty()) tables.push_back(guests_table(ledger, eval_seeds));
  return tables;
}

}  // namespace schemamem
