#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "base/result.h"

namespace schemamem {

/// A pointer that knows its shape: `View<const float, 2> x /* [T, D] */`. Row-major; the last axis is contiguous and
/// every other axis has a stride, so a block of columns of a wider matrix is a view too. It owns nothing. Const says
/// who writes.
///
/// Members are forced inline so that a kernel compiled for one instruction set never shares a copy of them with
/// another.
template <class T, std::size_t Rank>
class View {
  static_assert(Rank >= 1);

 public:
  using Index = std::size_t;

  [[gnu::always_inline]] constexpr View() = default;

  /// Contiguous rows.
  [[gnu::always_inline]] constexpr View(T* data, std::array<Index, Rank> extents) : data_(data), extents_(extents) {
    Index stride = 1;
    for (Index axis = Rank; axis-- > 0;) {
      strides_[axis] = stride;
      stride *= extents_[axis];
    }
  }
  /// Explicit strides, in elements; the last one is 1.
  [[gnu::always_inline]] constexpr View(T* data, std::array<Index, Rank> extents, std::array<Index, Rank> strides)
      : data_(data), extents_(extents), strides_(strides) {}

  /// A mutable view is a const view.
  [[gnu::always_inline]] constexpr operator View<const T, Rank>() const  // NOLINT(google-explicit-constructor)
      requires(!std::is_const_v<T>) {
    return {data_, extents_, strides_};
  }

  [[gnu::always_inline]] constexpr T* data() const { return data_; }
  [[gnu::always_inline]] constexpr Index extent(Index axis) const { return extents_[axis]; }
  [[gnu::always_inline]] constexpr Index stride(Index axis) const { return strides_[axis]; }
  [[gnu::always_inline]] constexpr const std::array<Index, Rank>& extents() const { return extents_; }
  [[gnu::always_inline]] constexpr Index size() const {
    Index product = 1;
    for (const Index extent : extents_) product *= extent;
    return product;
  }
  [[gnu::always_inline]] constexpr bool contiguous() const {
    Index stride = 1;
    for (Index axis = Rank; axis-- > 0;) {
      if (extents_[axis] != 1 && strides_[axis] != stride) return false;
      stride *= extents_[axis];
    }
    return true;
  }

  template <class... I>
  requires(sizeof...(I) == Rank) [[gnu::always_inline]] constexpr T& operator()(I... index) const {
    const std::array<Index, Rank> at{static_cast<Index>(index)...};
    Index offset = 0;
    for (Index axis = 0; axis < Rank; ++axis) offset += at[axis] * strides_[axis];
    return data_[offset];
  }

  /// Fixes the first index.
  [[gnu::always_inline]] constexpr View<T, Rank - 1> operator[](Index i) const requires(Rank >= 2) {
    std::array<Index, Rank - 1> extents{};
    std::array<Index, Rank - 1> strides{};
    for (Index axis = 1; axis < Rank; ++axis) {
      extents[axis - 1] = extents_[axis];
      strides[axis - 1] = strides_[axis];
    }
    return {data_ + i * strides_[0], extents, strides};
  }
  [[gnu::always_inline]] constexpr T& operator[](Index i) const requires(Rank == 1) { return data_[i]; }

  /// `count` entries of the first axis, from `first` on.
  [[gnu::always_inline]] constexpr View slice(Index first, Index count) const {
    View part = *this;
    part.data_ += first * strides_[0];
    part.extents_[0] = count;
    return part;
  }

  [[gnu::always_inline]] constexpr T* begin() const requires(Rank == 1) { return data_; }
  [[gnu::always_inline]] constexpr T* end() const requires(Rank == 1) { return data_ + extents_[0]; }

 private:
  T* data_ = nullptr;
  std::array<Index, Rank> extents_{};
  std::array<Index, Rank> strides_{};
};

template <class T>
constexpr View<T, 1> view_of(std::span<T> values) {
  return {values.data(), {values.size()}};
}

}  // namespace schemamem
