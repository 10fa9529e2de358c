#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "system/process_identity.h"

namespace schemamem {

/// What a claim says about itself: who made it, and how often it is renewed. Its file is one line of JSON
/// (docs/formats.md, "Runs"); at its end is a count that grows with every renewal.
struct ClaimText {
  ProcessIdentity owner;
  std::string since{};      // for people: a time of the owner's clock
  std::uint64_t taken = 0;  // ns of the owner's kernel: tells two claims of one process apart
  std::chrono::milliseconds beat{5000};
  std::uint64_t beats = 0;

  /// "process 4711 on node7 since 2026-01-31T12:00:00Z"
  std::string who() const;
  std::string line() const;
  friend bool operator==(const ClaimText&, const ClaimText&) = default;
};
/// Digits of the count, and the characters behind them.
inline constexpr std::size_t kClaimDigits = 12, kClaimEnd = 3;
/// The way back; what anybody else wrote there is bad data. `file` names it in messages.
Result<ClaimText> parse_claim(std::string_view text, const std::string& file);

/// Nothing was heard of its owner for so many of its beats: it counts as dead.
inline constexpr int kSilentBeats = 12;

/// A claim as somebody else sees it.
struct SeenClaim {
  enum class Pulse {
    kUnknown,  // not watched for long enough
    kAlive,    // seen at work
    kDead,     // its process is no more, or it was silent for too long
  };
  std::uint32_t number = 0;
  ClaimText text{};
  Pulse pulse = Pulse::kUnknown;
};

/// Watches the claims of a folder. Whether an owner on another host lives is told by its count alone, and how long that
/// did not change by the clock of who watches: clocks of two hosts are never compared.
class ClaimWatch {
 public:
  explicit ClaimWatch(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The claims that there are, by number. A file that is no claim is bad data.
  Result<std::vector<SeenClaim>> look();

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    ClaimText text;
    Clock::time_point changed = Clock::now();
    bool heard = false;
  };
  std::filesystem::path folder_;
  std::map<std::uint32_t, Known> known_;
};

/// "claim-3"
std::string claim_name(std::uint32_t number);

}  // namespace schemamem
