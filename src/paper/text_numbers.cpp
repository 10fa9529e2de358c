#include "paper/text_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "paper/tables.h"

namespace schemamem {
namespace {

constexpr double kTwoDecimals = 0.005;
constexpr std::string_view kZero = "zero/";

const PaperModel& model_of(std::string_view name) { return kPaperModels.at(model_rank(name)); }

class Text {
 public:
  Text(const Ledger& ledger, const Selection& selection)
      : ledger_(ledger), selection_(selection), known_(paper_cells()) {}

  void paragraph(std::string place) { place_ = std::move(place); }

  /// A mean over seeds; `column` may carry the prefix of S = 0. The spread is that of a table that has the same number.
  void accuracy(std::string_view model, std::string_view setting, std::string_view column, std::int64_t delay,
                double paper, std::optional<std::uint64_t> seed = {}) {
    PaperCell cell{.table = "text",
                   .model = std::string(model),
                   .setting = std::string(setting),
                   .column = std::string(column),
                   .delay = delay,
                   .seed = seed,
                   .mean = paper,
                   .rounding = kTwoDecimals};
    if (const PaperCell* same = in_tables(cell)) {
      cell.sd = same->sd;
      cell.sd_printed = same->sd_printed;
      cell.rounding = same->rounding;  // the spread is known no better
      cell.better = same->better;
    }
    std::string what =
        fmt::format("{} {}, {} at delay {}", model_of(model).title, setting, column_title(column), grouped(delay));
    if (seed) what += fmt::format(", seed {}", *seed);
    put({.what = what, .cell = compare(ledger_, selection_, cell), .decimals = 2, .unit = "%"});
  }

  void steps(std::string_view model, std::string_view setting) {
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const PaperCell& cell) {
      return cell.table == "cost" && cell.model == model && cell.setting == setting;
    });
    put({.what = fmt::format("{} {}, optimiser steps", model_of(model).title, setting),
         .cell = compare(ledger_, selection_, *found),
         .decimals = 0,
         .unit = "steps"});
  }

  /// In how many settings the mean of one model at the long delay is above that of another.
  void wins(std::string_view winner, std::string_view loser, std::string_view column, int paper) {
    int wins = 0, settings = 0;
    for (const std::string_view setting : kPaperSettings) {
      const auto ours = mean(winner, setting, column), theirs = mean(loser, setting, column);
      if (!ours || !theirs) continue;
      ++settings;
      wins += *ours > *theirs ? 1 : 0;
    }
    count(fmt::format("Settings in which {} is above {}: {} at delay 1,536", model_of(winner).title,
                      model_of(loser).title, column_title(column)),
          {.unit = "settings",
           .paper = paper,
           .whole = static_cast<int>(kPaperSettings.size()),
           .better = winner == "schemamem" ? Better::kHigher : Better::kLower},
          wins, settings);
  }

  /// How many SchemaMem checkpoints satisfy something about their accuracies with and without S.
  using Holds = std::function<bool(const std::vector<double>& with, const std::vector<double>& without)>;
  void checkpoints(const std::string& what, std::int64_t delay, const std::vector<std::string>& columns, int paper,
                   const Holds& holds) {
    int good = 0, all = 0;
    for (const std::string_view setting : kPaperSettings) {
      for (const LedgerRun* run : ledger_.runs_of(selection_.recipe, "schemamem", setting)) {
        std::vector<double> with, without;
        for (const std::string& column : columns) {
          if (const auto value = seed_value(setting, column, delay, run->seed)) with.push_back(*value);
          if (const auto value = seed_value(setting, std::string(kZero) + column, delay, run->seed))
            without.push_back(*value);
        }
        if (with.size() != columns.size() || without.size() != columns.size()) continue;
        ++all;
        good += holds(with, without) ? 1 : 0;
      }
    }
    count(what, {.unit = "checkpoints", .paper = paper, .whole = 27}, good, all);
  }

  /// The mean over all SchemaMem checkpoints of all settings.
  void mean_of_checkpoints(std::string_view column, std::int64_t delay, double paper) {
    std::vector<double> values;
    for (const std::string_view setting : kPaperSettings)
      for (const LedgerRun* run : ledger_.runs_of(selection_.recipe, "schemamem", setting))
        if (const auto value = seed_value(setting, column, delay, run->seed)) values.push_back(*value);
    TextNumber number{.what = fmt::format("SchemaMem, mean over all checkpoints, {} at delay {}", column_title(column),
                                          grouped(delay)),
                      .decimals = 2,
                      .unit = "%"};
    number.cell.paper.mean = paper;
    number.cell.ours = summarise(values);
    if (number.cell.ours) number.cell.ours->sd.reset();  // over settings as well as seeds: of another meaning
    put(std::move(number));
  }

  void passed_runs(int paper) {
    int passed = 0, all = 0;
    for (const LedgerRun& run : ledger_.runs()) {
      if (run.recipe != selection_.recipe || !run.end) continue;
      ++all;
      passed += run.end->passed ? 1 : 0;
    }
    count("Runs that reach their final target", {.unit = "runs", .paper = paper, .whole = 81}, passed, all);
  }

  std::vector<TextNumber> take() { return std::move(numbers_); }

 private:
  void put(TextNumber number) {
    number.place = place_;
    numbers_.push_back(std::move(number));
  }

  struct Counted {
    const char* unit;
    int paper, whole;
    Better better = Better::kHigher;
  };
  void count(const std::string& what, const Counted& counted, int ours, int of) {
    TextNumber number{.what = what, .decimals = 0, .unit = counted.unit, .of = of, .whole = counted.whole};
    number.cell.paper.mean = counted.paper;
    number.cell.paper.better = counted.better;
    if (of > 0) {
      number.cell.ours = Summary{.count = static_cast<std::size_t>(of), .mean = static_cast<double>(ours)};
      number.cell.verdict = judge(number.cell.paper, number.cell.ours);
    }
    put(std::move(number));
  }

  static std::string column_title(std::string_view column) {
    const bool zero = column.starts_with(kZero);
    if (zero) column.remove_prefix(kZero.size());
    for (const NamedColumn& named : named_columns())
      if (named.name == column) return std::string(named.title) + (zero ? " with S = 0" : "");
    throw ContractViolation("text_numbers: no such column: " + std::string(column));
  }

  const PaperCell* in_tables(const PaperCell& wanted) const {
    for (const PaperCell& cell : known_) {
      const bool same = cell.model == wanted.model && cell.setting == wanted.setting && cell.column == wanted.column &&
                        cell.delay == wanted.delay && cell.seed == wanted.seed && cell.table != "core";
      if (same) return &cell;
    }
    return nullptr;
  }

  std::optional<double> mean(std::string_view model, std::string_view setting, std::string_view column) const {
    const auto ours = compare(ledger_, selection_, cell_at(model, setting, column, kLongDelay, {})).ours;
    return ours ? std::optional(ours->mean) : std::nullopt;
  }
  std::optional<double> seed_value(std::string_view setting, std::string_view column, std::int64_t delay,
                                   std::uint64_t seed) const {
    const auto ours = compare(ledger_, selection_, cell_at("schemamem", setting, column, delay, seed)).ours;
    return ours ? std::optional(ours->mean) : std::nullopt;
  }
  static PaperCell cell_at(std::string_view model, std::string_view setting, std::string_view column,
                           std::int64_t delay, std::optional<std::uint64_t> seed) {
    return {.model = std::string(model),
            .setting = std::string(setting),
            .column = std::string(column),
            .delay = delay,
            .seed = seed};
  }

  const Ledger& ledger_;
  const Selection& selection_;
  std::vector<PaperCell> known_;
  std::string place_{};
  std::vector<TextNumber> numbers_{};
};

void results(Text& text) {
  text.paragraph("In-range mastery and delayed retention can diverge");
  text.accuracy("schemamem", "A3V3", "updated", kTrainedDelay, 95.35);
  text.accuracy("mamba3", "A3V3", "updated", kTrainedDelay, 99.58);
  text.accuracy("gdn", "A3V3", "updated", kTrainedDelay, 99.74);
  text.accuracy("schemamem", "A3V3", "updated", kLongDelay, 74.64);
  text.accuracy("mamba3", "A3V3", "updated", kLongDelay, 26.89);
  text.accuracy("gdn", "A3V3", "updated", kLongDelay, 27.15);
  text.accuracy("schemamem", "A3V3", "retained_i", kLongDelay, 78.91);
  text.accuracy("mamba3", "A3V3", "retained_i", kLongDelay, 21.26);
  text.accuracy("gdn", "A3V3", "retained_i", kLongDelay, 21.65);
  for (const char* column : {"retained_r", "retained_i"})
    for (const char* rival : {"mamba3", "gdn"}) text.wins("schemamem", rival, column, 9);
  text.wins("schemamem", "mamba3", "updated", 9);
  text.wins("schemamem", "gdn", "updated", 7);

  text.paragraph("The advantage is conditional");
  text.accuracy("gdn", "A3V4", "updated", 768, 95.18);
  text.accuracy("schemamem", "A3V4", "updated", 768, 85.90);
  text.accuracy("schemamem", "A3V5", "default", kLongDelay, 64.78);
  text.accuracy("gdn", "A3V5", "default", kLongDelay, 96.57);
  text.wins("gdn", "schemamem", "default", 9);
  text.accuracy("schemamem", "A5V3", "updated", kLongDelay, 64.26);
  text.accuracy("gdn", "A5V3", "updated", kLongDelay, 70.43);
  text.accuracy("schemamem", "A5V4", "updated", kLongDelay, 64.49);
  text.accuracy("gdn", "A5V4", "updated", kLongDelay, 75.37);
  text.accuracy("schemamem", "A5V5", "updated", kLongDelay, 67.40);
  text.accuracy("gdn", "A5V5", "updated", kLongDelay, 65.80);

  text.paragraph("Dynamic state carries the episode-specific values");
  for (const std::int64_t delay : {kTrainedDelay, kLongDelay}) {
    text.checkpoints(
        fmt::format("Checkpoints with every written group below 1 % at delay {} when S = 0", grouped(delay)), delay,
        {"retained_r", "retained_i", "updated"}, 27, [](const auto&, const auto& without) {
          return std::all_of(without.begin(), without.end(), [](double value) { return value < 1; });
        });
  }
  text.checkpoints("Checkpoints whose defaults improve at delay 1,536 when S = 0", kLongDelay, {"default"}, 27,
                   [](const auto& with, const auto& without) { return without.front() > with.front(); });

  text.paragraph("Training cost");
  for (const PaperModel& model : kPaperModels) text.steps(model.name, "A3V3");
}

void appendices(Text& text) {
  text.paragraph("Complete long-delay comparisons");
  const double schemamem[] = {57.03, 84.23, 91.85}, gdn[] = {79.10, 29.20, 0.93};
  for (std::size_t i = 0; i < kPaperSeeds.size(); ++i)
    text.accuracy("schemamem", "A4V3", "updated", kLongDelay, schemamem[i], kPaperSeeds[i]);
  for (std::size_t i = 0; i < kPaperSeeds.size(); ++i)
    text.accuracy("gdn", "A4V3", "updated", kLongDelay, gdn[i], kPaperSeeds[i]);

  text.paragraph("Seed-level variation");
  text.passed_runs(81);

  text.paragraph("Dynamic-state ablation");
  text.accuracy("schemamem", "A3V3", "zero/updated", kTrainedDelay, 0);
  text.accuracy("schemamem", "A3V3", "zero/updated", kLongDelay, 0);
  text.mean_of_checkpoints("zero/default", kTrainedDelay, 99.52);
  text.mean_of_checkpoints("default", kTrainedDelay, 99.83);
  text.mean_of_checkpoints("default", kLongDelay, 64.15);
  text.mean_of_checkpoints("zero/default", kLongDelay, 99.51);
}

}  // namespace

std::vector<TextNumber> text_numbers(const Ledger& ledger, const Selection& selection) {
  Text text(ledger, selection);
  results(text);
  appendices(text);
  return text.take();
}

Table text_number_table(const Ledger& ledger, const Selection& selection) {
  Table table{
      .name = "text_numbers",
      .title = "Numbers of the running text",
      .caption = fmt::format("Recipe {}, evaluation seed {}. ≈ within the paper's seed spread, ▲ better, ▼ worse; no "
                             "mark: the paper tells no spread, or counts more than we have. — missing.",
                             ledger.recipe_text(selection.recipe), selection.eval_seed),
      .keys = 2,
      .headings = {{.name = "Paragraph"}, {.name = "Number"}, {.name = "ours"}, {.name = "paper"}},
      .record_header = {"paragraph", "number", "unit", "ours", "ours_sd", "of", "paper", "paper_sd", "verdict"}};
  std::string last;
  for (TextNumber& number : text_numbers(ledger, selection)) {
    const bool judged = number.judged();
    if (!judged) number.cell.verdict = Verdict::kMissing;  // which has no mark
    std::string ours = "—";
    if (number.of > 0) {
      ours = fmt::format("{:.0f} of {}{}", number.cell.ours->mean, number.of, verdict_mark(number.cell.verdict));
    } else if (number.whole == 0) {
      ours = ours_text(number.cell, number.decimals, true);
    }
    const auto& paper = number.cell.paper;
    if (!table.rows.empty() && number.place != last) table.rows.emplace_back();
    table.rows.push_back({number.place == last ? "" : number.place, number.what, ours,
                          number.decimals > 0 ? fmt::format("{:.{}f}", paper.mean, number.decimals)
                                              : grouped(static_cast<std::int64_t>(paper.mean))});
    last = number.place;
    const auto& found = number.cell.ours;
    table.records.push_back({number.place, number.what, number.unit, found ? plain(found->mean) : "",
                             found ? plain(found->sd) : "", number.of > 0 ? std::to_string(number.of) : "",
                             plain(paper.mean), plain(paper.sd),
                             found && !judged ? "" : std::string(verdict_name(number.cell.verdict))});
  }
  return table;
}

}  // namespace schemamem
