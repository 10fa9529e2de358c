#pragma once

#include "kernels/local_attention.h"
#include "kernels/slot_attention.h"
#include "models/schemamem/config.h"

namespace schemamem::SCHEMAMEM_ISA {

// D: padded width · M: padded slots · Q: padded width of [query | key | value] · G: padded hidden width.
// Padding is to whole vectors; padded entries hold zeros, and padded slots get no attention.

/// Any sizes.
template <class T>
struct AnyShape {
  std::size_t width, slots, heads, head_dim, hidden;
  std::size_t D, M, Q, G;

  explicit AnyShape(const SchemaMemConfig& c)
      : width(c.width),
        slots(c.slots),
        heads(c.heads),
        head_dim(c.head_dim),
        hidden(c.hidden),
        D(round_up_to_lanes<T>(c.width)),
        M(round_up_to_lanes<T>(c.slots)),
        Q(round_up_to_lanes<T>(c.width + 2 * c.head_dim)),
        G(round_up_to_lanes<T>(c.hidden)) {}
};

/// The paper's sizes, known to the compiler.
template <class T>
struct PaperShape {
  static constexpr Fixed<32> width{};
  static constexpr Fixed<176> slots{};
  static constexpr Fixed<4> heads{};
  static constexpr Fixed<8> head_dim{};
  static constexpr Fixed<16> hidden{};
  static constexpr Fixed<round_up_to_lanes<T>(32)> D{};
  static constexpr Fixed<round_up_to_lanes<T>(176)> M{};
  static constexpr Fixed<round_up_to_lanes<T>(48)> Q{};
  static constexpr Fixed<round_up_to_lanes<T>(16)> G{};

  explicit PaperShape(const SchemaMemConfig& /*config*/) {}
};

template <class Shape>
[[gnu::always_inline]] inline auto slot_sizes(const Shape& s) {
  return SlotSizes<std::remove_const_t<decltype(s.slots)>, std::remove_const_t<decltype(s.M)>,
                   std::remove_const_t<decltype(s.D)>>{s.slots, s.M, s.D};
}
template <class Shape>
[[gnu::always_inline]] inline auto local_sizes(const Shape& s) {
  return LocalSizes<std::remove_const_t<decltype(s.heads)>, std::remove_const_t<decltype(s.head_dim)>>{s.heads,
                                                                                                       s.head_dim};
}

inline constexpr double kLog2e = 1.442695040888963407;
inline constexpr double kLn2 = 0.693147180559945309;
inline constexpr double kPi = 3.141592653589793238;

}  // namespace schemamem::SCHEMAMEM_ISA
