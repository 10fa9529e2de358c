#pragma once

#include <vector>

#include "base/memory.h"

namespace schemamem {

/// Blocks of one arena that are announced before it is allocated and looked up behind it.
template <class T>
class Blocks {
 public:
  Blocks() = default;
  Blocks(Arena& arena, const std::vector<std::size_t>& sizes) {
    for (const std::size_t size : sizes) blocks_.push_back(arena.reserve<T>(size));
  }
  std::vector<T*> in(Arena& arena) const {
    std::vector<T*> pointers;
    for (const Arena::Block<T>& block : blocks_) pointers.push_back(arena.at(block));
    return pointers;
  }

 private:
  std::vector<Arena::Block<T>> blocks_;
};

}  // namespace schemamem
