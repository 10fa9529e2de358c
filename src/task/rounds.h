#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "task/episode.h"
#include "task/setting.h"

namespace schemamem {

/// How many writes and queries a round has, each drawn evenly from its range, and after how many rounds there is a
/// wait. Written W2R8, W1-4R2-16 or W2R8D1536E16.
struct Rounds {
  static constexpr std::size_t kMost = 1'000'000;  // of any of these

  std::size_t fewest_writes = 2, most_writes = 2;
  std::size_t fewest_reads = 8, most_reads = 8;
  std::size_t wait = 0;         // D: queries of a wait; 0: there are none
  std::size_t wait_every = 16;  // E: a wait follows every so many rounds

  std::string name() const;

  friend bool operator==(const Rounds&, const Rounds&) = default;
};
Result<Rounds> parse_rounds(std::string_view name);

/// Writing and asking for ever: rounds of writes to any addresses, also twice to the same one, and of queries of any
/// addresses. A write changes what its address holds. Everything follows from the random numbers it began with.
class RoundsStream {
 public:
  RoundsStream(const Setting& setting, const Rounds& rounds);

  /// The empty database, and another sequence of random numbers.
  void begin(Rng rng);
  /// The next input; there is always one.
  Token next();
  /// What its next choices come from.
  const Rng& random() const { return rng_; }
  /// Writes so far.
  std::int64_t writes() const { return writes_; }
  /// Asks all addresses, in an order of its own: fills out [N].
  void ask_all(Rng order, std::span<Token> out) const;

 private:
  struct Place {
    std::int32_t value = 0;
    std::int64_t times = 0;    // how often it was written
    std::int64_t segment = 0;  // the last time in which write segment
  };

  Token write();
  /// A query of an address as it stands.
  Token question(std::size_t address) const;
  Group group_of(const Place& place) const;

  Setting setting_;
  Rounds rounds_;
  Rng rng_;
  std::vector<Place> places_;  // [N]
  std::int64_t writes_ = 0, segments_ = 0;
  std::size_t writes_left_ = 0, reads_left_ = 0, wait_left_ = 0;
};

/// An endless stream of rounds for evaluation, addressed by a seed and an index (docs/formats.md, "Episodes of
/// rounds"). What it asks after a number of writes does not depend on what was asked before.
class RoundsEpisode {
 public:
  /// `index` is below this, so that no two streams have one address.
  static constexpr std::uint64_t kMostEpisodes = std::uint64_t{1} << 20;

  RoundsEpisode(const Setting& setting, const Rounds& rounds, std::uint64_t seed);

  void begin(std::uint64_t index);
  Token next() { return stream_.next(); }
  std::int64_t writes() const { return stream_.writes(); }
  /// Every address once, as things stand; valid until the next call.
  std::span<const Token> questions();

 private:
  enum class Part : std::uint64_t { kRounds = 0, kQuestions = 1 };
  Rng random(Part part, std::int64_t writes) const;

  std::uint64_t seed_, index_ = 0;
  RoundsStream stream_;
  std::vector<Token> asked_;  // [N]
};

}  // namespace schemamem
