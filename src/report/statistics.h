#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "report/ledger.h"

namespace schemamem {

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  std::optional<double> sd{};  // sample standard deviation, divisor n - 1; nothing for fewer than two
};
/// Nothing for no values.
std::optional<Summary> summarise(std::span<const double> values);
std::optional<Summary> summarise(std::span<const SeedValue> values);

/// [ours] A 95 % percentile interval for the mean over training seeds, under new draws of the evaluation episodes. All
/// seeds answered the same episodes, so one draw serves all of them. It says nothing about other training seeds.
struct Interval {
  double low = 0, high = 0;
};
inline constexpr int kBootstrapDraws = 2000;
/// Nothing when the records hold no counts by episode, or of different numbers of episodes.
std::optional<Interval> bootstrap(std::span<const SeedValue> values, int draws = kBootstrapDraws);

struct CurvePoint {
  double delay = 0;
  double exact = 0;      // %
  std::size_t runs = 1;  // behind it
};
/// The mean over seeds at every positive delay of a table record, and of a curve where the table has none; query.delay
/// and query.kind are of no meaning.
std::vector<CurvePoint> mean_curve(const Ledger& ledger, Query query);
/// [ours] The delays beyond one that curves of a model and setting have, and the values there of a query's scenario and
/// group; query.kind is of no meaning.
std::set<std::int64_t> far_delays(const Ledger& ledger, Query query, std::int64_t beyond);
std::vector<SeedValue> far_values(const Ledger& ledger, Query query);
/// [ours] The numbers of writes after which streams of rounds were asked for every address, and the share that was
/// right after query.delay of them, whatever its age. query.kind, scenario and group are of no meaning; without
/// query.rounds the rounds are those of `schemamem eval --writes`.
std::set<std::int64_t> write_counts(const Ledger& ledger, const Query& query);
std::vector<SeedValue> write_values(const Ledger& ledger, const Query& query);
/// [ours] The delay at which the accuracy has fallen to half of what it is at the shortest delay, on straight lines
/// over the logarithm of the delay.
struct HalfLife {
  double delay = 0;     // where it happens, or the last delay measured
  bool beyond = false;  // it has not happened by then
};
/// `curve` by rising delay, all of them positive. Nothing for fewer than two points or a curve that starts at zero.
std::optional<HalfLife> half_life(std::span<const CurvePoint> curve);

}  // namespace schemamem
