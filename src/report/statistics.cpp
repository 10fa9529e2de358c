#include "report/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/rng.h"

namespace schemamem {
namespace {

constexpr std::uint64_t kBootstrapSeed = 1;
constexpr double kTail = 0.025;
constexpr const char* kCurve = "curve";
constexpr std::string_view kUsualRounds = "W2R8";  // task/rounds.h

/// Linear between the order statistics around rank p (n - 1).
double quantile(const std::vector<double>& sorted, double p) {
  const double rank = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - std::floor(rank)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::optional<Summary> summarise(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  Summary summary{.count = values.size(), .mean = std::accumulate(values.begin(), values.end(), 0.0) / n, .sd = {}};
  if (values.size() > 1) {
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.sd = std::sqrt(squares / (n - 1));
  }
  return summary;
}

std::optional<Summary> summarise(std::span<const SeedValue> values) {
  std::vector<double> exact;
  for (const SeedValue& value : values) exact.push_back(value.exact);
  return summarise(exact);
}

std::optional<Interval> bootstrap(std::span<const SeedValue> values, int draws) {
  require(draws > 0, "bootstrap: at least one draw");
  if (values.empty() || values.front().cell == nullptr) return std::nullopt;
  const std::size_t episodes = values.front().cell->right_by_episode.size();
  if (episodes == 0) return std::nullopt;
  // The mean over seeds of the share that an episode adds, in %.
  std::vector<double> share(episodes, 0.0);
  for (const SeedValue& value : values) {
    if (value.cell == nullptr || value.cell->right_by_episode.size() != episodes) return std::nullopt;
    const double scale = 100.0 / (static_cast<double>(value.cell->asked) * static_cast<double>(values.size()));
    for (std::size_t i = 0; i < episodes; ++i) share[i] += scale * static_cast<double>(value.cell->right_by_episode[i]);
  }
  std::vector<double> means;
  for (int draw = 0; draw < draws; ++draw) {
    Rng rng = Rng::stream(kBootstrapSeed, Purpose::kBootstrap, static_cast<std::uint64_t>(draw));
    double mean = 0;
    for (std::size_t i = 0; i < episodes; ++i) mean += share[rng.below(episodes)];
    means.push_back(mean);
  }
  std::sort(means.begin(), means.end());
  return Interval{quantile(means, kTail), quantile(means, 1 - kTail)};
}

std::vector<CurvePoint> mean_curve(const Ledger& ledger, Query query) {
  std::map<std::int64_t, CurvePoint> points;
  for (const char* kind : {kCurve, "table"}) {
    query.kind = kind;
    for (const std::int64_t delay : ledger.delays(query)) {
      query.delay = delay;
      if (delay <= 0) continue;
      const auto summary = summarise(ledger.values(query));
      points[delay] = {static_cast<double>(delay), summary->mean, summary->count};
    }
  }
  std::vector<CurvePoint> curve;
  for (const auto& [delay, point] : points) curve.push_back(point);
  return curve;
}

std::set<std::int64_t> far_delays(const Ledger& ledger, Query query, std::int64_t beyond) {
  query.kind = kCurve;
  std::set<std::int64_t> found;
  for (const NamedColumn& column : named_columns())
    for (const std::int64_t delay : ledger.delays(query.at(column, 0)))
      if (delay > beyond) found.insert(delay);
  return found;
}

std::vector<SeedValue> far_values(const Ledger& ledger, Query query) {
  query.kind = kCurve;
  return ledger.values(query);
}

namespace {

/// Whether a record is of streams of rounds, as a query asks for them.
bool is_of_writes(const EvaluationProtocol& protocol, const Query& query) {
  const std::string_view rounds = query.rounds.empty() ? kUsualRounds : std::string_view(query.rounds);
  return protocol.kind == "writes" && protocol.rounds == rounds && protocol.mode == query.mode &&
         protocol.floor == query.floor && protocol.eval_seed == query.eval_seed;
}

}  // namespace

std::set<std::int64_t> write_counts(const Ledger& ledger, const Query& query) {
  std::set<std::int64_t> found;
  for (const LedgerRun* run : ledger.runs_of(query.recipe, query.model, query.setting))
    for (const EvaluationRecord& record : run->evaluations)
      for (const EvaluationCell& cell : record.cells)
        if (is_of_writes(record.protocol, query)) found.insert(cell.delay);
  return found;
}

std::vector<SeedValue> write_values(const Ledger& ledger, const Query& query) {
  std::vector<SeedValue> values;
  for (const LedgerRun* run : ledger.runs_of(query.recipe, query.model, query.setting)) {
    std::int64_t episodes = 0, asked = 0, right = 0;  // of the record with the most episodes
    for (const EvaluationRecord& record : run->evaluations) {
      if (!is_of_writes(record.protocol, query) || record.protocol.episodes <= episodes) continue;
      std::int64_t all = 0, good = 0;
      for (const EvaluationCell& cell : record.cells) {
        if (cell.delay != query.delay) continue;
        all += cell.asked;
        good += cell.right;
      }
      if (all == 0) continue;
      episodes = record.protocol.episodes;
      asked = all;
      right = good;
    }
    if (asked > 0)
      values.push_back(
          {.seed = run->seed, .exact = 100.0 * static_cast<double>(right) / static_cast<double>(asked), .run = run});
  }
  return values;
}

std::optional<HalfLife> half_life(std::span<const CurvePoint> curve) {
  if (curve.size() < 2 || curve.front().exact <= 0) return std::nullopt;
  require(curve.front().delay > 0, "half_life: delays are positive");
  const double half = curve.front().exact / 2;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const CurvePoint &before = curve[i - 1], &after = curve[i];
    require(after.delay > before.delay, "half_life: delays rise");
    if (after.exact > half) continue;
    const double part = (before.exact - half) / (before.exact - after.exact);
    return HalfLife{.delay = before.delay * std::pow(after.delay / before.delay, part)};
  }
  return HalfLife{.delay = curve.back().delay, .beyond = true};
}

}  // namespace schemamem
