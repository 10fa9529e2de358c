#include "paper/diff_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace schemamem {
namespace {

constexpr std::size_t kNotable = 8;
constexpr std::array kVerdicts{Verdict::kWithin, Verdict::kBetter, Verdict::kWorse, Verdict::kMissing};
using Counts = std::array<int, kVerdicts.size()>;

/// How far outside of the paper's spread, in units of it; printed digits bound how small that can be.
double distance(const DiffCell& cell) {
  constexpr double kLeastSpread = 0.1;
  return std::abs(cell.ours->mean - cell.paper.mean) / std::max(kLeastSpread, cell.paper.sd.value_or(kLeastSpread));
}

std::string counts_line(const std::string& name, const Counts& counts) {
  std::string line = fmt::format("{:<14}", name);
  for (const int count : counts) line += fmt::format("{:>9}", count);
  return line + "\n";
}

std::string cell_line(const DiffCell& cell) {
  const PaperCell& paper = cell.paper;
  std::string what = fmt::format("{} {} {}", paper.model, paper.setting, paper.column);
  if (paper.delay) what += fmt::format(" at {}", *paper.delay);
  if (paper.table == "per_seed") what += fmt::format(" seed {}", cell.seeds.front());
  const auto spread = [](const std::optional<double>& sd) { return sd ? fmt::format(" ± {:.1f}", *sd) : ""; };
  return fmt::format("  {:<7} {:<13} {:<46} {:.1f}{}, paper {:.1f}{}\n", verdict_name(cell.verdict), paper.table, what,
                     cell.ours->mean, spread(cell.ours->sd), paper.mean, spread(paper.sd));
}

}  // namespace

std::string diff_summary(const std::vector<DiffCell>& cells) {
  std::vector<std::pair<std::string, Counts>> tables;
  Counts sum{};
  for (const DiffCell& cell : cells) {
    if (tables.empty() || tables.back().first != cell.paper.table) tables.push_back({cell.paper.table, {}});
    const auto place =
        static_cast<std::size_t>(std::find(kVerdicts.begin(), kVerdicts.end(), cell.verdict) - kVerdicts.begin());
    ++tables.back().second.at(place);
    ++sum.at(place);
  }
  std::string text = fmt::format("{:<14}", "table");
  for (const Verdict verdict : kVerdicts) text += fmt::format("{:>9}", verdict_name(verdict));
  text += "\n";
  for (const auto& [name, counts] : tables) text += counts_line(name, counts);
  text += counts_line("all", sum);

  for (const Verdict verdict : {Verdict::kBetter, Verdict::kWorse}) {
    std::vector<const DiffCell*> far;
    for (const DiffCell& cell : cells) {
      // The others repeat these numbers, or are of single seeds.
      const bool counts = cell.paper.table == "long_delay" || cell.paper.table == "cost" ||
                          cell.paper.table == "resources" || cell.paper.table.starts_with("ablation");
      if (counts && cell.verdict == verdict) far.push_back(&cell);
    }
    std::stable_sort(far.begin(), far.end(),
                     [](const DiffCell* a, const DiffCell* b) { return distance(*a) > distance(*b); });
    if (far.empty()) continue;
    text += fmt::format("\nFurthest on the {} side, in units of the paper's spread:\n",
                        verdict == Verdict::kBetter ? "good" : "bad");
    for (std::size_t i = 0; i < std::min(kNotable, far.size()); ++i) text += cell_line(*far[i]);
  }
  return text;
}

}  // namespace schemamem
