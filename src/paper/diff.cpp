#include "paper/diff.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "system/files.h"

namespace schemamem {
namespace {

constexpr std::string_view kZero = "zero/";
constexpr std::size_t kLargestDiff = std::size_t{4} << 20;

/// What a run's own files say, for the columns that are no accuracy.
std::optional<double> plain_value(const LedgerRun& run, const std::string& column) {
  const auto number = [](const auto& value) { return static_cast<double>(value); };
  if (column == "parameters" && run.parameters) return number(*run.parameters);
  if (column == "persistent_elements" && run.persistent_elements) return number(*run.persistent_elements);
  if (!run.end) return std::nullopt;
  if (column == "target") return run.end->target;
  if (column == "steps") return number(run.end->steps);
  if (column == "tx_steps") return number(run.end->tx_steps);
  if (column == "maint_steps") return number(run.end->maint_steps);
  return std::nullopt;
}

Query query_of(const PaperCell& paper, const Selection& selection) {
  Query query{.recipe = selection.recipe,
              .model = paper.model,
              .setting = paper.setting,
              .scenario = {},
              .group = {},
              .delay = *paper.delay,
              .eval_seed = selection.eval_seed};
  std::string_view column = paper.column;
  if (column.starts_with(kZero)) {
    query.mode = "ablated";
    column.remove_prefix(kZero.size());
  }
  if (const std::size_t slash = column.find('/'); slash != std::string_view::npos) {
    query.scenario = column.substr(0, slash);
    query.group = column.substr(slash + 1);
    return query;
  }
  for (const NamedColumn& named : named_columns())
    if (named.name == column) return query.at(named, query.delay);
  throw ContractViolation("query_of: no such column: " + std::string(column));
}

std::vector<SeedValue> values_of(const Ledger& ledger, const Selection& selection, const PaperCell& paper) {
  std::vector<SeedValue> values;
  if (paper.delay) {
    values = ledger.values(query_of(paper, selection));
  } else {
    for (const LedgerRun* run : ledger.runs_of(selection.recipe, paper.model, paper.setting))
      if (const auto value = plain_value(*run, paper.column))
        values.push_back({.seed = run->seed, .exact = *value, .run = run});
  }
  if (paper.seed) std::erase_if(values, [&](const SeedValue& value) { return value.seed != *paper.seed; });
  return values;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWithin:
      return "within";
    case Verdict::kBetter:
      return "better";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kMissing:
      break;
  }
  return "missing";
}

Verdict judge(const PaperCell& paper, const std::optional<Summary>& ours) {
  if (!ours) return Verdict::kMissing;
  constexpr double kBinaryNoise = 1e-9;  // decimal digits are not exact in a double
  const double difference = ours->mean - paper.mean;
  const double spread = paper.sd.value_or(0.0) + paper.rounding * (paper.sd_printed ? 2 : 1);
  if (std::abs(difference) <= spread + kBinaryNoise) return Verdict::kWithin;
  if (paper.better == Better::kEqual) return Verdict::kWorse;
  return (difference > 0) == (paper.better == Better::kHigher) ? Verdict::kBetter : Verdict::kWorse;
}

DiffCell compare(const Ledger& ledger, const Selection& selection, const PaperCell& paper) {
  const std::vector<SeedValue> values = values_of(ledger, selection, paper);
  DiffCell cell{.paper = paper, .seeds = {}, .ours = summarise(values)};
  for (const SeedValue& value : values) {
    cell.seeds.push_back(value.seed);
    cell.capped = cell.capped || value.run->capped();
  }
  if (paper.seed) cell.seeds = {*paper.seed};
  cell.verdict = judge(paper, cell.ours);
  // Steps that did not reach the target are no cost of reaching it.
  if (cell.capped && paper.column.ends_with("steps")) cell.verdict = Verdict::kWorse;
  return cell;
}

std::vector<DiffCell> diff(const Ledger& ledger, const Selection& selection) {
  std::vector<DiffCell> cells;
  for (const PaperCell& paper : paper_cells()) cells.push_back(compare(ledger, selection, paper));
  return cells;
}

std::string diff_json(const std::vector<DiffCell>& cells) {
  using Json = nlohmann::ordered_json;
  std::string text = "{\"cells\": [";
  const char* separator = "\n";
  for (const DiffCell& cell : cells) {
    const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
    const Json line{{"table", cell.paper.table},
                    {"model", cell.paper.model},
                    {"setting", cell.paper.setting},
                    {"column", cell.paper.column},
                    {"delay", or_null(cell.paper.delay)},
                    {"seeds", cell.seeds},
                    {"ours_mean", cell.ours ? Json(cell.ours->mean) : Json(nullptr)},
                    {"ours_sd", cell.ours ? or_null(cell.ours->sd) : Json(nullptr)},
                    {"paper_mean", cell.paper.mean},
                    {"paper_sd", or_null(cell.paper.sd)},
                    {"verdict", verdict_name(cell.verdict)}};
    text += separator + line.dump();
    separator = ",\n";
  }
  return text + "\n]}\n";
}

Result<std::vector<DiffCell>> parse_diff(std::string_view text, const std::string& what) {
  const Result<JsonField> json = parse_json(text, what, {.bytes = kLargestDiff});
  if (!json) return json.error();
  const auto number = [](const JsonField& field) {
    return field.is_null() ? std::nullopt : std::optional(field.number());
  };
  std::vector<DiffCell> cells;
  for (const JsonField& line : json->items("cells")) {
    DiffCell cell;
    cell.paper.table = line.text("table");
    cell.paper.model = line.text("model");
    cell.paper.setting = line.text("setting");
    cell.paper.column = line.text("column");
    if (const JsonField delay = line.at("delay"); !delay.is_null()) cell.paper.delay = delay.count();
    cell.paper.mean = line.number("paper_mean");
    cell.paper.sd = number(line.at("paper_sd"));
    for (const JsonField& seed : line.items("seeds")) cell.seeds.push_back(seed.natural());
    if (const auto mean = number(line.at("ours_mean")))
      cell.ours = Summary{.count = cell.seeds.size(), .mean = *mean, .sd = number(line.at("ours_sd"))};
    const std::string verdict = line.text("verdict");
    for (const Verdict one : {Verdict::kWithin, Verdict::kBetter, Verdict::kWorse})
      if (verdict == verdict_name(one)) cell.verdict = one;
    cells.push_back(std::move(cell));
  }
  if (const Status read = json->status(); !read) return read.error();
  return cells;
}

Result<std::vector<DiffCell>> read_diff(const std::filesystem::path& file) {
  const auto text = read_text_file(file, kLargestDiff);
  if (!text) return text.error();
  return parse_diff(*text, file.string());
}

}  // namespace schemamem
