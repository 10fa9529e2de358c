#include "paper/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "paper/gaps.h"

namespace schemamem {
namespace {

constexpr const char* kReading =
    "Left: ours, right: the paper's. ≈ within the paper's seed spread, ▲ better, ▼ worse, — missing, † a run ended at "
    "its "
    "step limit, n: seeds, where they are not the paper's three.";

std::string number_text(double value, int decimals) {
  return decimals > 0 ? fmt::format("{:.{}f}", value, decimals) : grouped(std::llround(value));
}

/// One column of the paper: ours and theirs side by side.
struct Pair {
  std::string title;   // "Retained-R"
  std::string column;  // "retained_r"
  int decimals = 1;
  bool with_sd = true;
};

class Builder {
 public:
  Builder(const Ledger& ledger, const Selection& selection, const std::vector<DiffCell>& cells, Table table,
          std::string source)
      : ledger_(ledger), selection_(selection), cells_(cells), table_(std::move(table)), source_(std::move(source)) {
    table_.caption += fmt::format(" Recipe {}, evaluation seed {}. {}", ledger.recipe_text(selection.recipe),
                                  selection.eval_seed, kReading);
  }

  void keys(const std::vector<std::string>& titles) {
    table_.keys = titles.size();
    for (const std::string& title : titles) {
      table_.headings.push_back({.name = title});
      std::string name = title;
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      table_.record_header.push_back(name);
    }
  }
  /// `name` is that of the column in the records.
  void pair(const std::string& title, const std::string& name) {
    table_.headings.push_back({title, "ours"});
    table_.headings.push_back({title, "paper"});
    for (const char* part : {"ours_mean", "ours_sd", "ours_seeds", "paper_mean", "paper_sd", "verdict"})
      table_.record_header.push_back(name + "_" + part);
  }
  void heading(const std::string& group, const std::string& title, const std::string& name) {
    table_.headings.push_back({group, title});
    table_.record_header.push_back(name);
  }

  void rule() {
    if (!table_.rows.empty()) table_.rows.emplace_back();
  }
  void row(const std::vector<std::string>& keys) {
    table_.rows.push_back(keys);
    table_.records.push_back(keys);
  }
  void number(std::string_view model, std::string_view setting, const Pair& pair,
              std::optional<std::uint64_t> seed = {}) {
    const auto found = std::find_if(cells_.begin(), cells_.end(), [&](const DiffCell& cell) {
      const PaperCell& paper = cell.paper;
      return paper.table == source_ && paper.model == model && paper.setting == setting &&
             paper.column == pair.column && paper.seed == seed;
    });
    auto& row = table_.rows.back();
    auto& record = table_.records.back();
    if (found == cells_.end()) {  // the scenario has no such group
      row.insert(row.end(), 2, "");
      record.insert(record.end(), 6, "");
      return;
    }
    const DiffCell& cell = *found;
    row.push_back(ours_text(cell, pair.decimals, pair.with_sd));
    row.push_back(
        number_text(cell.paper.mean, pair.decimals) +
        (pair.with_sd && cell.paper.sd ? fmt::format(" ± {}", number_text(*cell.paper.sd, pair.decimals)) : ""));
    record.push_back(cell.ours ? plain(cell.ours->mean) : "");
    record.push_back(cell.ours ? plain(cell.ours->sd) : "");
    record.push_back(std::to_string(cell.ours ? cell.ours->count : 0));
    record.push_back(plain(cell.paper.mean));
    record.push_back(plain(cell.paper.sd));
    record.emplace_back(verdict_name(cell.verdict));
    used_.push_back(cell.paper);
  }
  void text(const std::string& shown, const std::string& recorded) {
    table_.rows.back().push_back(shown);
    table_.records.back().push_back(recorded);
  }

  Table take() {
    for (std::string& note : capped_runs(ledger_, selection_, used_)) table_.notes.push_back(std::move(note));
    for (std::string& note : gaps(ledger_, selection_, used_)) table_.notes.push_back(std::move(note));
    return std::move(table_);
  }

 private:
  const Ledger& ledger_;
  const Selection& selection_;
  const std::vector<DiffCell>& cells_;
  Table table_;
  std::string source_;
  std::vector<PaperCell> used_{};
};

std::vector<Pair> named_pairs() {
  std::vector<Pair> pairs;
  for (const NamedColumn& column : named_columns())
    pairs.push_back({std::string(column.title), std::string(column.name)});
  return pairs;
}

class Tables {
 public:
  Tables(const Ledger& ledger, const Selection& selection)
      : ledger_(ledger), selection_(selection), cells_(diff(ledger, selection)) {}

  Table resources() const {
    Builder table = begin("resources", "tab:resources", "Resources", "Counts for A3V3, as the programs counted them.");
    table.keys({"Model"});
    const std::vector<Pair> pairs{{"Parameters", "parameters", 0, false},
                                  {"Persistent elements", "persistent_elements", 0, false},
                                  {"Final target (%)", "target", 0, false}};
    for (const Pair& pair : pairs) table.pair(pair.title, pair.column);
    for (const PaperModel& model : kPaperModels) {
      table.row({std::string(model.title)});
      for (const Pair& pair : pairs) table.number(model.name, "A3V3", pair);
    }
    return table.take();
  }

  Table core() const {
    Builder table =
        begin("core", "tab:core-results", "All nine long-delay comparisons",
              "Mean exact-value accuracy (%) at delay 1,536. I: retained after disjoint writes; U: overwritten "
              "values.");
    table.keys({"Setting"});
    const std::vector<Pair> pairs{{"I", "retained_i", 1, false}, {"U", "updated", 1, false}};
    for (const Pair& pair : pairs)
      for (const PaperModel& model : kPaperModels)
        table.pair(fmt::format("{} {}", pair.title, model.mark), fmt::format("{}_{}", pair.column, model.name));
    for (const std::string_view setting : kPaperSettings) {
      table.row({std::string(setting)});
      for (const Pair& pair : pairs)
        for (const PaperModel& model : kPaperModels) table.number(model.name, setting, pair);
    }
    return table.take();
  }

  Table long_delay() const {
    Builder table = begin("long_delay", "tab:longdelay", "Complete long-delay comparison",
                          "Exact-value accuracy (%) at delay 1,536, mean ± sample SD over training seeds.");
    table.keys({"Setting", "Model"});
    for (const Pair& pair : named_pairs()) table.pair(pair.title, pair.column);
    each_model([&](std::string_view setting, const PaperModel& model) {
      if (model.name == kPaperModels.front().name) table.rule();
      table.row({std::string(setting), std::string(model.mark)});
      for (const Pair& pair : named_pairs()) table.number(model.name, setting, pair);
    });
    return table.take();
  }

  Table cost() const {
    Builder table =
        begin("cost", "tab:cost", "Training cost",
              "Optimiser steps, transactions and maintenance, full-history batches included; mean over seeds. "
              "Fewer is better; steps of different recipes are of different size.");
    table.keys({"Setting"});
    for (const PaperModel& model : kPaperModels)
      table.pair(std::string(model.title), fmt::format("steps_{}", model.name));
    for (const std::string_view setting : kPaperSettings) {
      table.row({std::string(setting)});
      for (const PaperModel& model : kPaperModels) table.number(model.name, setting, {"", "steps", 0, false});
    }
    return table.take();
  }

  Table per_seed() const {
    Builder table =
        begin("per_seed", "tab:seeds", "Per-seed endpoints",
              "Optimiser steps in transactions (Tx) and maintenance (Maint); exact-value accuracy (%) at delay "
              "1,536 for values retained after disjoint writes (I) and overwritten values (U). The spread of "
              "a verdict is that of the paper's three seeds.");
    table.keys({"Setting", "Model", "Seed"});
    const std::vector<Pair> pairs{{"Tx", "tx_steps", 0, false},
                                  {"Maint", "maint_steps", 0, false},
                                  {"I", "retained_i", 2, false},
                                  {"U", "updated", 2, false}};
    for (const Pair& pair : pairs) table.pair(pair.title, pair.column);
    table.heading("Pass", "ours", "pass_ours");
    table.heading("Pass", "paper", "pass_paper");
    each_model([&](std::string_view setting, const PaperModel& model) {
      if (model.name == kPaperModels.front().name) table.rule();
      for (const std::uint64_t seed : kPaperSeeds) {
        table.row({std::string(setting), std::string(model.mark), std::to_string(seed)});
        for (const Pair& pair : pairs) table.number(model.name, setting, pair, seed);
        const std::string passed = pass(model.name, setting, seed);
        table.text(passed.empty() ? "—" : passed, passed);
        table.text("yes", "yes");  // all 81 of the paper's did
      }
    });
    return table.take();
  }

  Table groups() const {
    Builder table =
        begin("groups", "tab:groups", "All scenario groups",
              "Exact-value accuracy (%) at delay 1,536, mean ± sample SD. An empty cell: the scenario has no "
              "such group.");
    table.keys({"Setting", "Model", "Scenario"});
    table.pair("Retained", "retained");
    table.pair("Updated", "updated");
    table.pair("Default", "default");
    each_model([&](std::string_view setting, const PaperModel& model) {
      if (model.name == kPaperModels.front().name) table.rule();
      for (const char* scenario : {"retention", "interference", "overwrite"}) {
        table.row({std::string(setting), std::string(model.mark), scenario});
        for (const char* group : {"retained", "updated", "default"})
          table.number(model.name, setting, {"", fmt::format("{}/{}", scenario, group)});
      }
    });
    return table.take();
  }

  Table ablation(std::int64_t delay) const {
    const std::string name = fmt::format("ablation_{}", delay);
    Builder table =
        begin(name, fmt::format("tab:state-ablation-{}", delay),
              fmt::format("SchemaMem without its state, delay {}", grouped(delay)),
              "Exact-value accuracy (%), mean ± sample SD. S = 0: every layer's state is cleared after every "
              "commit; the same checkpoints and episodes.");
    table.keys({"Setting", "State"});
    for (const Pair& pair : named_pairs()) table.pair(pair.title, pair.column);
    for (const std::string_view setting : kPaperSettings) {
      table.rule();
      for (const bool zero : {false, true}) {
        table.row({std::string(setting), zero ? "S = 0" : "Normal"});
        for (Pair pair : named_pairs()) {
          if (zero) pair.column = "zero/" + pair.column;
          table.number("schemamem", setting, pair);
        }
      }
    }
    return table.take();
  }

 private:
  Builder begin(const std::string& name, const std::string& label, const std::string& title,
                const std::string& caption) const {
    return {ledger_, selection_, cells_, {.name = name, .label = label, .title = title, .caption = caption}, name};
  }
  void each_model(const std::function<void(std::string_view, const PaperModel&)>& visit) const {
    for (const std::string_view setting : kPaperSettings)
      for (const PaperModel& model : kPaperModels) visit(setting, model);
  }
  std::string pass(std::string_view model, std::string_view setting, std::uint64_t seed) const {
    for (const LedgerRun* run : ledger_.runs_of(selection_.recipe, model, setting))
      if (run->seed == seed && run->end) return run->end->passed ? "yes" : "no";
    return "";
  }

  const Ledger& ledger_;
  const Selection& selection_;
  std::vector<DiffCell> cells_;
};

}  // namespace

std::string_view verdict_mark(Verdict verdict) {
  switch (verdict) {
    case Verdict::kWithin:
      return " ≈";
    case Verdict::kBetter:
      return " ▲";
    case Verdict::kWorse:
      return " ▼";
    case Verdict::kMissing:
      break;
  }
  return "";
}

std::string ours_text(const DiffCell& cell, int decimals, bool with_sd) {
  if (!cell.ours) return "—";
  std::string text = number_text(cell.ours->mean, decimals);
  if (with_sd && cell.ours->sd) text += fmt::format(" ± {}", number_text(*cell.ours->sd, decimals));
  const bool of_runs = cell.paper.better != Better::kEqual;  // resources are a model's
  if (of_runs && !cell.paper.seed && cell.ours->count != kPaperSeeds.size())
    text += fmt::format(" (n={})", cell.ours->count);
  if (of_runs && cell.capped) text += " †";
  return text + std::string(verdict_mark(cell.verdict));
}

std::vector<Table> paper_tables(const Ledger& ledger, const Selection& selection) {
  const Tables tables(ledger, selection);
  return {tables.resources(),
          tables.core(),
          tables.long_delay(),
          tables.cost(),
          tables.per_seed(),
          tables.groups(),
          tables.ablation(kTrainedDelay),
          tables.ablation(kLongDelay)};
}

}  // namespace schemamem
