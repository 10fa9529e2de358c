#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// Every buffer that a kernel touches starts on a cache line.
inline constexpr std::size_t kAlignment = 64;

/// Owned, cache-line aligned, zero-filled memory for trivially copyable elements.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    data_.reset(static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{kAlignment})));
    std::uninitialized_value_construct_n(data_.get(), size);
  }
  Buffer(const Buffer& other) : Buffer(other.size_) { std::copy_n(other.data(), size_, data()); }
  Buffer& operator=(const Buffer& other) {
    if (this != &other) *this = Buffer(other);
    return *this;
  }
  Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Buffer() = default;

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  struct Free {
    void operator()(T* pointer) const { ::operator delete (pointer, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

/// How scratch memory is laid out and filled. Tests poison it, so that a kernel that reads what it did not write yields
/// NaN, and guard it, so that one that writes past its end is found.
struct ArenaPolicy {
  bool poison = false;    // fill with NaN bytes instead of zeros
  std::size_t guard = 0;  // bytes of sentinel behind every block
};

/// Memory that is asked for once: first every block is announced, then one allocation serves them all.
///
///   Arena arena(policy);
///   const auto x = arena.reserve<float>(n);   // a handle
///   arena.allocate();
///   float* data = arena.at(x);
///
/// Everything but the two casts is out of line: kernels compiled for one instruction set use arenas, and must not leave
/// copies of shared code behind.
class Arena {
 public:
  template <class T>
  struct Block {
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  explicit Arena(ArenaPolicy policy = {});
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <class T>
  [[gnu::always_inline]] Block<T> reserve(std::size_t count) {
    return {reserve_bytes(count * sizeof(T)), count};
  }
  void allocate();

  /// For structures with many buffers: the same sequence of calls is made twice. Before allocate() each call announces
  /// a block and returns null; after it each returns that block.
  template <class T>
  [[gnu::always_inline]] T* take(std::size_t count) {
    return reinterpret_cast<T*>(take_bytes(count * sizeof(T)));  // NOLINT: see at()
  }

  template <class T>
  [[gnu::always_inline]] T* at(Block<T> block) {
    return reinterpret_cast<T*>(data_ + block.offset);  // NOLINT: the one place that gives bytes a type
  }
  std::size_t bytes() const;
  /// True while no sentinel has been overwritten.
  bool guards_intact() const;

 private:
  std::size_t reserve_bytes(std::size_t bytes);
  std::byte* take_bytes(std::size_t bytes);
  std::size_t end_of_block(std::size_t offset, std::size_t bytes) const;

  ArenaPolicy policy_;
  std::size_t end_ = 0;
  std::size_t taken_ = 0;  // how far take() has come since allocate()
  std::vector<std::size_t> guards_;
  Buffer<std::byte> memory_;
  std::byte* data_ = nullptr;
  bool allocated_ = false;
};

}  // namespace schemamem
