#include "base/numpy_random.h"

#include <bit>

#include "base/result.h"

namespace schemamem {
namespace {

constexpr uint128 kMultiplier = (static_cast<uint128>(0x2360ED051FC65DA4) << 64) | 0x4385DF649FCCF645;

/// SeedSequence's hash: a running constant makes equal words hash differently at different places.
class RunningHash {
 public:
  RunningHash(std::uint32_t start, std::uint32_t multiplier) : constant_(start), multiplier_(multiplier) {}

  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= multiplier_;
    value *= constant_;
    return value ^ (value >> 16);
  }

 private:
  std::uint32_t constant_, multiplier_;
};

std::uint32_t combine(std::uint32_t x, std::uint32_t y) {
  const std::uint32_t result = 0xCA01F9DDU * x - 0x4973F715U * y;
  return result ^ (result >> 16);
}

}  // namespace

NumpySeedSequence::NumpySeedSequence(std::uint64_t entropy) {
  RunningHash hash(0x43B0D7E5U, 0x931E8875U);
  // The entropy's 32-bit words, low first. NumPy counts words without leading zeros, but a missing word hashes as zero.
  const std::array<std::uint32_t, 4> words{static_cast<std::uint32_t>(entropy),
                                           static_cast<std::uint32_t>(entropy >> 32), 0, 0};
  for (std::size_t i = 0; i < pool_.size(); ++i) pool_[i] = hash(words[i]);
  for (std::size_t from = 0; from < pool_.size(); ++from) {
    for (std::size_t to = 0; to < pool_.size(); ++to) {
      if (from != to) pool_[to] = combine(pool_[to], hash(pool_[from]));
    }
  }
}

void NumpySeedSequence::generate_state(std::span<std::uint64_t> out) const {
  RunningHash hash(0x8B51F9DDU, 0x58F38DEDU);
  std::size_t at = 0;
  const auto next = [&] { return static_cast<std::uint64_t>(hash(pool_[at++ % pool_.size()])); };
  for (std::uint64_t& value : out) {
    const std::uint64_t low = next();
    value = low | (next() << 32);
  }
}

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  std::array<std::uint64_t, 4> words{};
  NumpySeedSequence(seed).generate_state(words);
  const uint128 start = (static_cast<uint128>(words[0]) << 64) | words[1];
  const uint128 sequence = (static_cast<uint128>(words[2]) << 64) | words[3];
  increment_ = (sequence << 1) | 1;
  state_ = (increment_ + start) * kMultiplier + increment_;
}

std::uint64_t NumpyRandom::next_uint64() {
  state_ = state_ * kMultiplier + increment_;
  const auto folded = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122));
}

std::uint32_t NumpyRandom::next_uint32() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const std::uint64_t both = next_uint64();
  spare_ = static_cast<std::uint32_t>(both >> 32);
  has_spare_ = true;
  return static_cast<std::uint32_t>(both);
}

std::uint64_t NumpyRandom::integer(std::uint64_t n) {
  require(n > 0, "NumpyRandom::integer: the range is empty");
  if (n == 1) return 0;
  if (n <= (std::uint64_t{1} << 32)) {
    std::uint64_t product = next_uint32() * n;  // n = 2^32 keeps every draw as it is
    if (static_cast<std::uint32_t>(product) < n) {
      const std::uint64_t threshold = (std::uint64_t{1} << 32) % n;
      while (static_cast<std::uint32_t>(product) < threshold) product = next_uint32() * n;
    }
    return product >> 32;
  }
  uint128 product = static_cast<uint128>(next_uint64()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<uint128>(next_uint64()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t NumpyRandom::interval(std::uint64_t most) {
  if (most == 0) return 0;
  const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(most);
  const bool narrow = most <= 0xFFFFFFFFU;
  for (;;) {
    const std::uint64_t value = (narrow ? next_uint32() : next_uint64()) & mask;
    if (value <= most) return value;
  }
}

void NumpyRandom::skip_uint32(std::uint64_t count) {
  if (count > 0 && has_spare_) {
    has_spare_ = false;
    --count;
  }
  advance(count / 2);
  if (count % 2 == 1) static_cast<void>(next_uint32());
}

void NumpyRandom::advance(std::uint64_t steps) {
  // x -> a x + c, squared again and again: Brown's method.
  uint128 a = kMultiplier, c = increment_, total_a = 1, total_c = 0;
  for (; steps > 0; steps >>= 1) {
    if (steps & 1) {
      total_a *= a;
      total_c = total_c * a + c;
    }
    c *= a + 1;
    a *= a;
  }
  state_ = total_a * state_ + total_c;
}

}  // namespace schemamem
