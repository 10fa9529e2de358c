#include "cli/eval_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace schemamem {

using Json = nlohmann::ordered_json;

std::string named_table(std::span<const EvaluationCell> cells) {
  std::string text = fmt::format("{:>12}", "delay");
  for (const NamedColumn& column : named_columns()) text += fmt::format("{:>12}", column.title);
  text += '\n';
  std::set<std::int64_t> delays;
  for (const EvaluationCell& cell : cells)
    if (cell.delay > 0) delays.insert(cell.delay);
  for (const std::int64_t delay : delays) {
    text += fmt::format("{:>12}", delay);
    for (const NamedColumn& column : named_columns()) {
      const auto cell = std::find_if(cells.begin(), cells.end(), [&](const EvaluationCell& one) {
        return one.delay == delay && one.scenario == column.scenario && one.group == column.group;
      });
      text += cell != cells.end() ? fmt::format("{:>12.2f}", cell->exact_percent()) : fmt::format("{:>12}", "");
    }
    text += '\n';
  }
  return text;
}

std::string whole_table(std::span<const EvaluationCell> cells) {
  std::string text = fmt::format("  {:<13} {:>10}  {:<9} {:>9} {:>9} {:>14}\n", "scenario", "delay", "group", "exact %",
                                 "bits %", "cross-entropy");
  for (const EvaluationCell& cell : cells) {
    text += fmt::format("  {:<13} {:>10}  {:<9} {:>9.2f} {:>9.2f} {:>14}\n", cell.scenario, cell.delay, cell.group,
                        cell.exact_percent(), cell.bit_percent(),
                        cell.cross_entropy ? fmt::format("{:.6f}", *cell.cross_entropy) : "-");
  }
  return text;
}

Json named_json(std::span<const EvaluationCell> cells) {
  Json named = Json::object();
  for (const NamedColumn& column : named_columns()) {
    Json by_delay = Json::object();
    for (const EvaluationCell& cell : cells) {
      if (cell.scenario == column.scenario && cell.group == column.group)
        by_delay[std::to_string(cell.delay)] = cell.exact_percent();
    }
    named[std::string(column.name)] = by_delay;
  }
  return named;
}

Json cells_json(std::span<const EvaluationCell> cells) {
  Json all = Json::array();
  for (const EvaluationCell& cell : cells) {
    all.push_back({{"scenario", cell.scenario},
                   {"delay", cell.delay},
                   {"group", cell.group},
                   {"asked", cell.asked},
                   {"right", cell.right},
                   {"exact", cell.exact_percent()},
                   {"bit", cell.bit_percent()},
                   {"cross_entropy", cell.cross_entropy ? Json(*cell.cross_entropy) : Json()}});
  }
  return all;
}

}  // namespace schemamem
