#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace schemamem::test {

/// A buffer for a kernel to write: starts as NaN, so that reading what was not written shows, and lies between
/// sentinels, at an address that is a multiple of nothing.
template <class T>
class Guarded {
 public:
  explicit Guarded(std::size_t size, T fill = std::numeric_limits<T>::quiet_NaN())
      : memory_(size + 2 * kMargin, kSentinel), size_(size) {
    std::fill_n(data(), size, fill);
  }
  explicit Guarded(const std::vector<T>& values) : Guarded(values.size()) {
    std::copy(values.begin(), values.end(), data());
  }

  T* data() { return memory_.data() + kMargin; }
  const T* data() const { return memory_.data() + kMargin; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  std::vector<T> values() const { return {data(), data() + size_}; }

  bool intact() const {
    const std::span<const T> all(memory_);
    const auto untouched = [](T value) { return value == kSentinel; };
    return std::ranges::all_of(all.first(kMargin), untouched) && std::ranges::all_of(all.last(kMargin), untouched);
  }

 private:
  static constexpr std::size_t kMargin = 33;
  static constexpr T kSentinel = T(-8.125e5);
  std::vector<T> memory_;
  std::size_t size_;
};

}  // namespace schemamem::test
