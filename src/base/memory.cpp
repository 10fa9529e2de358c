#include "base/memory.h"

namespace schemamem {
namespace {

constexpr std::byte kPoison{0xff};  // as a float or a double: a NaN
constexpr std::byte kSentinel{0xa5};

}  // namespace

void Arena::allocate() {
  require(!allocated_, "Arena::allocate: called twice");
  allocated_ = true;
  memory_ = Buffer<std::byte>(end_);
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
