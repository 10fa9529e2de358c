#include "paper/beyond.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "paper/numbers.h"

namespace schemamem {
namespace {

constexpr const char* kName = "other_settings";
constexpr const char* kTitle = "Other settings and models";

const PaperModel* paper_model(std::string_view name) {
  const auto found =
      std::find_if(kPaperModels.begin(), kPaperModels.end(), [&](const PaperModel& one) { return one.name == name; });
  return found == kPaperModels.end() ? nullptr : &*found;
}

bool is_paper_setting(std::string_view setting) {
  return std::find(kPaperSettings.begin(), kPaperSettings.end(), setting) != kPaperSettings.end();
}

template <class T>
void add_once(std::vector<T>& list, const T& one) {
  if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
}

std::string summary_text(const std::optional<Summary>& summary) {
  if (!summary) return "—";
  return fmt::format("{:.1f}{}", summary->mean,
                     summary->sd ? fmt::format(" ± {:.1f}", *summary->sd) : fmt::format(" (n={})", summary->count));
}

/// Of a table record, or of a curve where the table has none.
std::optional<Summary> summary_of(const Ledger& ledger, Query query) {
  auto summary = summarise(ledger.values(query));
  if (summary) return summary;
  query.kind = "curve";
  return summarise(ledger.values(query));
}

/// "1.5k", "98k", "1M"
std::string short_number(std::int64_t number) {
  if (number >= 1'000'000) return fmt::format("{:g}M", std::round(static_cast<double>(number) / 1e5) / 10);
  if (number >= 10'000) return fmt::format("{}k", (number + 500) / 1000);
  return std::to_string(number);
}

/// As many of the delays as have room below a narrow panel, the longest first.
std::string tics_of(const std::set<std::int64_t>& delays) {
  const double span = std::log(static_cast<double>(*delays.rbegin()) / static_cast<double>(*delays.begin()));
  std::vector<std::string> tics;
  std::int64_t last = 0;
  for (auto delay = delays.rbegin(); delay != delays.rend(); ++delay) {
    if (last != 0 && std::log(static_cast<double>(last) / static_cast<double>(*delay)) < span / 4.5) continue;
    tics.push_back(fmt::format("\"{}\" {}", short_number(*delay), *delay));
    last = *delay;
  }
  return fmt::format("{}", fmt::join(tics, ", "));
}

}  // namespace

Beyond::Beyond(const Ledger& ledger, const Selection& selection) : recipe_(selection.recipe) {
  const auto is_shown = [&](const LedgerRun& run) {
    return run.recipe == selection.recipe || paper_model(run.model) == nullptr;
  };
  for (const LedgerRun& run : ledger.runs()) {
    if (!is_shown(run)) continue;
    const bool of_grid = paper_model(run.model) != nullptr && is_paper_setting(run.setting);
    ++(of_grid ? of_grid_ : runs_);
    if (!of_grid) add_once(settings_, run.setting);
  }
  for (const LedgerRun& run : ledger.runs()) {
    if (!is_shown(run) || std::find(settings_.begin(), settings_.end(), run.setting) == settings_.end()) continue;
    const PaperModel* const known = paper_model(run.model);
    const bool listed = std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
      return line.model == run.model && line.recipe == run.recipe;
    });
    if (!listed) lines_.push_back({run.model, run.recipe, known != nullptr ? std::string(known->title) : run.model});
  }
  add_points(ledger, selection.eval_seed);
}

void Beyond::add_points(const Ledger& ledger, std::uint64_t eval_seed) {
  for (const std::string& setting : settings_) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Query query{.recipe = lines_[i].recipe, .model = lines_[i].model, .setting = setting, .eval_seed = eval_seed};
      std::set<std::int64_t> delays;
      for (const char* kind : {"table", "curve"}) {
        query.kind = kind;
        for (const NamedColumn& column : named_columns()) {
          for (const std::int64_t delay : ledger.delays(query.at(column, 0))) delays.insert(delay);
        }
      }
      query.kind = "table";
      for (const std::int64_t delay : delays) {
        Point point{.setting = setting, .line = i, .delay = delay};
        for (const NamedColumn& column : named_columns())
          point.by_column.push_back(summary_of(ledger, query.at(column, delay)));
        points_.push_back(std::move(point));
      }
    }
  }
}

std::vector<Table> Beyond::tables() const {
  if (points_.empty()) return {};
  Table table{.name = kName,
              .title = kTitle,
              .caption = fmt::format("Exact-value accuracy (%, mean ± sample SD over training seeds) of runs that the "
                                     "paper has no counterpart of, beside the models of the paper in the same "
                                     "settings. Recipe {} where no other is named. An addition of ours.",
                                     recipe_),
              .keys = 4,
              .headings = {{.name = "Setting"}, {.name = "Model"}, {.name = "Recipe"}, {.name = "Delay"}},
              .record_header = {"setting", "model", "recipe", "delay"}};
  for (const NamedColumn& column : named_columns()) {
    table.headings.push_back({.name = std::string(column.title)});
    for (const char* field : {"mean", "sd", "seeds"})
      table.record_header.push_back(fmt::format("{}_{}", column.name, field));
  }
  const Point* before = nullptr;
  for (const Point& point : points_) {
    const Line& line = lines_[point.line];
    if (before != nullptr && before->setting != point.setting) table.rows.emplace_back();
    before = &point;
    std::vector<std::string> row{point.setting, line.title, line.recipe, grouped(point.delay)};
    std::vector<std::string> record{point.setting, line.model, line.recipe, std::to_string(point.delay)};
    for (const auto& summary : point.by_column) {
      row.push_back(summary_text(summary));
      record.push_back(plain(summary ? std::optional(summary->mean) : std::nullopt));
      record.push_back(plain(summary ? summary->sd : std::nullopt));
      record.push_back(std::to_string(summary ? summary->count : 0));
    }
    table.rows.push_back(std::move(row));
    table.records.push_back(std::move(record));
  }
  return {std::move(table)};
}

std::vector<Figure> Beyond::figures() const {
  if (points_.empty()) return {};
  const std::vector<NamedColumn> columns = named_columns();
  std::vector<std::vector<std::string>> records;
  std::set<std::int64_t> delays;
  for (std::size_t c = 0; c < columns.size(); ++c) {  // a line's points stand behind each other
    for (const Point& point : points_) {
      const auto& summary = point.by_column[c];
      if (!summary || point.delay <= 0) continue;  // no place on a logarithmic axis
      delays.insert(point.delay);
      const double spread = summary->sd.value_or(0);
      records.push_back({point.setting, std::string(columns[c].name), std::to_string(point.line + 1),
                         lines_[point.line].model, lines_[point.line].recipe, std::to_string(point.delay),
                         plain(summary->mean), plain(summary->mean - spread), plain(summary->mean + spread),
                         std::to_string(summary->count)});
    }
  }
  if (delays.empty()) return {};
  PanelGrid grid{.comment = fmt::format("{}, recipe {}.\n# gnuplot -e \"format='svg'\" {}.gp   (pdf, svg or png)",
                                        kTitle, gnuplot_text(recipe_), kName),
                 .name = kName,
                 .width = 9.6,
                 .height = 1.4 + 1.9 * static_cast<double>(settings_.size()),
                 .columns = columns.size(),
                 .x_label = "delay: NULL queries between the writes and the final queries (log scale)"};
  grid.setup = fmt::format(
      "set logscale x 2\nset xrange [{}:{}]\nset xtics ({})\nset yrange [0:104]\nset ytics 25\n"
      "set arrow 1 from {}, graph 0 to {}, graph 1 nohead ls 21 back\ndata = \"{}.csv\"\n"
      "pick(s, c, i) = strcol(1) eq s && strcol(2) eq c && column(3) == i\n",
      std::max<std::int64_t>(1, *delays.begin() * 4 / 5), *delays.rbegin() / 10 * 13 + 1, tics_of(delays),
      kTrainedDelay, kTrainedDelay, kName);
  // Models of the paper keep their styles; the others get those behind them.
  constexpr const char* kColours[] = {"#CC79A7", "#E69F00", "#56B4E9", "#7A4A2B", "#5B4FB3"};
  std::vector<int> styles;
  int others = 0;
  for (const Line& line : lines_) {
    const PaperModel* const known = paper_model(line.model);
    if (known != nullptr) {
      styles.push_back(static_cast<int>(known - kPaperModels.data()) + 1);
    } else {
      styles.push_back(30 + others);
      grid.setup +=
          fmt::format("set style line {} lc rgb \"{}\" lw 1.8 dt solid pt {} ps 0.6\n", 30 + others,
                      kColours[static_cast<std::size_t>(others) % std::size(kColours)], 11 + 2 * (others % 2));
      ++others;
    }
    const std::string title = line.recipe == recipe_ ? line.title : fmt::format("{} ({})", line.title, line.recipe);
    grid.legend.push_back({.text = gnuplot_text(title), .style = styles.back()});
  }
  for (const std::string& setting : settings_) {
    grid.row_labels.push_back(gnuplot_text(setting) + " (%)");
    for (const NamedColumn& column : columns) {
      Panel panel{.title = std::string(column.title)};
      for (std::size_t i = 0; i < lines_.size(); ++i) {
        panel.plot += fmt::format(
            "{}data skip 1 using (pick(\"{}\", \"{}\", {}) ? $6 : NaN):7:8:9 with yerrorlines ls {} notitle",
            i == 0 ? "" : ", \\\n     ", gnuplot_text(setting), column.name, i + 1, styles[i]);
      }
      grid.panels.push_back(std::move(panel));
    }
  }
  const std::vector<std::string> header{"setting", "column", "line", "model", "recipe",
                                        "delay",   "mean",   "low",  "high",  "seeds"};
  return {{kName, "", kTitle, csv(header, records), gnuplot_script(grid)}};
}

std::string Beyond::note() const {
  if (empty()) return "";
  const std::string where = fmt::format("{} run{} of {} or of models that the paper has not", runs_,
                                        runs_ == 1 ? " is" : "s are", fmt::join(settings_, ", "));
  const std::string shown =
      points_.empty()
          ? "none of them is evaluated with this seed: `schemamem eval RUN` does it"
          : fmt::format("`paper all` puts them into tables/{0} and figures/{0}, `report` shows them too", kName);
  return is_all() ? fmt::format(
                        "None of the runs is of the paper's settings and models, so that its own tables are "
                        "empty: {}; {}.",
                        where, shown)
                  : fmt::format("Beside the paper's, {}; {}.", where, shown);
}

}  // namespace schemamem
