#include "base/memory.h"

namespace schemamem {
namespace {

constexpr std::byte kPoison{0xff};  // as a float or a double: a NaN
constexpr std::byte kSentinel{0xa5};

std::size_t round_up(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Arena::Arena(ArenaPolicy policy) : policy_(policy) {}
Arena::~Arena() = default;

std::size_t Arena::end_of_block(std::size_t offset, std::size_t bytes) const {
  return round_up(offset + bytes + policy_.guard);
}

std::size_t Arena::reserve_bytes(std::size_t bytes) {
  require(!allocated_, "Arena::reserve: the arena is already allocated");
  const std::size_t offset = end_;
  if (policy_.guard > 0) guards_.push_back(offset + bytes);
  end_ = end_of_block(offset, bytes);
  return offset;
}

std::byte* Arena::take_bytes(std::size_t bytes) {
  if (!allocated_) {
    reserve_bytes(bytes);
    return nullptr;
  }
  const std::size_t offset = taken_;
  taken_ = end_of_block(offset, bytes);
  require(taken_ <= end_, "Arena::take: more is taken than was announced");
  return data_ + offset;
}

std::size_t Arena::bytes() const { return end_; }

void Arena::allocate() {
  require(!allocated_, "Arena::allocate: called twice");
  allocated_ = true;
  memory_ = Buffer<std::byte>(end_);
  data_ = memory_.data();
  if (policy_.poison) std::fill(memory_.begin(), memory_.end(), kPoison);
  for (const std::size_t guard : guards_) std::fill_n(memory_.data() + guard, policy_.guard, kSentinel);
}

bool Arena::guards_intact() const {
  return std::all_of(guards_.begin(), guards_.end(), [&](std::size_t guard) {
    const std::byte* first = memory_.data() + guard;
    return std::all_of(first, first + policy_.guard, [](std::byte byte) { return byte == kSentinel; });
  });
}

}  // namespace schemamem
