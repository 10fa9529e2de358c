#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "models/layout.h"
#include "tensors/safetensors.h"

namespace schemamem {

/// The tensors of a flat buffer, to be written under the names of its layout; the numbers stay the caller's.
template <class T>
std::vector<NamedTensor> tensors_of(const Layout& layout, std::span<const T> flat);

/// What happens to F64 tensors that are read as float. F32 is read as double without asking: nothing is lost.
enum class Narrowing { kRefuse, kRound };

/// Fills a flat buffer from a file. Refused as bad data: a tensor that is missing, has another shape or dtype, or holds
/// a number that is not finite, and a tensor that is neither in the layout nor among `besides`.
template <class T>
Status read_layout(const TensorFile& file, const Layout& layout, Narrowing narrowing,
                   std::span<const std::string_view> besides, std::span<T> flat);

/// The same checks of names and shapes, without reading: before memory is asked for.
Status check_layout(const TensorFile& file, const Layout& layout, std::span<const std::string_view> besides);

}  // namespace schemamem
