#include "paper/guests.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "paper/numbers.h"
#include "report/statistics.h"

namespace schemamem {
namespace {

constexpr std::array kTableDelays{kTrainedDelay, kLongDelay};
/// More than the palette has colours for.
constexpr std::size_t kMostDrawn = 6;
/// Behind the styles of our models, 1 to 3: what is left of the same palette, and a grey.
constexpr const char* kStyles = R"(set style line 4 lc rgb "#CC79A7" lw 1.8 dt (2,2) pt 13 ps 0.65
set style line 5 lc rgb "#E69F00" lw 1.8 dt (12,4) pt 11 ps 0.65
set style line 6 lc rgb "#56B4E9" lw 1.8 dt (6,2,2,2,2,2) pt 7 ps 0.45
set style line 7 lc rgb "#000000" lw 1.4 dt (2,4) pt 5 ps 0.4
set style line 8 lc rgb "#888888" lw 1.8 dt (4,4) pt 9 ps 0.5
set style line 9 lc rgb "#B8A800" lw 1.8 dt (1,2) pt 13 ps 0.5
)";

Query query_of(const Selection& selection, const ShownModel& model, const std::string& setting) {
  return {.recipe = selection.recipe, .model = model.name, .setting = setting, .eval_seed = selection.eval_seed};
}

/// Texts of a stranger in a table: a line end or a backtick would end what it stands in.
std::string quiet(std::string text) {
  for (char& c : text)
    if (c == '`' || c == '|' || c == '\n') c = ' ';
  return text;
}

/// What is said of a guest, whose it is, and how many episodes of a case it was asked at most.
std::string about(const Ledger& ledger, const std::string& name) {
  std::vector<std::string> words;
  std::int64_t episodes = 0;
  for (const LedgerRun& run : ledger.guests()) {
    if (run.model != name) continue;
    if (words.empty() && !run.guest->note.empty()) words.push_back(quiet(run.guest->note));
    if (words.size() < 2 && !run.guest->owner.empty() && episodes == 0)
      words.push_back("by " + quiet(run.guest->owner));
    for (const EvaluationRecord& record : run.evaluations) episodes = std::max(episodes, record.protocol.episodes);
  }
  words.push_back(fmt::format("{} episodes a case", grouped(episodes)));
  return fmt::format("`{}`: {}.", name, fmt::join(words, "; "));
}

std::string parameters_of(const std::vector<const LedgerRun*>& runs, bool plain_number) {
  if (runs.empty() || !runs.front()->parameters) return plain_number ? "" : "—";
  return plain_number ? std::to_string(*runs.front()->parameters) : grouped(*runs.front()->parameters);
}

}  // namespace

std::vector<ShownModel> shown_models(const Ledger& ledger) {
  std::vector<ShownModel> models;
  for (const PaperModel& model : kPaperModels) models.push_back({std::string(model.name), std::string(model.title)});
  for (const std::string& name : ledger.guest_names()) models.push_back({name, name, true});
  return models;
}

std::vector<std::string> guest_settings(const Ledger& ledger) {
  std::vector<std::string> settings;
  std::set<std::string> found;
  for (const LedgerRun& guest : ledger.guests()) found.insert(guest.setting);
  for (const std::string_view setting : kPaperSettings)
    if (found.erase(std::string(setting)) > 0) settings.emplace_back(setting);
  settings.insert(settings.end(), found.begin(), found.end());
  return settings;
}

Table guest_table(const Ledger& ledger, const Selection& selection) {
  if (ledger.guests().empty()) return {};
  Table table{.name = "guests",
              .title = "Guests beside our models",
              .caption = fmt::format("Exact-value accuracy (%) on the same evaluation episodes, mean ± sample SD over "
                                     "training seeds where there are several. Recipe of our models {}, evaluation seed "
                                     "{}; the longest delay of their training is {}. An addition of ours.",
                                     selection.recipe, selection.eval_seed, kTrainedDelay)};
  table.keys = 2;
  table.headings = {{.name = "Setting"}, {.name = "Model"}, {.name = "Parameters"}, {.name = "Seeds"}};
  table.record_header = {"setting", "model", "guest", "parameters", "seeds"};
  for (const std::int64_t delay : kTableDelays) {
    for (const NamedColumn& column : named_columns()) {
      table.headings.push_back({fmt::format("Delay {}", grouped(delay)), std::string(column.title)});
      for (const char* part : {"mean", "sd"})
        table.record_header.push_back(fmt::format("{}_{}_{}", column.name, delay, part));
    }
  }
  for (const std::string& setting : guest_settings(ledger)) {
    if (!table.rows.empty()) table.rows.emplace_back();
    for (const ShownModel& model : shown_models(ledger)) {
      const auto runs = ledger.runs_of(selection.recipe, model.name, setting);
      if (runs.empty()) continue;
      std::vector<std::string> row{setting, model.guest ? "`" + model.title + "`" : model.title,
                                   parameters_of(runs, false), std::to_string(runs.size())};
      std::vector<std::string> record{setting, model.name, model.guest ? "yes" : "no", parameters_of(runs, true),
                                      std::to_string(runs.size())};
      for (const std::int64_t delay : kTableDelays) {
        for (const NamedColumn& column : named_columns()) {
          const auto found = summarise(ledger.values(query_of(selection, model, setting).at(column, delay)));
          row.push_back(
              !found ? "—"
                     : fmt::format("{:.1f}{}", found->mean, found->sd ? fmt::format(" ± {:.1f}", *found->sd) : ""));
          record.push_back(found ? plain(found->mean) : "");
          record.push_back(found ? plain(found->sd) : "");
        }
      }
      table.rows.push_back(std::move(row));
      table.records.push_back(std::move(record));
    }
  }
  for (const std::string& name : ledger.guest_names()) table.notes.push_back(about(ledger, name));
  return table;
}

Figure guest_figure(const Ledger& ledger, const Selection& selection) {
  if (ledger.guests().empty()) return {};
  const std::vector<std::string> settings = guest_settings(ledger);
  std::vector<ShownModel> models = shown_models(ledger);
  const std::size_t left_out = models.size() - std::min(models.size(), kPaperModels.size() + kMostDrawn);
  models.resize(models.size() - left_out);
  std::vector<std::vector<std::string>> records;
  PanelGrid grid{.comment = fmt::format(
                     "Guests beside our models: ours under the recipe {}, evaluation seed {}, mean and sample SD over\n"
                     "# training seeds.  gnuplot -e \"format='svg'\" guests.gp   (pdf, svg or png)",
                     selection.recipe, selection.eval_seed),
                 .name = "guests",
                 .width = 9.6,
                 .height = 1.3 + 2.0 * static_cast<double>(settings.size()),
                 .columns = named_columns().size(),
                 .x_label = "delay: NULL queries between the writes and the final queries (log scale)"};
  std::string names;
  std::set<std::int64_t> ticks(kPaperDelays.begin(), kPaperDelays.end());
  for (const ShownModel& model : models) names += (names.empty() ? "" : " ") + model.name;
  for (const std::string& setting : settings) {
    grid.row_labels.push_back(setting + ": exact values (%)");
    for (const NamedColumn& column : named_columns()) {
      for (const ShownModel& model : models) {
        const Query query = query_of(selection, model, setting).at(column, 0);
        for (const std::int64_t delay : ledger.delays(query)) {
          const auto found = summarise(ledger.values(query.at(column, delay)));
          if (delay == 0 || !found) continue;
          const double spread = found->sd.value_or(0);
          ticks.insert(delay);
          records.push_back({setting, std::string(column.name), model.name, std::to_string(delay), plain(found->mean),
                             plain(found->sd), plain(found->mean - spread), plain(found->mean + spread),
                             std::to_string(found->count)});
        }
      }
      Panel panel{.title = grid.row_labels.size() == 1 ? std::string(column.title) : ""};
      panel.plot = fmt::format(
          "for [i=1:{2}] data skip 1 using (pick(\"{0}\", \"{1}\", i) ? $4 : NaN):7:8 with filledcurves ls i notitle, "
          "\\\n     for [i=1:{2}] data skip 1 using (pick(\"{0}\", \"{1}\", i) ? $4 : NaN):5 with linespoints ls i "
          "notitle",
          setting, column.name, models.size());
      grid.panels.push_back(std::move(panel));
    }
  }
  if (left_out > 0) grid.panels.back().note = fmt::format("{} more in the table", left_out);
  grid.setup = fmt::format(
      "{}set logscale x 2\nset xrange [{}:{}]\nset xtics (96, 384, 1536)\nset yrange [0:104]\nset ytics 25\n"
      "set arrow 1 from {}, graph 0 to {}, graph 1 nohead ls 21 back\ndata = \"guests.csv\"\nmodels = \"{}\"\n"
      "pick(s, c, i) = strcol(1) eq s && strcol(2) eq c && strcol(3) eq word(models, i)\n",
      kStyles, *ticks.begin() * 5 / 6, *ticks.rbegin() * 13 / 10, kTrainedDelay, kTrainedDelay, names);
  for (std::size_t i = 0; i < models.size(); ++i)
    grid.legend.push_back({.text = models[i].title, .style = static_cast<int>(i) + 1});
  return {"guests", "", "Guests beside our models",
          csv({"setting", "column", "model", "delay", "mean", "sd", "low", "high", "seeds"}, records),
          gnuplot_script(grid)};
}

}  // namespace schemamem
