#include "task/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace schemamem {
namespace {

/// Rounds are the evaluation scenario behind the paper's four, which are numbered from zero.
constexpr std::uint64_t kRoundsCurve = 4;

struct Range {
  std::size_t fewest = 0, most = 0;
};

/// A whole number from the front of `text`; false if there is none.
bool take_number(std::string_view& text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || text.front() == '0' || number > Rounds::kMost) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}
/// A letter, a number and perhaps '-' and a larger number.
bool take_range(std::string_view& text, char letter, Range& range) {
  if (text.empty() || text.front() != letter) return false;
  text.remove_prefix(1);
  if (text.empty() || !take_number(text, range.fewest)) return false;
  range.most = range.fewest;
  if (text.empty() || text.front() != '-') return true;
  text.remove_prefix(1);
  return !text.empty() && take_number(text, range.most) && range.fewest < range.most;
}

std::string range_text(char letter, std::size_t fewest, std::size_t most) {
  return fewest == most ? fmt::format("{}{}", letter, fewest) : fmt::format("{}{}-{}", letter, fewest, most);
}

std::size_t draw(Rng& rng, std::size_t fewest, std::size_t most) {
  return fewest == most ? fewest : fewest + rng.below(most - fewest + 1);
}

}  // namespace

std::string Rounds::name() const {
  const std::string waits = wait == 0 ? "" : fmt::format("D{}E{}", wait, wait_every);
  return range_text('W', fewest_writes, most_writes) + range_text('R', fewest_reads, most_reads) + waits;
}

Result<Rounds> parse_rounds(std::string_view name) {
  std::string_view text = name;
  Range writes, reads, wait, every{16, 16};
  bool good = take_range(text, 'W', writes) && take_range(text, 'R', reads);
  if (good && !text.empty()) {
    good = take_range(text, 'D', wait) && wait.fewest == wait.most;
    if (good && !text.empty()) good = take_range(text, 'E', every) && every.fewest == every.most;
  }
  if (!good || !text.empty()) {
    return Error(ErrorKind::kUsage,
                 fmt::format("Unknown rounds {}: expected W<writes>R<queries>, such as W2R8 or W1-4R2-16, and perhaps "
                             "D<queries of a wait>E<rounds between two waits>; every number from 1 to {}.",
                             quote(name), Rounds::kMost));
  }
  return Rounds{.fewest_writes = writes.fewest,
                .most_writes = writes.most,
                .fewest_reads = reads.fewest,
                .most_reads = reads.most,
                .wait = wait.fewest,
                .wait_every = every.fewest};
}

RoundsStream::RoundsStream(const Setting& setting, const Rounds& rounds)
    : setting_(setting),
      rounds_(rounds),
      rng_(Rng::stream(0, Purpose::kEvaluationEpisode, 0)),
      places_(setting.addresses()) {
  require(is_supported(setting), "RoundsStream: the setting is not supported");
}

void RoundsStream::begin(Rng rng) {
  rng_ = rng;
  for (std::size_t j = 0; j < places_.size(); ++j)
    places_[j] = {.value = static_cast<std::int32_t>(setting_.default_value(j))};
  writes_ = segments_ = 0;
  writes_left_ = reads_left_ = wait_left_ = 0;
}

Token RoundsStream::write() {
  const std::size_t address = rng_.below(places_.size());
  Place& place = places_[address];
  auto value = static_cast<std::int32_t>(rng_.below(setting_.values() - 1));
  if (value >= place.value) ++value;  // any but the one that is there
  place = {.value = value, .times = place.times + 1, .segment = segments_};
  ++writes_;
  return {.address = static_cast<std::int32_t>(address), .value = value};
}

Group RoundsStream::group_of(const Place& place) const {
  if (place.times == 0) return Group::kDefault;
  if (place.segment == segments_) return Group::kUpdated;
  return place.times == 1 ? Group::kRetained : Group::kRewritten;
}

Token RoundsStream::question(std::size_t address) const {
  const Place& place = places_[address];
  return {.address = static_cast<std::int32_t>(address), .label = place.value, .group = group_of(place)};
}

Token RoundsStream::next() {
  if (writes_left_ == 0 && reads_left_ == 0 && wait_left_ == 0) {
    ++segments_;
    writes_left_ = draw(rng_, rounds_.fewest_writes, rounds_.most_writes);
    reads_left_ = draw(rng_, rounds_.fewest_reads, rounds_.most_reads);
    wait_left_ = segments_ % static_cast<std::int64_t>(rounds_.wait_every) == 0 ? rounds_.wait : 0;
  }
  if (writes_left_ > 0) {
    --writes_left_;
    return write();
  }
  Token token = question(rng_.below(places_.size()));
  if (reads_left_ > 0) {
    --reads_left_;
  } else {
    --wait_left_;
    token.group = Group::kFiller;
  }
  return token;
}

void RoundsStream::ask_all(Rng order, std::span<Token> out) const {
  require(out.size() == places_.size(), "RoundsStream::ask_all: there is one question for every address");
  for (std::size_t j = 0; j < out.size(); ++j) {
    out[j] = question(j);
    out[j].final = true;
  }
  order.shuffle(out);
}

RoundsEpisode::RoundsEpisode(const Setting& setting, const Rounds& rounds, std::uint64_t seed)
    : seed_(seed), stream_(setting, rounds), asked_(setting.addresses()) {}

Rng RoundsEpisode::random(Part part, std::int64_t writes) const {
  return Rng::stream(seed_, curve_purpose(kRoundsCurve),
                     (static_cast<std::uint64_t>(writes) << 24) | (index_ << 4) | static_cast<std::uint64_t>(part));
}

void RoundsEpisode::begin(std::uint64_t index) {
  require(index < kMostEpisodes, "RoundsEpisode::begin: an episode this far has no address");
  index_ = index;
  stream_.begin(random(Part::kRounds, 0));
}

std::span<const Token> RoundsEpisode::questions() {
  stream_.ask_all(random(Part::kQuestions, stream_.writes()), asked_);
  return asked_;
}

}  // namespace schemamem
