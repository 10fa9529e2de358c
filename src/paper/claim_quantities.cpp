#include <algorithm>
#include <array>
#include <cmath>

#include "paper/claims.h"

namespace schemamem {
namespace {

constexpr double kHighestAccuracy = 100.0;

/// A number of the ledger, addressed as one of the paper's tables would be.
PaperCell address(const std::string& model, std::string_view setting, const Quantity& quantity,
                  const std::string& column, const std::string& mode) {
  return {.model = model,
          .setting = std::string(setting),
          .column = mode == "ablated" ? "zero/" + column : column,
          .delay = quantity.delay,
          .seed = quantity.seed};
}

Measurement exactly(double value) { return {.value = value, .low = value, .high = value}; }

class Measure {
 public:
  Measure(const Ledger& ledger, const Selection& selection, const Quantity& quantity)
      : ledger_(ledger), selection_(selection), quantity_(quantity) {}

  std::optional<Measurement> number() const { return mean_of(quantity_.model); }

  std::optional<Measurement> spread() const {
    auto found = mean_of(quantity_.model);
    if (!found || !found->sd) return std::nullopt;
    found->value = found->low = found->high = *found->sd;
    found->sd.reset();
    return found;
  }

  std::optional<Measurement> gap() const {
    auto found = mean_of(quantity_.model);
    const auto other = mean_of(quantity_.than);
    if (!found || !other) return std::nullopt;
    found->value = found->low = found->high = std::abs(found->value - other->value);
    found->sd.reset();
    found->have += other->have;
    found->of += other->of;
    found->runs.insert(found->runs.end(), other->runs.begin(), other->runs.end());
    return found;
  }

  std::optional<Measurement> settings_ahead() const {
    Measurement found;
    for (const std::string_view setting : kPaperSettings) {
      if (!quantity_.settings.empty() &&
          std::none_of(quantity_.settings.begin(), quantity_.settings.end(),
                       [&](const std::string& start) { return setting.starts_with(start); }))
        continue;
      ++found.of;
      const auto ours = mean(quantity_.model, setting), other = mean(quantity_.than, setting);
      if (!ours || !other) continue;
      ++found.have;
      found.value += ours->value > other->value ? 1 : 0;
      found.runs.insert(found.runs.end(), ours->runs.begin(), ours->runs.end());
      found.runs.insert(found.runs.end(), other->runs.begin(), other->runs.end());
    }
    return counted(std::move(found));
  }

  std::optional<Measurement> highest_checkpoint() const {
    Measurement found{.value = -1, .of = checkpoints()};
    for_each_run([&](const LedgerRun& run) {
      double highest = -1;
      for (const std::string& column : quantity_.columns) {
        const auto value = of_run(run, column, quantity_.mode);
        if (!value) return;
        highest = std::max(highest, *value);
      }
      found.value = std::max(found.value, highest);
      found.runs.push_back(&run);
    });
    found.have = static_cast<std::int64_t>(found.runs.size());
    found.low = found.value;
    found.high = found.have < found.of ? kHighestAccuracy : found.value;
    return found.have > 0 ? std::optional(std::move(found)) : std::nullopt;
  }

  std::optional<Measurement> checkpoint_mean() const {
    Measurement found{.of = checkpoints()};
    for_each_run([&](const LedgerRun& run) {
      const auto value = of_run(run, quantity_.columns.front(), quantity_.mode);
      if (!value) return;
      found.value += *value;
      found.runs.push_back(&run);
    });
    found.have = static_cast<std::int64_t>(found.runs.size());
    if (found.have == 0) return std::nullopt;
    const double sum = found.value;
    found.value = sum / static_cast<double>(found.have);
    const double missing = static_cast<double>(std::max<std::int64_t>(0, found.of - found.have));
    const double all = static_cast<double>(std::max(found.of, found.have));
    found.low = sum / all;
    found.high = (sum + kHighestAccuracy * missing) / all;
    if (missing == 0) found.low = found.high = found.value;
    return found;
  }

  std::optional<Measurement> checkpoints_ahead() const {
    Measurement found{.of = checkpoints()};
    for_each_run([&](const LedgerRun& run) {
      const auto value = of_run(run, quantity_.columns.front(), quantity_.mode);
      const auto other = of_run(run, quantity_.columns.front(), quantity_.than_mode);
      if (!value || !other) return;
      found.value += *value > *other ? 1 : 0;
      found.runs.push_back(&run);
    });
    found.have = static_cast<std::int64_t>(found.runs.size());
    return counted(std::move(found));
  }

  std::optional<Measurement> runs_passed() const {
    Measurement found{.of = checkpoints() * static_cast<std::int64_t>(kPaperModels.size())};
    for (const PaperModel& model : kPaperModels) {
      for (const std::string_view setting : kPaperSettings) {
        for (const LedgerRun* run : ledger_.runs_of(selection_.recipe, model.name, setting)) {
          if (!run->end) continue;
          found.value += run->end->passed ? 1 : 0;
          found.runs.push_back(run);
        }
      }
    }
    found.have = static_cast<std::int64_t>(found.runs.size());
    return counted(std::move(found));
  }

 private:
  static std::int64_t checkpoints() { return static_cast<std::int64_t>(kPaperSettings.size() * kPaperSeeds.size()); }

  /// A count can still grow by one for everything that is missing.
  static std::optional<Measurement> counted(Measurement found) {
    if (found.have == 0) return std::nullopt;
    found.low = found.value;
    found.high = found.value + static_cast<double>(std::max<std::int64_t>(0, found.of - found.have));
    return found;
  }

  std::optional<Measurement> mean_of(const std::string& model) const { return mean(model, quantity_.setting); }

  std::optional<Measurement> mean(const std::string& model, std::string_view setting) const {
    const DiffCell cell =
        compare(ledger_, selection_, address(model, setting, quantity_, quantity_.columns.front(), quantity_.mode));
    if (!cell.ours) return std::nullopt;
    Measurement found = exactly(cell.ours->mean);
    found.sd = cell.ours->sd;
    found.have = static_cast<std::int64_t>(cell.ours->count);
    found.of = quantity_.seed ? 1 : static_cast<std::int64_t>(kPaperSeeds.size());
    for (const LedgerRun* run : ledger_.runs_of(selection_.recipe, model, setting))
      if (std::find(cell.seeds.begin(), cell.seeds.end(), run->seed) != cell.seeds.end()) found.runs.push_back(run);
    return found;
  }

  template <class Visit>
  void for_each_run(Visit visit) const {
    for (const std::string_view setting : kPaperSettings)
      for (const LedgerRun* run : ledger_.runs_of(selection_.recipe, quantity_.model, setting)) visit(*run);
  }

  std::optional<double> of_run(const LedgerRun& run, const std::string& column, const std::string& mode) const {
    PaperCell cell = address(run.model, run.setting, quantity_, column, mode);
    cell.seed = run.seed;
    const auto ours = compare(ledger_, selection_, cell).ours;
    return ours ? std::optional(ours->mean) : std::nullopt;
  }

  const Ledger& ledger_;
  const Selection& selection_;
  const Quantity& quantity_;
};

struct Method {
  std::string_view kind;
  std::optional<Measurement> (Measure::*measure)() const;
};
constexpr std::array kMethods{Method{"number", &Measure::number},
                              Method{"accuracy", &Measure::number},
                              Method{"spread", &Measure::spread},
                              Method{"gap", &Measure::gap},
                              Method{"settings_ahead", &Measure::settings_ahead},
                              Method{"highest_checkpoint", &Measure::highest_checkpoint},
                              Method{"checkpoint_mean", &Measure::checkpoint_mean},
                              Method{"checkpoints_ahead", &Measure::checkpoints_ahead},
                              Method{"runs_passed", &Measure::runs_passed}};

}  // namespace

std::optional<Measurement> measure(const Ledger& ledger, const Selection& selection, const Quantity& quantity) {
  const auto method = std::find_if(kMethods.begin(), kMethods.end(),
                                   [&](const Method& candidate) { return candidate.kind == quantity.kind; });
  require(method != kMethods.end(), "claims.json: unknown quantity " + quantity.kind);
  return (Measure(ledger, selection, quantity).*method->measure)();
}

}  // namespace schemamem
