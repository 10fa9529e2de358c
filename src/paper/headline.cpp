#include "paper/headline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace schemamem {
namespace {

constexpr std::string_view kBegin = "<!-- headline: `make results` writes what follows -->";
constexpr std::string_view kEnd = "<!-- end of headline -->";
constexpr const char* kPaper = "paper as printed";  // beside the names of recipes, one of which is `paper`
constexpr std::size_t kWholeGrid = kPaperSettings.size() * kPaperSeeds.size();
constexpr std::string_view kBriefColumn = "retained_i";  // the one score of the brief headline

/// Means of single settings, averaged.
struct OverSettings {
  std::size_t settings = 0, runs = 0;
  double mean = 0, low = 0, high = 0;

  void add(double value, std::size_t behind = 1) {
    runs += behind;
    low = settings == 0 ? value : std::min(low, value);
    high = settings == 0 ? value : std::max(high, value);
    mean += (value - mean) / static_cast<double>(++settings);
  }
};

/// By delay.
using Curve = std::map<std::int64_t, OverSettings>;

class Results {
 public:
  Results(const Ledger& ledger, std::uint64_t eval_seed)
      : ledger_(ledger), eval_seed_(eval_seed), columns_(named_columns()), paper_(paper_cells()) {}

  const std::vector<NamedColumn>& columns() const { return columns_; }

  Curve ours(const std::string& recipe, std::string_view model, const NamedColumn& column) const {
    Curve curve;
    for (const std::string_view setting : kPaperSettings) {
      const Query query{
          .recipe = recipe, .model = std::string(model), .setting = std::string(setting), .eval_seed = eval_seed_};
      for (const CurvePoint& point : mean_curve(ledger_, query.at(column, 0)))
        curve[std::llround(point.delay)].add(point.exact, point.runs);
    }
    return curve;
  }

  /// The paper prints all models at one delay only.
  Curve papers(std::string_view model, const NamedColumn& column) const {
    Curve curve;
    for (const PaperCell& cell : paper_)
      if (cell.table == "long_delay" && cell.model == model && cell.column == column.name)
        curve[kLongDelay].add(cell.mean, kPaperSeeds.size());
    return curve;
  }

  /// Mean steps of training.
  OverSettings steps(const std::string& recipe, std::string_view model) const {
    OverSettings all;
    for (const LedgerRun& run : ledger_.runs())
      if (run.recipe == recipe && run.model == model && run.end) all.add(static_cast<double>(run.end->steps));
    return all;
  }
  OverSettings papers_steps(std::string_view model) const {
    OverSettings all;
    for (const PaperCell& cell : paper_)
      if (cell.table == "cost" && cell.model == model && cell.column == "steps") all.add(cell.mean);
    return all;
  }

 private:
  const Ledger& ledger_;
  std::uint64_t eval_seed_;
  std::vector<NamedColumn> columns_;
  std::vector<PaperCell> paper_;
};

/// Delays of the table: where the paper stops, and where curves go.
std::vector<std::int64_t> shown_delays(const Ledger& ledger, const Results& results) {
  std::vector<std::int64_t> shown{kLongDelay};
  for (const std::string& recipe : ledger.recipes())
    for (const PaperModel& model : kPaperModels)
      for (const auto& [delay, value] : results.ours(recipe, model.name, results.columns().front()))
        if (delay > kLongDelay) shown.push_back(delay);
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

/// "99.9 / 100.0 / 98.7 / 100.0"; a number that is not of the whole grid says of how many runs it is.
std::string four(const std::vector<Curve>& curves, std::int64_t delay) {
  std::vector<std::string> numbers;
  std::size_t runs = kWholeGrid;
  for (const Curve& curve : curves) {
    const auto found = curve.find(delay);
    if (found == curve.end()) return "";
    runs = std::min(runs, found->second.runs);
    numbers.push_back(fmt::format("{:.1f}", found->second.mean));
  }
  const std::string text = fmt::format("{}", fmt::join(numbers, " / "));
  return runs == kWholeGrid ? text : fmt::format("{} ({} of {} runs)", text, runs, kWholeGrid);
}

const std::vector<std::string> kRecordHeader{"model", "training", "delay", "column", "settings", "mean", "low", "high"};

std::vector<std::string> record_of(const PaperModel& model, const std::string& training, std::int64_t delay,
                                   const NamedColumn& column, const OverSettings& value) {
  return {std::string(model.name),        training,          std::to_string(delay), std::string(column.name),
          std::to_string(value.settings), plain(value.mean), plain(value.low),      plain(value.high)};
}

Table table_of(const Ledger& ledger, const Results& results) {
  const std::vector<std::int64_t> delays = shown_delays(ledger, results);
  std::vector<std::string_view> titles;
  for (const NamedColumn& column : results.columns()) titles.push_back(column.title);
  Table table{
      .name = "headline",
      .title = "What is still known after a delay",
      .caption = fmt::format("Exact-value accuracy (%), {}, after training on delays of at most {}: means over "
                             "training seeds, then over the nine settings. Steps are means over the runs, with the "
                             "cool-down after the target.",
                             fmt::join(titles, " / "), kTrainedDelay),
      .keys = 2,
      .headings = {{.name = "Model"}, {.name = "Training"}, {.name = "Runs"}, {.name = "Steps"}},
      .record_header = kRecordHeader};
  for (const std::int64_t delay : delays) table.headings.push_back({.name = "delay " + grouped(delay)});

  const auto put = [&](const PaperModel& model, const std::string& training, std::size_t runs,
                       const OverSettings& steps, const std::vector<Curve>& curves) {
    std::vector<std::string> row{std::string(model.title), training == kPaper ? training : "`" + training + "`",
                                 std::to_string(runs), steps.settings == 0 ? "" : grouped(std::llround(steps.mean))};
    for (const std::int64_t delay : delays) row.push_back(four(curves, delay));
    table.rows.push_back(std::move(row));
    for (std::size_t i = 0; i < curves.size(); ++i)
      for (const auto& [delay, value] : curves[i])
        table.records.push_back(record_of(model, training, delay, results.columns()[i], value));
  };
  for (const PaperModel& model : kPaperModels) {
    const auto curves_of = [&](const auto& curve) {
      std::vector<Curve> curves;
      for (const NamedColumn& column : results.columns()) curves.push_back(curve(column));
      return curves;
    };
    put(model, kPaper, kWholeGrid, results.papers_steps(model.name),
        curves_of([&](const NamedColumn& column) { return results.papers(model.name, column); }));
    for (const std::string& recipe : ledger.recipes()) {
      const OverSettings steps = results.steps(recipe, model.name);
      if (steps.settings == 0) continue;
      put(model, recipe, steps.settings, steps,
          curves_of([&](const NamedColumn& column) { return results.ours(recipe, model.name, column); }));
    }
  }
  return table;
}

/// Those with an evaluation; all of them where none has one, for the paper's points.
std::vector<std::string> drawn_recipes(const Ledger& ledger, const Results& results) {
  std::vector<std::string> drawn;
  for (const std::string& recipe : ledger.recipes())
    if (std::any_of(kPaperModels.begin(), kPaperModels.end(), [&](const PaperModel& model) {
          return !results.ours(recipe, model.name, results.columns().front()).empty();
        }))
      drawn.push_back(recipe);
  return drawn.empty() ? ledger.recipes() : drawn;
}

/// Of each model, over how many settings its curves go: a mean over fewer is a point beside the line.
std::string whole_settings(const Results& results, const std::string& recipe) {
  std::vector<std::size_t> most;
  for (const PaperModel& model : kPaperModels) {
    most.push_back(0);
    for (const NamedColumn& column : results.columns())
      for (const auto& [delay, value] : results.ours(recipe, model.name, column))
        most.back() = std::max(most.back(), value.settings);
  }
  return fmt::format("{}", fmt::join(most, " "));
}

/// What all headlines draw: accuracy over delay.
PanelGrid delay_grid(const Table& table, std::int64_t longest) {
  PanelGrid grid{
      .comment = std::string("Accuracy over delay, means over the nine settings, bands from the worst setting to the "
                             "best; and the paper's means.\n"
                             "# gnuplot -e \"format='svg'\" ") +
                 table.name + ".gp   (pdf, svg or png)",
      .name = table.name,
      .x_label = "delay: NULL queries between the writes and the final queries (log scale)"};
  std::string models;
  for (const PaperModel& model : kPaperModels) models += (models.empty() ? "" : " ") + std::string(model.name);
  grid.setup = fmt::format(
      "set logscale x 2\nset xrange [80:{}]\n"
      "set yrange [0:104]\nset ytics 25\nset arrow 1 from 384, graph 0 to 384, graph 1 nohead ls 21 back\n"
      "data = \"{}.csv\"\nmodels = \"{}\"\n"
      "pick(i, t, c) = strcol(1) eq word(models, i) && strcol(2) eq t && strcol(4) eq c\n"
      "whole(i, t, c, n) = pick(i, t, c) && column(5) >= word(n, i)\n"
      "part(i, t, c, n) = pick(i, t, c) && column(5) < word(n, i)\n",
      std::llround(1.3 * static_cast<double>(longest)), table.name, models);
  return grid;
}

/// Marks under every panel, their names under the last row.
std::string delay_marks(bool named) {
  std::string text;
  for (const auto& [name, delay] :
       {std::pair{"96", 96}, std::pair{"384", 384}, std::pair{"1.5k", 1536}, std::pair{"6k", 6144},
        std::pair{"25k", 24576}, std::pair{"98k", 98304}, std::pair{"1M", 1'000'000}})
    text += fmt::format("{}\"{}\" {}", text.empty() ? "" : ", ", named ? name : "", delay);
  return "set xtics (" + text + ")\n";
}

/// Bands and lines of the three models under a recipe, and the paper's points.
std::string delay_plot(const std::string& recipe, const NamedColumn& column, const std::string& settings) {
  return fmt::format(
      "for [i=1:3] data skip 1 using (whole(i, \"{0}\", \"{1}\", \"{3}\") ? $3 : NaN):7:8 with filledcurves ls i "
      "notitle, "
      "\\\n"
      "     for [i=1:3] data skip 1 using (whole(i, \"{0}\", \"{1}\", \"{3}\") ? $3 : NaN):6 with linespoints ls i "
      "notitle, \\\n"
      "     for [i=1:3] data skip 1 using (part(i, \"{0}\", \"{1}\", \"{3}\") ? $3 : NaN):6 with points ls i "
      "notitle, \\\n"
      "     for [i=1:3] data skip 1 using (pick(i, \"{2}\", \"{1}\") ? $3 * 1.06 ** i : NaN):6 with points ls 10+i "
      "notitle",
      gnuplot_text(recipe), column.name, kPaper, settings);
}

Figure figure_of(const Ledger& ledger, const Results& results, const Table& table) {
  const std::vector<std::string> recipes = drawn_recipes(ledger, results);
  PanelGrid grid = delay_grid(table, shown_delays(ledger, results).back());
  grid.width = 9.6;
  grid.height = 1.2 + 2.0 * static_cast<double>(recipes.size());
  grid.columns = results.columns().size();
  for (const std::string& recipe : recipes) {
    grid.row_labels.push_back("recipe " + recipe + " (%)");
    const std::string settings = whole_settings(results, recipe);
    for (const NamedColumn& column : results.columns())
      grid.panels.push_back({.title = recipe == recipes.front() ? std::string(column.title) : "",
                             .before = delay_marks(recipe == recipes.back()),
                             .plot = delay_plot(recipe, column, settings)});
  }
  return {table.name, "", table.title, csv(table), paper_script(std::move(grid))};
}

/// A recipe and a delay at which all models have the whole grid.
struct WholeCell {
  std::string recipe;
  std::int64_t delay;
};

/// The paper's delay and the longest one, of each recipe that has them.
std::vector<WholeCell> brief_cells(const Ledger& ledger, const Results& results, const NamedColumn& column) {
  const auto is_whole = [&](const std::string& recipe, std::int64_t delay) {
    return std::all_of(kPaperModels.begin(), kPaperModels.end(), [&](const PaperModel& model) {
      const Curve curve = results.ours(recipe, model.name, column);
      return curve.contains(delay) && curve.at(delay).runs == kWholeGrid;
    });
  };
  std::vector<WholeCell> cells;
  for (const std::string& recipe : ledger.recipes()) {
    std::vector<std::int64_t> delays = shown_delays(ledger, results);
    std::erase_if(delays, [&](std::int64_t delay) { return !is_whole(recipe, delay); });
    if (delays.size() > 2) delays.erase(delays.begin() + 1, delays.end() - 1);
    for (const std::int64_t delay : delays) cells.push_back({recipe, delay});
  }
  return cells;
}

Table brief_table(const Results& results, const NamedColumn& column, const std::vector<WholeCell>& cells) {
  Table table{.name = "headline_brief",
              .title = "What is still known after a delay",
              .caption = fmt::format("{}: exact values (%), means of {} runs a cell, three seeds in nine settings, "
                                     "trained on delays of at most {}.",
                                     column.title, kWholeGrid, kTrainedDelay),
              .keys = 1,
              .headings = {{.name = "Model"}, {.name = "paper, " + grouped(kLongDelay)}},
              .record_header = kRecordHeader};
  for (const WholeCell& cell : cells)
    table.headings.push_back({.name = fmt::format("`{}`, {}", cell.recipe, grouped(cell.delay))});
  for (const PaperModel& model : kPaperModels) {
    const auto put = [&](const std::string& training, const Curve& curve) {
      for (const auto& [delay, value] : curve)
        if (value.runs == kWholeGrid) table.records.push_back(record_of(model, training, delay, column, value));
    };
    const Curve papers = results.papers(model.name, column);
    std::vector<std::string> row{std::string(model.title), fmt::format("{:.1f}", papers.at(kLongDelay).mean)};
    put(kPaper, papers);
    for (const WholeCell& cell : cells) {
      const Curve curve = results.ours(cell.recipe, model.name, column);
      row.push_back(fmt::format("{:.1f}", curve.at(cell.delay).mean));
      if (cell.delay == kLongDelay) put(cell.recipe, curve);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Figure brief_figure(const Results& results, const NamedColumn& column, const std::vector<WholeCell>& cells,
                    const Table& table) {
  std::int64_t longest = kLongDelay;
  for (const WholeCell& cell : cells) longest = std::max(longest, cell.delay);
  PanelGrid grid = delay_grid(table, longest);
  for (const WholeCell& cell : cells)
    if (cell.delay == kLongDelay)
      grid.panels.push_back({.title = "recipe " + gnuplot_text(cell.recipe),
                             .before = delay_marks(true),
                             .plot = delay_plot(cell.recipe, column, whole_settings(results, cell.recipe))});
  grid.columns = std::max<std::size_t>(grid.panels.size(), 1);
  grid.width = 7.2;
  grid.height = 2.9;
  grid.row_labels = {std::string(column.title) + " (%)"};
  return {table.name, "", table.title, csv(table), paper_script(std::move(grid))};
}

}  // namespace

Headline headline(const Ledger& ledger, std::uint64_t eval_seed) {
  const Results results(ledger, eval_seed);
  Table table = table_of(ledger, results);
  Figure figure = figure_of(ledger, results, table);
  return {std::move(table), std::move(figure)};
}

Headline brief_headline(const Ledger& ledger, std::uint64_t eval_seed) {
  const Results results(ledger, eval_seed);
  const auto& columns = results.columns();
  const auto column = std::find_if(columns.begin(), columns.end(), [](auto& one) { return one.name == kBriefColumn; });
  require(column != columns.end(), "brief_headline: its score is one of the paper's columns");
  const std::vector<WholeCell> cells = brief_cells(ledger, results, *column);
  Table table = brief_table(results, *column, cells);
  Figure figure = brief_figure(results, *column, cells, table);
  return {std::move(table), std::move(figure)};
}

std::string headline_text(const Headline& headline, const std::string& picture) {
  return fmt::format("{}\n![{}]({})\n", markdown(headline.table), headline.figure.title, picture);
}

Result<std::string> with_headline(std::string_view text, std::string_view replacement, const std::string& what) {
  const std::size_t begin = text.find(kBegin), end = text.find(kEnd);
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    return Error(ErrorKind::kBadData,
                 fmt::format("{} has no place for a headline. Put the lines \"{}\" and \"{}\" where it belongs.", what,
                             kBegin, kEnd));
  return fmt::format("{}{}\n\n{}\n{}", text.substr(0, begin), kBegin, replacement, text.substr(end));
}

}  // namespace schemamem
