#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "base/uint128.h"

namespace schemamem {

/// NumPy's SeedSequence with an integer entropy: a hash of the seed into a pool of four words.
class NumpySeedSequence {
 public:
  explicit NumpySeedSequence(std::uint64_t entropy);
  /// generate_state(n, uint64)
  void generate_state(std::span<std::uint64_t> out) const;

 private:
  std::array<std::uint32_t, 4> pool_{};
};

/// `numpy.random.default_rng(seed)`: PCG64 (XSL-RR, 128-bit state), and the two methods by which the paper drew its
/// evaluation episodes, to the bit (NumPy 1.17 and later). A plain value; copying it forks the sequence.
///
/// NumPy serves 32-bit requests from one 64-bit output, low half first, and keeps the other half for the next such
/// request. That half survives from call to call, whichever method makes it, so it is part of the state.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  std::uint64_t next_uint64();
  std::uint32_t next_uint32();

  /// One draw of `integers(n)`, dtype int64; n > 0. A range of one value draws nothing; up to 2^32 values come from
  /// 32-bit draws, more from 64-bit ones, both by Lemire's method.
  std::uint64_t integer(std::uint64_t n);
  /// `integers(n, size=len(out))`
  template <class T>
  void integers(std::uint64_t n, std::span<T> out) {
    for (T& value : out) value = static_cast<T>(integer(n));
  }
  /// `permutation(len(out))`
  template <class T>
  void permutation(std::span<T> out) {
    std::iota(out.begin(), out.end(), T{0});
    for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[interval(i - 1)]);
  }

  /// Leaves out the next `count` 32-bit draws, in time logarithmic in `count`.
  void skip_uint32(std::uint64_t count);

  friend bool operator==(const NumpyRandom&, const NumpyRandom&) = default;

 private:
  /// Uniform on {0, ..., most} as NumPy's shuffle draws it: masked bits, drawn again while they exceed `most`.
  std::uint64_t interval(std::uint64_t most);
  void advance(std::uint64_t steps);

  uint128 state_ = 0;
  uint128 increment_ = 0;
  std::uint32_t spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace schemamem
