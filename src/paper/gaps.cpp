#include "paper/gaps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace schemamem {
namespace {

constexpr std::size_t kNamed = 3;  // folders that a sentence names before it only counts

std::string named(const std::set<std::string>& folders) {
  std::vector<std::string> first(
      folders.begin(), std::next(folders.begin(), static_cast<std::ptrdiff_t>(std::min(kNamed, folders.size()))));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (folders.size() > kNamed) text += fmt::format(" and {} more", folders.size() - kNamed);
  return text;
}

class Gaps {
 public:
  Gaps(const Ledger& ledger, const Selection& selection) : ledger_(ledger), selection_(selection) {}

  void look_at(const PaperCell& cell) {
    const DiffCell found = compare(ledger_, selection_, cell);
    if (cell.better == Better::kEqual) {  // all runs of a model have the same: one is enough
      if (!found.ours) explain(cell, any_seed(cell));
      return;
    }
    for (const std::uint64_t seed : kPaperSeeds) {
      if (cell.seed && *cell.seed != seed) continue;
      const bool there = found.ours && std::find(found.seeds.begin(), found.seeds.end(), seed) != found.seeds.end();
      if (!there) explain(cell, seed);
    }
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> result;
    for (const auto& [rank, settings] : no_run_) result.push_back(no_run(kPaperModels[rank].name, settings));
    if (!unfinished_.empty()) {
      result.push_back(
          fmt::format("Not finished: {}. `schemamem resume {}` goes on.", named(unfinished_), *unfinished_.begin()));
    }
    for (const auto& [command, folders] : unevaluated_) {
      result.push_back(fmt::format("Not evaluated: {}. `{} {}` does it.", named(folders), command, *folders.begin()));
    }
    if (!uncounted_.empty()) {
      result.push_back(fmt::format(
          "Without these numbers in run.json: {}. `schemamem inspect` counts them for a model.", named(uncounted_)));
    }
    return result;
  }

 private:
  using Settings = std::map<std::string, std::set<std::uint64_t>>;  // seeds by setting

  std::uint64_t any_seed(const PaperCell& cell) const {
    const auto runs = ledger_.runs_of(selection_.recipe, cell.model, cell.setting);
    return runs.empty() ? kPaperSeeds.front() : runs.front()->seed;
  }

  void explain(const PaperCell& cell, std::uint64_t seed) {
    const auto runs = ledger_.runs_of(selection_.recipe, cell.model, cell.setting);
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const LedgerRun* one) { return one->seed == seed; });
    if (run == runs.end()) {
      no_run_[model_rank(cell.model)][cell.setting].insert(seed);
      return;
    }
    const std::string folder = (*run)->folder.string();
    if (!(*run)->end) {
      unfinished_.insert(folder);
    } else if (cell.delay) {
      const bool ablated = cell.column.starts_with("zero/");
      std::string command = ablated ? "schemamem ablate" : "schemamem eval";
      if (selection_.eval_seed != kPaperEvaluationSeed) command += fmt::format(" --eval-seed {}", selection_.eval_seed);
      unevaluated_[command].insert(folder);
    } else {
      uncounted_.insert(folder);
    }
  }

  std::string no_run(std::string_view model, const Settings& settings) const {
    std::vector<std::string> parts;
    bool nothing = settings.size() == kPaperSettings.size();
    for (const auto& [setting, seeds] : settings) {
      const bool all = seeds.size() == kPaperSeeds.size();
      nothing = nothing && all;
      parts.push_back(
          all ? setting
              : fmt::format("{} seed{} {}", setting, seeds.size() == 1 ? "" : "s", fmt::join(seeds, " and ")));
    }
    const std::string where = nothing ? "" : fmt::format(" in {}", fmt::join(parts, ", "));
    const auto& [setting, seeds] = *settings.begin();
    return fmt::format("No run of {}{}. `schemamem train --model {} --setting {} --seed {} --recipe {}` makes {}.",
                       model, where, model, setting, *seeds.begin(), selection_.recipe,
                       settings.size() == 1 && seeds.size() == 1 ? "it" : "the first");
  }

  const Ledger& ledger_;
  const Selection& selection_;
  std::map<std::size_t, Settings> no_run_{};
  std::set<std::string> unfinished_{}, uncounted_{};
  std::map<std::string, std::set<std::string>> unevaluated_{};
};

}  // namespace

std::vector<std::string> gaps(const Ledger& ledger, const Selection& selection, std::span<const PaperCell> cells) {
  Gaps gaps(ledger, selection);
  for (const PaperCell& cell : cells) gaps.look_at(cell);
  return gaps.sentences();
}

std::vector<std::string> capped_runs(const Ledger& ledger, const Selection& selection,
                                     std::span<const PaperCell> cells) {
  std::set<std::string> folders;
  for (const PaperCell& cell : cells)
    for (const LedgerRun* run : ledger.runs_of(selection.recipe, cell.model, cell.setting))
      if (cell.better != Better::kEqual && run->capped()) folders.insert(run->folder.string());
  if (folders.empty()) return {};
  return {fmt::format("† Ended at the step limit, short of the target: {}. Kept, and no success.",
                      fmt::join(folders, ", "))};
}

}  // namespace schemamem
