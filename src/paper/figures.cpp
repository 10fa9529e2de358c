#include "paper/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "report/table.h"

namespace schemamem {
namespace {

constexpr std::size_t kNamedInANote = 3;

const NamedColumn& column_of(const std::vector<NamedColumn>& columns, std::string_view name) {
  return *std::find_if(columns.begin(), columns.end(), [&](const NamedColumn& column) { return column.name == name; });
}

/// Rows: setting, column, model, source (ours or paper), x, y, sd, low, high, seeds.
struct Data {
  std::vector<std::vector<std::string>> records{};

  void put(std::string_view setting, std::string_view column, std::string_view model, std::string_view source,
           std::uint64_t x, double y, const std::optional<double>& sd, std::size_t seeds) {
    const double spread = sd.value_or(0);
    records.push_back({std::string(setting), std::string(column), std::string(model), std::string(source),
                       std::to_string(x), plain(y), plain(sd), plain(y - spread), plain(y + spread),
                       std::to_string(seeds)});
  }
  void put(std::string_view setting, std::string_view column, std::string_view model, std::string_view source,
           std::uint64_t x, const Summary& summary) {
    put(setting, column, model, source, x, summary.mean, summary.sd, summary.count);
  }
  bool has(std::string_view setting, std::string_view column, std::string_view model) const {
    return std::any_of(records.begin(), records.end(), [&](const auto& record) {
      return record[0] == setting && record[1] == column && record[2] == model && record[3] == "ours";
    });
  }
  /// The lowest end of a spread.
  double low() const {
    double low = 0;
    for (const auto& record : records) low = std::min(low, std::stod(record[7]));
    return low;
  }
  std::string csv(const std::string& x) const {
    return schemamem::csv({"setting", "column", "model", "source", x, "mean", "sd", "low", "high", "seeds"}, records);
  }
};

class Figures {
 public:
  Figures(const Ledger& ledger, const Selection& selection)
      : ledger_(ledger), selection_(selection), columns_(named_columns()), paper_(paper_cells()) {}

  /// Panels of accuracy over delay, one a setting and column.
  Figure curves(const std::string& name, const std::string& label, const std::string& title,
                const std::vector<std::pair<std::string_view, std::string_view>>& places, PanelGrid grid) const {
    Data data;
    for (const auto& [setting, column] : places) put_curves(data, setting, column);
    grid.name = name;
    grid.comment = comment(label, title, name);
    grid.x_label = "delay: NULL queries between the writes and the final queries (log scale)";
    grid.setup =
        "set logscale x 2\nset xrange [80:1990]\nset xtics (96, 192, 384, 768, 1536)\nset yrange [0:104]\nset ytics "
        "25\n"
        "set arrow 1 from 384, graph 0 to 384, graph 1 nohead ls 21 back\n" +
        picker(name);
    for (const auto& [setting, column] : places) {
      Panel panel{.note = note(data, column, std::array{setting})};
      const std::string here = fmt::format("\"{}\", \"{}\"", setting, column);
      panel.plot = fmt::format(
          "for [i=1:3] data skip 1 using (pick({0}, i, \"ours\") ? $5 : NaN):8:9 with filledcurves ls i notitle, \\\n"
          "     for [i=1:3] data skip 1 using (pick({0}, i, \"ours\") ? $5 : NaN):6 with linespoints ls i notitle, \\\n"
          "     for [i=1:3] data skip 1 using (pick({0}, i, \"paper\") ? $5 * 1.06 ** i : NaN):6:8:9 with yerrorbars "
          "ls 10+i "
          "notitle",
          here);
      grid.panels.push_back(std::move(panel));
    }
    return {name, label, title, data.csv("delay"), titled(std::move(grid), places)};
  }

  Figure delay() const {
    std::vector<std::pair<std::string_view, std::string_view>> places;
    PanelGrid grid{.width = 7, .height = 8.4, .columns = 2};
    for (const NamedColumn& column : columns_) {
      for (const char* setting : {"A3V3", "A4V5"}) places.emplace_back(setting, column.name);
      grid.row_labels.push_back(std::string(column.title) + " (%)");
    }
    return curves("delay", "fig:delay", "Exact-value accuracy over delay, A3V3 and A4V5", places, std::move(grid));
  }

  Figure grid_of(const std::string& name, const std::string& label, std::string_view column) const {
    std::vector<std::pair<std::string_view, std::string_view>> places;
    for (const std::string_view setting : kPaperSettings) places.emplace_back(setting, column);
    const std::string title(column_of(columns_, column).title);
    return curves(name, label, title + " in all nine settings", places,
                  {.width = 7, .height = 6.6, .columns = 3, .y_label = "exact-value accuracy, " + title + " (%)"});
  }

  /// All addresses over the number of writes, one panel a setting; nothing if no run was asked.
  std::optional<Figure> writes() const {
    const std::string name = "writes", label = "writes", title = "All addresses after so many writes";
    Data data;
    std::int64_t most = 0;
    for (const std::string_view setting : kPaperSettings) {
      for (const PaperModel& model : kPaperModels) {
        Query asked = query(model.name, setting);
        for (const std::int64_t count : write_counts(ledger_, asked)) {
          asked.delay = count;
          most = std::max(most, count);
          data.put(setting, "all", model.name, "ours", static_cast<std::uint64_t>(count),
                   *summarise(write_values(ledger_, asked)));
        }
      }
    }
    if (data.records.empty()) return std::nullopt;
    PanelGrid grid{.comment = fmt::format("{}: an addition of ours, under the recipe {}, evaluation seed {}, without a "
                                          "floor; mean and sample SD\n# over training seeds.  gnuplot -e "
                                          "\"format='svg'\" {}.gp   (pdf, svg or png)",
                                          title, selection_.recipe, selection_.eval_seed, name),
                   .name = name,
                   .width = 7,
                   .height = 6.6,
                   .columns = 3,
                   .x_label = "writes to random addresses, eight queries for every two of them (log scale)",
                   .y_label = "exact values of all addresses (%)"};
    grid.setup = fmt::format(
        "set logscale x 2\nset xrange [3.4:{}]\nset xtics (4, 32, 256, 2048, 16384)\nset yrange [0:104]\nset ytics "
        "25\n{}",
        1.2 * static_cast<double>(most), picker(name));
    std::vector<std::pair<std::string_view, std::string_view>> places;
    for (const std::string_view setting : kPaperSettings) {
      Panel panel{.note = note(data, "all", std::array{setting})};
      panel.plot = fmt::format(
          "for [i=1:3] data skip 1 using (pick(\"{0}\", \"all\", i, \"ours\") ? $5 : NaN):8:9 with filledcurves ls i "
          "notitle, \\\n"
          "     for [i=1:3] data skip 1 using (pick(\"{0}\", \"all\", i, \"ours\") ? $5 : NaN):6 with linespoints ls "
          "i notitle",
          setting);
      grid.panels.push_back(std::move(panel));
      places.emplace_back(setting, "all");
    }
    return Figure{name, label, title, data.csv("writes"), titled(std::move(grid), places, Source::kOurs)};
  }

  Figure drops() const {
    const std::string name = "drops", label = "fig:drops", title = "Accuracy lost from delay 384 to 1,536";
    Data data;
    PanelGrid grid{.comment = comment(label, title, name),
                   .name = name,
                   .width = 7,
                   .height = 5.2,
                   .columns = 2,
                   .x_label = "setting",
                   .y_label = "points lost from delay 384 to 1,536 (lower is better)"};
    for (const NamedColumn& column : columns_) put_drops(data, column);
    std::string tics;
    for (std::size_t i = 0; i < kPaperSettings.size(); ++i)
      tics += fmt::format("{}\"{}\" {}", i == 0 ? "" : ", ", kPaperSettings[i], i);
    grid.setup = fmt::format(
        "set xrange [-0.6:8.6]\nset yrange [{}:104]\nset ytics 25\nset xzeroaxis ls 20\n{}"
        "place(s) = (strstrt(\"A3V3A3V4A3V5A4V3A4V4A4V5A5V3A5V4A5V5\", s) - 1) / 4\n",
        std::min(-16.0, std::floor(data.low()) - 8), picker(name));
    for (const NamedColumn& column : columns_) {
      const bool bottom = column.group != "retained";
      Panel panel{.title = std::string(column.title), .note = note(data, column.name, kPaperSettings)};
      panel.before = bottom ? fmt::format("set xtics ({}) font \",8\"\n", tics)
                            : "set xtics (\"\" 0, \"\" 1, \"\" 2, \"\" 3, \"\" 4, \"\" 5, \"\" 6, \"\" 7, \"\" 8)\n";
      panel.plot = fmt::format(
          "for [i=1:3] data skip 1 using (pick(strcol(1), \"{0}\", i, \"ours\") ? place(strcol(1)) + 0.24 * (i - 2) : "
          "NaN):6:8:9 with yerrorbars ls i dt solid lw 1.2 notitle, \\\n"
          "     for [i=1:3] data skip 1 using (pick(strcol(1), \"{0}\", i, \"paper\") ? place(strcol(1)) + 0.24 * (i - "
          "2) - "
          "0.1 : NaN):6 with points ls 10+i notitle",
          column.name);
      grid.panels.push_back(std::move(panel));
    }
    return {name, label, title, data.csv("place"), paper_script(std::move(grid))};
  }

  Figure seeds() const {
    const std::string name = "seeds", label = "fig:seeds", title = "Individual training seeds at delay 1,536";
    Data data;
    PanelGrid grid{.comment = comment(label, title, name),
                   .name = name,
                   .width = 7,
                   .height = 9.2,
                   .columns = 3,
                   .x_label = "training seed (lines only guide the eye)"};
    grid.setup = "set xrange [41.6:44.4]\nset xtics (42, 43, 44)\nset yrange [0:104]\nset ytics 25\n" + picker(name);
    for (const std::string_view addresses : {"A3", "A4", "A5"}) {
      for (const std::string_view column : {"retained_i", "updated"}) {
        grid.row_labels.push_back(fmt::format("{} (%)", column_of(columns_, column).title));
        for (const std::string_view setting : kPaperSettings) {
          if (!setting.starts_with(addresses)) continue;
          put_seeds(data, setting, column);
          Panel panel{.title = column == "retained_i" ? std::string(setting) : "",
                      .note = note(data, column, std::array{setting})};
          panel.plot = fmt::format(
              "for [i=1:3] data skip 1 using (pick(\"{0}\", \"{1}\", i, \"paper\") ? $5 + 0.07 * (i - 1.2) : NaN):6 "
              "with "
              "linespoints ls 10+i lw 0.9 dt (2,4) notitle, \\\n"
              "     for [i=1:3] data skip 1 using (pick(\"{0}\", \"{1}\", i, \"ours\") ? $5 : NaN):6 with linespoints "
              "ls i "
              "notitle",
              setting, column);
          grid.panels.push_back(std::move(panel));
        }
      }
    }
    return {name, label, title, data.csv("seed"), paper_script(std::move(grid))};
  }

 private:
  Query query(std::string_view model, std::string_view setting) const {
    return {.recipe = selection_.recipe,
            .model = std::string(model),
            .setting = std::string(setting),
            .eval_seed = selection_.eval_seed};
  }

  std::string comment(const std::string& label, const std::string& title, const std::string& name) const {
    return fmt::format(
        "{} ({} of the paper): ours under the recipe {}, evaluation seed {}, mean and sample SD over training\n"
        "# seeds, and the paper's numbers.  gnuplot -e \"format='svg'\" {}.gp   (pdf, svg or png)",
        title, label, selection_.recipe, selection_.eval_seed, name);
  }

  /// What a panel does not show, and what is to be known about what it shows.
  std::string note(const Data& data, std::string_view column, std::span<const std::string_view> settings) const {
    std::vector<std::string> none, capped;
    for (const std::string_view setting : settings) {
      for (const PaperModel& model : kPaperModels) {
        const std::string name =
            settings.size() == 1 ? std::string(model.mark) : fmt::format("{} {}", model.mark, setting);
        const auto runs = ledger_.runs_of(selection_.recipe, model.name, setting);
        if (!data.has(setting, column, model.name))
          none.push_back(name);
        else if (std::any_of(runs.begin(), runs.end(), [](const LedgerRun* run) { return run->capped(); }))
          capped.push_back(name);
      }
    }
    const auto list = [&](const char* what, const std::vector<std::string>& names) -> std::string {
      if (names.empty()) return "";
      if (names.size() > kNamedInANote) return fmt::format("{}: {} of {}", what, names.size(), 3 * settings.size());
      return fmt::format("{}: {}", what, fmt::join(names, ", "));
    };
    const std::string missing = list("no runs", none), limited = list("† step limit", capped);
    return missing + (missing.empty() || limited.empty() ? "" : "   ") + limited;
  }

  /// A gnuplot function that picks the rows of a series.
  static std::string picker(const std::string& name) {
    std::string models;
    for (const PaperModel& model : kPaperModels) models += (models.empty() ? "" : " ") + std::string(model.name);
    return fmt::format(
        "data = \"{}.csv\"\nmodels = \"{}\"\n"
        "pick(s, c, i, o) = strcol(1) eq s && strcol(2) eq c && strcol(3) eq word(models, i) && strcol(4) eq o\n",
        name, models);
  }

  /// Settings as titles: of every panel, or of the first row where rows have labels of their own.
  static std::string titled(PanelGrid grid, const std::vector<std::pair<std::string_view, std::string_view>>& places,
                            Source source = Source::kBoth) {
    for (std::size_t i = 0; i < places.size(); ++i)
      if (grid.row_labels.empty() || i < grid.columns) grid.panels[i].title = places[i].first;
    return paper_script(std::move(grid), source);
  }

  /// The paper's number for a mean over seeds, if a table has it.
  const PaperCell* paper_mean(std::string_view model, std::string_view setting, std::string_view column,
                              std::int64_t delay) const {
    for (const PaperCell& cell : paper_)
      if (cell.sd_printed && cell.model == model && cell.setting == setting && cell.column == column &&
          cell.delay == delay)
        return &cell;
    return nullptr;
  }

  void put_curves(Data& data, std::string_view setting, std::string_view column) const {
    for (const PaperModel& model : kPaperModels) {
      for (const std::int64_t delay : kPaperDelays) {
        const auto summary =
            summarise(ledger_.values(query(model.name, setting).at(column_of(columns_, column), delay)));
        if (summary) data.put(setting, column, model.name, "ours", static_cast<std::uint64_t>(delay), *summary);
      }
      for (const std::int64_t delay : kPaperDelays)
        if (const PaperCell* cell = paper_mean(model.name, setting, column, delay))
          data.put(setting, column, model.name, "paper", static_cast<std::uint64_t>(delay), cell->mean, cell->sd,
                   kPaperSeeds.size());
    }
  }

  void put_drops(Data& data, const NamedColumn& column) const {
    for (std::size_t place = 0; place < kPaperSettings.size(); ++place) {
      const std::string_view setting = kPaperSettings[place];
      for (const PaperModel& model : kPaperModels) {
        const auto summary =
            summarise(ledger_.drops(query(model.name, setting).at(column, kTrainedDelay), kTrainedDelay, kLongDelay));
        if (summary) data.put(setting, column.name, model.name, "ours", place, *summary);
        // The mean of the differences is the difference of the means; the SD of the differences is not printed.
        const PaperCell* before = paper_mean(model.name, setting, column.name, kTrainedDelay);
        const PaperCell* after = paper_mean(model.name, setting, column.name, kLongDelay);
        if (before != nullptr && after != nullptr)
          data.put(setting, column.name, model.name, "paper", place, before->mean - after->mean, {},
                   kPaperSeeds.size());
      }
    }
  }

  void put_seeds(Data& data, std::string_view setting, std::string_view column) const {
    for (const PaperModel& model : kPaperModels) {
      const auto values = ledger_.values(query(model.name, setting).at(column_of(columns_, column), kLongDelay));
      for (const SeedValue& value : values)
        data.put(setting, column, model.name, "ours", value.seed, value.exact, {}, 1);
      for (const PaperCell& cell : paper_)
        if (cell.seed && cell.model == model.name && cell.setting == setting && cell.column == column)
          data.put(setting, column, model.name, "paper", *cell.seed, cell.mean, {}, 1);
    }
  }

  const Ledger& ledger_;
  const Selection& selection_;
  std::vector<NamedColumn> columns_;
  std::vector<PaperCell> paper_;
};

}  // namespace

std::vector<Figure> paper_figures(const Ledger& ledger, const Selection& selection) {
  const Figures figures(ledger, selection);
  std::vector<Figure> all{figures.delay(),
                          figures.grid_of("retention", "fig:all-retention", "retained_r"),
                          figures.grid_of("interference", "fig:all-interference", "retained_i"),
                          figures.grid_of("updated", "fig:all-updated", "updated"),
                          figures.grid_of("default", "fig:all-default", "default"),
                          figures.drops(),
                          figures.seeds()};
  if (auto writes = figures.writes()) all.push_back(std::move(*writes));
  return all;
}

std::string paper_script(PanelGrid grid, Source source) {
  for (std::size_t i = 0; i < kPaperModels.size(); ++i)
    grid.legend.push_back({.text = std::string(kPaperModels[i].title), .style = static_cast<int>(i) + 1});
  if (source == Source::kBoth) grid.legend.push_back({.text = "hollow: the paper's", .style = 22, .line = false});
  return gnuplot_script(grid);
}

}  // namespace schemamem
