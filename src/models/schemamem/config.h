#pragma once

#include <cstddef>
#include <string_view>

#include "models/fields.h"
#include "models/layout.h"
#include "models/model_traits.h"

namespace schemamem {

/// Sizes and options of a SchemaMem model; the defaults are the paper's (54,336 parameters and 16,896 persistent
/// elements for A3V3).
struct SchemaMemConfig {
  static constexpr std::string_view kName = "schemamem", kTitle = "SchemaMem";
  static constexpr ModelTraits kTraits{.full_history = true, .ablation = true, .final_target = 95};
  static constexpr bool kSizesCameLater = false;  // files of before have none but the frame's

  std::size_t inputs = 7;         // a + v + 1
  std::size_t outputs = 3;        // v
  std::size_t layers = 3;         // L
  std::size_t width = 32;         // d
  std::size_t slots = 176;        // M
  std::size_t heads = 4;          // query heads; one key/value head is shared
  std::size_t head_dim = 8;       // even; heads * head_dim = width
  std::size_t hidden = 16;        // of the SwiGLU
  std::size_t commit_every = 96;  // longest chunk
  bool symbols = false;           // inputs are symbols
  bool bare = false;              // no maps into and out of the layers
  bool live = false;              // what is written depends on what the slots hold
  bool pulls = false;             // a write pulls its slots towards what is written, instead of adding it
  std::size_t phases = 0;         // phases a turn that S can take; 0: any

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    frame_fields(self, field);
    field("width", self.width, SizeRange{.least = 2, .most = 4'096}, "width of the model, heads * head_dim");
    field("slots", self.slots, SizeRange{.least = 1, .most = 1'048'576}, "places of the memory in each layer");
    field("heads", self.heads, SizeRange{.least = 1, .most = 2'048}, "query heads of the attention inside a chunk");
    field("head_dim", self.head_dim, SizeRange{.least = 2, .most = 128, .multiple = 2}, "width of a head");
    field("hidden", self.hidden, SizeRange{.least = 1, .most = 65'536}, "hidden width of the SwiGLU");
    field("commit_every", self.commit_every, SizeRange{.least = 1, .most = 65'536}, "the longest chunk, in inputs");
    field("writer", self.live, OptionWords{"static", "live"},
          "what a write sees of its slots: the schema (the paper's), or what they hold");
    field("commit", self.pulls, OptionWords{"add", "pull"},
          "what a write does to its slots: it adds to them (the paper's), or pulls them towards what is written");
    field(
        "phases", self.phases, OptionNumber{.none = "any", .least = 2, .most = 65'536},
        "the phases that a state can take: any (the paper's), or so many, equally far apart, the nearest at a commit");
  }

  /// Throws ContractViolation if the sizes do not fit together.
  void check() const;
  bool has_paper_sizes() const { return width == 32 && slots == 176 && heads == 4 && head_dim == 8 && hidden == 16; }
};

inline constexpr double kSchemaMemNormEps = 1e-6;

/// Named tensors of the weights (docs/formats.md, "Parameter names").
Layout schemamem_parameters(const SchemaMemConfig& config);

}  // namespace schemamem
