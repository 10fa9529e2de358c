#include "task/episode_stream.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace schemamem {
namespace {

/// Puts a random choice of `count` entries, in random order, in front.
void choose(Rng& rng, std::span<Number> order, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::swap(order[i], order[i + rng.below(order.size() - i)]);
}

}  // namespace

EpisodeMaker::EpisodeMaker(const Setting& setting)
    : setting_(setting),
      order_(setting.addresses()),
      current_(setting.addresses()),
      written_(setting.addresses()),    // no scenario writes more than 3/4 N
      asked_(2 * setting.addresses()),  // or asks more than twice
      database_(setting.addresses()),
      rounds_(setting, {}) {
  require(is_supported(setting), "EpisodeMaker: the setting is not supported");
}

Number EpisodeMaker::draw_value(Rng& rng, const ScenarioInfo& scenario, std::size_t address) const {
  const std::size_t values = setting_.values();
  if (!scenario.writes_change()) return static_cast<Number>(rng.below(values));
  // Draw from the allowed values only: number them, stepping over the forbidden one or two.
  const std::size_t a = setting_.default_value(address), b = current_[address];
  std::size_t value = rng.below(values - (a == b ? 1 : 2));
  if (value >= std::min(a, b)) ++value;
  if (a != b && value >= std::max(a, b)) ++value;
  return static_cast<Number>(value);
}

void EpisodeMaker::make(const TaskCase& request, const EpisodeAddress& address, std::span<Token> out) {
  require(request.setting == setting_, "EpisodeMaker::make: the case is of another setting");
  const EpisodeSize size = episode_size(request);
  require(out.size() == size.tokens(), "EpisodeMaker::make: the output has not the episode's length");

  Rng rng = Rng::stream(address.seed, address.purpose, address.index);
  const ScenarioInfo& scenario = info(request.scenario);
  const std::size_t n = setting_.addresses();
  if (scenario.family == Family::kRounds) {
    rounds_.begin(rng);
    for (Token& token : out.first(request.delay)) token = rounds_.next();
    return rounds_.ask_all(rounds_.random(), out.last(n));
  }
  std::iota(order_.begin(), order_.end(), Number{0});
  for (std::size_t j = 0; j < n; ++j) current_[j] = static_cast<Number>(setting_.default_value(j));
  // Only places that a write or a subset refers to need an order; behind them lies the rest as a set.
  const bool transaction = scenario.family == Family::kTransaction;
  choose(rng, order_, places(scenario, transaction ? AddressSet::kSubset : AddressSet::kFirstHalf, setting_).last);

  std::size_t writes = 0, queries = 0;
  for (const SegmentInfo& segment : scenario.segments) {
    const Places at = places(scenario, segment.set, setting_);
    if (segment.kind == SegmentKind::kWrite) {
      for (std::size_t place = at.first; place < at.last; ++place) {
        const Number j = order_[place];
        current_[j] = written_[writes++] = draw_value(rng, scenario, j);
      }
    } else if (segment.kind == SegmentKind::kQuery) {
      const auto asked = std::span(asked_).subspan(queries, at.size());
      std::copy_n(order_.begin() + static_cast<std::ptrdiff_t>(at.first), at.size(), asked.begin());
      rng.shuffle(asked);
      queries += at.size();
    }
  }
  const EpisodeChoices choices{
      .order = order_, .written = std::span(written_).first(writes), .asked = std::span(asked_).first(queries)};
  const std::span<const Number> never_written = std::span(order_).subspan(n / 2);
  assemble(
      request, choices, database_, [&] { return never_written[rng.below(n / 2)]; }, out);
}

}  // namespace schemamem
