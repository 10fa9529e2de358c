#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "base/result.h"
#include "base/uint128.h"

namespace schemamem {

/// What a random stream is for. Streams of different purposes never meet, so training cannot see evaluation episodes.
/// The numbers are part of the format: a run can be repeated only while they stay. Add at the end, never renumber.
enum class Purpose : std::uint64_t {
  kTrainEpisode = 1,
  kValidationEpisode = 2,
  kEvaluationEpisode = 3,
  kWeights = 4,
  kOptimizer = 5,
  kSchedule = 6,  // which scenario and delay a training step gets
  kBenchmark = 7,
  kTest = 8,
  kBootstrap = 9,
  kLaneEpisode = 10,   // streams whose states training carries on
  kLaneRestart = 11,   // and when one begins anew
  kNoise = 12,         // added to a memory by hand
  kFirstCurve = 1000,  // curves of the evaluation scenario n: 1000 + n
};
constexpr Purpose curve_purpose(std::uint64_t scenario) {
  return static_cast<Purpose>(static_cast<std::uint64_t>(Purpose::kFirstCurve) + scenario);
}

/// Randomness that is addressed, not consumed: `Rng::stream(seed, purpose, index)` is the same sequence for any batch
/// size, thread count or resume point. A plain value of 256 bits (xoshiro256++); copying it forks the sequence.
///
/// Every result is made of integer arithmetic and of IEEE additions, multiplications, divisions and square roots, which
/// are correctly rounded everywhere, so all machines draw the same bits. The sequences are fixed forever by known
/// answers in tests/base/rng_test.cpp.
class Rng {
 public:
  /// The map from the address to the starting state is one-to-one: two addresses never start alike.
  static Rng stream(std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;
    std::array<std::uint64_t, 4> x{seed, static_cast<std::uint64_t>(purpose), index, kGolden};
    // A Feistel network: each round adds a hash of one word to the next, so it can be undone. Eight rounds let every
    // word depend on every other.
    for (std::uint64_t round = 0; round < 8; ++round) x[(round + 1) % 4] ^= mix(x[round % 4] + (round + 1) * kGolden);
    if ((x[0] | x[1] | x[2] | x[3]) == 0) x[0] = kGolden;  // xoshiro's only forbidden state
    return Rng(x);
  }

  /// 64 uniform bits.
  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform on {0, ..., n-1} without bias (Lemire's multiplication with rejection); n > 0.
  std::uint64_t below(std::uint64_t n) {
    uint128 product = static_cast<uint128>(next()) * n;
    if (static_cast<std::uint64_t>(product) <= n) [[unlikely]] {  // equality is there for n = 0 only
      require(n > 0, "Rng::below: the range is empty");
      const std::uint64_t threshold = (0 - n) % n;  // 2^64 mod n
      while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<uint128>(next()) * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Uniform on the multiples of 2^-53 in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Uniform on the multiples of 2^-24 in [0, 1).
  float uniform_float() { return static_cast<float>(next() >> 40) * 0x1p-24F; }
  /// Standard normal (Marsaglia's polar method with a logarithm of our own, because those of the C libraries differ).
  double normal();

  /// A uniformly random order of `values` (Fisher and Yates, from the last place down).
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }
  /// Fills `values` with a uniformly random order of 0 .. size-1.
  template <class T>
  void permutation(std::span<T> values) {
    std::iota(values.begin(), values.end(), T{0});
    shuffle(values);
  }

  friend bool operator==(const Rng&, const Rng&) = default;

 private:
  explicit Rng(const std::array<std::uint64_t, 4>& state) : state_(state) {}

  /// A one-to-one hash of 64 bits in which every output bit depends on every input bit (SplitMix64's finaliser).
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::array<std::uint64_t, 4> state_;
};

}  // namespace schemamem
