#include "paper/additions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace schemamem {
namespace {

/// The text for people, and the fields for programs.
struct Entry {
  std::string text = "—";
  std::vector<std::string> fields{};
};
using Fill = std::function<Entry(const Query&, const NamedColumn&)>;

std::string summary_text(const Summary& summary) {
  return fmt::format("{:.1f}{}", summary.mean, summary.sd ? fmt::format(" ± {:.1f}", *summary.sd) : "");
}

std::optional<double> mean_of(const std::optional<Summary>& summary) {
  return summary ? std::optional(summary->mean) : std::nullopt;
}

/// Whether a row is of all delays, or each has its own.
enum class Rows { kModels, kDelays };

/// One row a setting and model, or one for each delay of its far curve; one cell a named column.
Table grid(const Ledger& ledger, const Selection& selection, Table table, const std::vector<std::string>& fields,
           const Fill& fill, Rows rows = Rows::kModels) {
  table.caption += fmt::format(" Recipe {}. An addition of ours.", ledger.recipe_text(selection.recipe));
  table.headings = {{.name = "Setting"}, {.name = "Model"}};
  table.record_header = {"setting", "model"};
  if (rows == Rows::kDelays) {
    table.headings.push_back({.name = "Delay"});
    table.record_header.push_back("delay");
  }
  table.keys = table.headings.size();
  for (const NamedColumn& column : named_columns()) {
    table.headings.push_back({.name = std::string(column.title)});
    for (const std::string& field : fields) table.record_header.push_back(fmt::format("{}_{}", column.name, field));
  }
  for (const std::string_view setting : kPaperSettings) {
    bool first = !table.rows.empty();  // a rule between settings
    for (const PaperModel& model : kPaperModels) {
      if (ledger.runs_of(selection.recipe, model.name, setting).empty()) continue;
      Query query{.recipe = selection.recipe,
                  .model = std::string(model.name),
                  .setting = std::string(setting),
                  .eval_seed = selection.eval_seed};
      for (const std::int64_t delay :
           rows == Rows::kDelays ? far_delays(ledger, query, kLongDelay) : std::set{query.delay}) {
        query.delay = delay;
        if (std::exchange(first, false)) table.rows.emplace_back();
        std::vector<std::string> row{std::string(setting), std::string(model.mark)}, record{query.setting, query.model};
        if (rows == Rows::kDelays) {
          row.push_back(grouped(delay));
          record.push_back(std::to_string(delay));
        }
        for (const NamedColumn& column : named_columns()) {
          Entry entry = fill(query, column);
          entry.fields.resize(fields.size());
          row.push_back(std::move(entry.text));
          record.insert(record.end(), entry.fields.begin(), entry.fields.end());
        }
        table.rows.push_back(std::move(row));
        table.records.push_back(std::move(record));
      }
    }
  }
  return table;
}

Entry drop(const Ledger& ledger, const Query& query, const NamedColumn& column) {
  const auto summary = summarise(ledger.drops(query.at(column, 0), kTrainedDelay, kLongDelay));
  if (!summary) return {};
  return {summary_text(*summary), {plain(summary->mean), plain(summary->sd), std::to_string(summary->count)}};
}

Entry life(const Ledger& ledger, const Query& query, const NamedColumn& column) {
  const auto found = half_life(mean_curve(ledger, query.at(column, 0)));
  if (!found) return {};
  const std::string delay = grouped(std::llround(found->delay));
  return {found->beyond ? "> " + delay : delay, {plain(found->delay), found->beyond ? "yes" : "no"}};
}

Entry interval(const Ledger& ledger, const Query& query, const NamedColumn& column) {
  const auto values = ledger.values(query.at(column, kLongDelay));
  const auto found = bootstrap(values);
  if (!found) return {};
  const double mean = summarise(values)->mean;
  return {fmt::format("{:.1f} [{:.1f}, {:.1f}]", mean, found->low, found->high),
          {plain(mean), plain(found->low), plain(found->high)}};
}

Entry far(const Ledger& ledger, const Query& query, const NamedColumn& column) {
  const auto values = far_values(ledger, query.at(column, query.delay));
  const auto summary = summarise(values);
  if (!summary) return {};
  const auto lowest =
      std::min_element(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.exact < b.exact; });
  return {summary_text(*summary),
          {plain(summary->mean), plain(summary->sd), plain(lowest->exact), std::to_string(summary->count)}};
}

Entry unseen(const Ledger& ledger, const Query& asked, const NamedColumn& column) {
  Query query = asked.at(column, kLongDelay);
  query.eval_seed = kPaperEvaluationSeed;
  const auto paper = summarise(ledger.values(query));
  query.eval_seed = kUnseenEvaluationSeed;
  const auto other = summarise(ledger.values(query));
  if (!paper && !other) return {};
  const auto text = [](const auto& summary) { return summary ? fmt::format("{:.1f}", summary->mean) : "—"; };
  return {text(paper) + " / " + text(other), {plain(mean_of(paper)), plain(mean_of(other))}};
}

/// One row a setting and model; one column a number of writes.
Table writes_table(const Ledger& ledger, const Selection& selection) {
  Table table{
      .name = "writes",
      .title = "Written again and again",
      .caption = fmt::format("Exact values (%) of all addresses after so many writes to random addresses, two "
                             "writes and eight queries a round; mean ± sample SD over training seeds, no floor. "
                             "No scenario of the paper writes more often than there are addresses. Recipe {}. "
                             "An addition of ours.",
                             ledger.recipe_text(selection.recipe)),
      .keys = 2};
  const auto query = [&](std::string_view setting, std::string_view model) {
    return Query{.recipe = selection.recipe,
                 .model = std::string(model),
                 .setting = std::string(setting),
                 .eval_seed = selection.eval_seed};
  };
  std::set<std::int64_t> counts;
  for (const std::string_view setting : kPaperSettings)
    for (const PaperModel& model : kPaperModels) counts.merge(write_counts(ledger, query(setting, model.name)));
  table.headings = {{.name = "Setting"}, {.name = "Model"}};
  table.record_header = {"setting", "model", "writes", "mean", "sd", "seeds"};
  for (const std::int64_t count : counts) table.headings.push_back({.name = grouped(count)});
  for (const std::string_view setting : kPaperSettings) {
    bool first = !table.rows.empty();
    for (const PaperModel& model : kPaperModels) {
      Query asked = query(setting, model.name);
      if (write_counts(ledger, asked).empty()) continue;
      if (std::exchange(first, false)) table.rows.emplace_back();
      std::vector<std::string> row{asked.setting, std::string(model.mark)};
      for (const std::int64_t count : counts) {
        asked.delay = count;
        const auto summary = summarise(write_values(ledger, asked));
        row.push_back(summary ? summary_text(*summary) : "—");
        if (summary)
          table.records.push_back({asked.setting, asked.model, std::to_string(count), plain(summary->mean),
                                   plain(summary->sd), std::to_string(summary->count)});
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

std::vector<Table> additions(const Ledger& ledger, const Selection& selection) {
  const auto with = [&](Entry (*fill)(const Ledger&, const Query&, const NamedColumn&)) {
    return [&ledger, fill](const Query& query, const NamedColumn& column) { return fill(ledger, query, column); };
  };
  std::vector<Table> tables{
      grid(ledger, selection,
           {.name = "drops",
            .title = "Accuracy lost from delay 384 to 1,536",
            .caption = "Percentage points; differences within a training seed, then mean ± sample SD."},
           {"mean", "sd", "seeds"}, with(drop)),
      grid(ledger, selection,
           {.name = "half_life",
            .title = "Retention half-life",
            .caption =
                "The delay at which the mean accuracy has fallen to half of that at the shortest delay, on straight "
                "lines over the logarithm of the delay; > the last delay measured where it has not."},
           {"delay", "beyond"}, with(life)),
      grid(ledger, selection,
           {.name = "intervals",
            .title = "Bootstrap intervals at delay 1,536",
            .caption = fmt::format("Mean accuracy (%) over training seeds and its 95 % interval under new draws of the "
                                   "evaluation episodes ({} draws); it says nothing about other training seeds.",
                                   grouped(kBootstrapDraws))},
           {"mean", "low", "high"}, with(interval)),
      grid(ledger, selection,
           {.name = "unseen",
            .title = "The paper's evaluation episodes and unseen ones",
            .caption = fmt::format("Mean accuracy (%) at delay 1,536 on the episodes of seed {}, which the paper also "
                                   "validates on, / on those of seed {}, which nothing was validated on.",
                                   kPaperEvaluationSeed, kUnseenEvaluationSeed)},
           {"paper_episodes", "unseen_episodes"}, with(unseen)),
      grid(ledger, selection,
           {.name = "far",
            .title = "Beyond delay 1,536",
            .caption = fmt::format("Exact-value accuracy (%), mean ± sample SD over training seeds, from one long "
                                   "stream an episode, asked at each delay; the longest delay of training is {}.",
                                   kTrainedDelay)},
           {"mean", "sd", "lowest", "seeds"}, with(far), Rows::kDelays),
  };
  if (Table writes = writes_table(ledger, selection); !writes.rows.empty()) tables.push_back(std::move(writes));
  return tables;
}

}  // namespace schemamem
