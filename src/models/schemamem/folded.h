#pragma once

#include "models/schemamem/engine.h"
#include "models/schemamem/shape.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Weights of one layer as the kernels want them: padded, merged, transposed, scaled. Everything here is computed once
/// a step.
template <class T>
struct LayerWeights {
  T *norm1, *norm2;          // [D]
  T *read, *read_t;          // W_r log2 e / sqrt d [D, D];  (W_r / sqrt d)^T
  T* schema;                 // E [M, D]
  T* features;               // phi(E) [M, 2D]
  T* bank;                   // [K(E) | V(E)] [M, 2D]
  T *keys_t, *values_t;      // K(E)^T, V(E)^T [D, M]
  T* address;                // W_w K(E)^T log2 e / sqrt d [D, M]: the writer's query weights and static keys in one
  T* address_rows;           // (W_w K(E)^T)^T / sqrt d [M, D]
  T* write;                  // W_w [D, D]
  T *project, *project_t;    // [W_K | W_V] [2D, 2D] and its transpose
  T *delta, *delta_t;        // W_Delta [D, D]
  T *qkv, *qkv_t;            // [W_q | W_k | W_v] [D, Q], query columns feature-major; transpose [Q, D]
  T *mix, *mix_t;            // [W_o ; W_f] [2D, D], rows of W_o feature-major; transpose [D, 2D]
  T *gate_up, *gate_up_t;    // [W_gate | W_up] [D, 2G]; transpose [2G, D]
  T *down, *down_t;          // W_down [G, D]; transpose [D, G]
  T key_norm, address_norm;  // largest |K(E)| and largest column of `address`
};

template <class T>
struct SchemaMemFolded final : Folded<T> {
  Arena arena;
  LayerWeights<T>* layers = nullptr;
  T *input, *bias, *final_norm, *output, *output_t;  // [inputs, D], [D], [D], [D, O], [outputs, D]
};

/// Gradients in the layout of LayerWeights.
template <class T>
struct LayerGradients {
  T *norm1, *norm2;
  T* read;     // X^T d_query, lacks 1 / sqrt d
  T* schema;   // of E through the banks of later chunks
  T* bank;     // of [K(E) | V(E)]
  T* address;  // of (W_w K(E)^T)^T / sqrt d, [M, D]
  T *project, *delta, *qkv, *mix, *gate_up, *down;
};

template <class T>
struct SchemaMemShard final : GradientShard<T> {
  std::span<T> numbers() override { return {all, size}; }
  Arena arena;
  T* all = nullptr;  // every gradient, one after the other
  std::size_t size = 0;
  LayerGradients<T>* layers = nullptr;
  T *input, *bias, *final_norm, *output;
  T *d_features, *d_bank;  // scratch of unfold
};

}  // namespace schemamem::SCHEMAMEM_ISA
