#pragma once

#include "models/schemamem/config.h"

namespace schemamem {

/// Where each tensor starts in the flat parameter buffer. All layers have the same sizes, so layer i is the first one
/// moved by i * layer_size.
struct SchemaMemPlaces {
  std::size_t input, bias, final_norm, output;
  std::size_t norm1, norm2, schema, w_k, w_v, w_r, w_w, w_delta, w_f, attn_q, attn_o, attn_k, attn_v, gate, up, down;
  std::size_t layer_size;
};
SchemaMemPlaces schemamem_places(const SchemaMemConfig& config);

}  // namespace schemamem
