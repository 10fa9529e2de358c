#include "kernels/optimizer.h"
#include "kernels/product.h"

namespace schemamem::newton_schulz {

template <>
void iterate<SCHEMAMEM_ISA::kThisIsa>(const Work& w) {
  using namespace SCHEMAMEM_ISA;
  constexpr float kA = 3.4445F, kB = -4.7750F, kC = 2.0315F;
  for (std::size_t i = 0; i < w.rows; ++i) {
    for (std::size_t j = 0; j < w.columns; ++j) w.x_t[j * w.rows_padded + i] = w.x[i * w.columns_padded + j];
  }
  multiply<float>({w.x, w.columns_padded, 1}, {w.x_t, w.rows_padded}, w.gram, w.rows_padded, w.rows, w.rows_padded,
                  w.columns);
  multiply<float>({w.gram, w.rows_padded, 1}, {w.gram, w.rows_padded}, w.squared, w.rows_padded, w.rows, w.rows_padded,
                  w.rows);
  for (std::size_t i = 0; i < w.rows * w.rows_padded; ++i) w.squared[i] = kB * w.gram[i] + kC * w.squared[i];
  for (std::size_t i = 0; i < w.rows * w.columns_padded; ++i) w.next[i] = kA * w.x[i];
  multiply_onto<float>({w.squared, w.rows_padded, 1}, {w.x, w.columns_padded}, w.next, w.columns_padded, w.rows,
                       w.columns_padded, w.rows);
}

}  // namespace schemamem::newton_schulz
