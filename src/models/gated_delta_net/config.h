#pragma once

#include <cstddef>
#include <string_view>

#include "models/fields.h"
#include "models/model_traits.h"

namespace schemamem {

/// Sizes of a Gated DeltaNet; the defaults are the published ones (55,260 parameters and 17,280 persistent elements for
/// A3V3). The convolution always spans four tokens.
struct GatedDeltaNetConfig {
  static constexpr std::string_view kName = "gdn", kTitle = "Gated DeltaNet";
  static constexpr ModelTraits kTraits{};
  static constexpr bool kSizesCameLater = true;  // files of before have none but the frame's
  static constexpr std::size_t kMostHeads = 64, kMostHeadDim = 256;

  std::size_t inputs = 7;   // a + v + 1
  std::size_t outputs = 3;  // v
  std::size_t layers = 3;
  std::size_t width = 32;  // D
  std::size_t heads = 2;
  std::size_t head_dim = 48;  // of a key and of a value
  std::size_t hidden = 16;    // of the SwiGLU
  bool symbols = false;       // inputs are symbols
  bool bare = false;          // no maps into and out of the layers

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    frame_fields(self, field);
    field("width", self.width, SizeRange{.least = 16, .most = 4'096, .multiple = 16}, "width of the model");
    field("heads", self.heads, SizeRange{.least = 1, .most = kMostHeads}, "heads, each with a memory of its own");
    field("head_dim", self.head_dim, SizeRange{.least = 16, .most = kMostHeadDim, .multiple = 16},
          "width of a head's keys and values");
    field("hidden", self.hidden, SizeRange{.least = 16, .most = 65'536, .multiple = 16}, "hidden width of the SwiGLU");
  }

  /// Throws ContractViolation, naming the size, if one is out of its range.
  void check() const;
  bool has_published_sizes() const { return width == 32 && heads == 2 && head_dim == 48 && hidden == 16; }
};

}  // namespace schemamem
