#pragma once

#include <cstddef>
#include <string_view>

#include "models/fields.h"
#include "models/model_traits.h"

namespace schemamem {

/// Sizes of a Mamba-3 (SISO) model; the defaults are the published ones (55,128 parameters and 16,752 persistent
/// elements for A3V3). A quarter of `state` are rotary angles; the inner width is heads * head_dim.
struct Mamba3Config {
  static constexpr std::string_view kName = "mamba3", kTitle = "Mamba-3";
  static constexpr ModelTraits kTraits{};
  static constexpr bool kSizesCameLater = true;  // files of before have none but the frame's

  std::size_t inputs = 7;     // a + v + 1
  std::size_t outputs = 3;    // v
  std::size_t layers = 3;     // L
  std::size_t width = 32;     // D
  std::size_t heads = 4;      // H
  std::size_t head_dim = 16;  // P, the width of a value
  std::size_t state = 80;     // N, the width of a key
  std::size_t groups = 2;     // G, of heads that share B and C
  bool symbols = false;       // inputs are symbols
  bool bare = false;          // no maps into and out of the layers

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    frame_fields(self, field);
    field("width", self.width, SizeRange{.least = 16, .most = 4'096, .multiple = 16}, "width of the model");
    field("heads", self.heads, SizeRange{.least = 1, .most = 64}, "heads, a multiple of the groups");
    field("head_dim", self.head_dim, SizeRange{.least = 16, .most = 256, .multiple = 16}, "width of a head's values");
    field("state", self.state, SizeRange{.least = 16, .most = 1'024, .multiple = 16},
          "width of a head's keys; a quarter of it are rotary angles");
    field("groups", self.groups, SizeRange{.least = 1, .most = 64}, "groups of heads that share B and C");
  }

  /// Throws ContractViolation if a size is out of range or they do not fit together.
  void check() const;
  bool has_published_sizes() const { return width == 32 && heads == 4 && head_dim == 16 && state == 80 && groups == 2; }
};

}  // namespace schemamem
