#include "tensors/dtype.h"

#include <array>
#include <utility>

namespace schemamem {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t bits;
};

constexpr std::array kRows = {
    Row{DType::kBool, "BOOL", 8},
    Row{DType::kF4, "F4", 4},
    Row{DType::kF6E2M3, "F6_E2M3", 6},
    Row{DType::kF6E3M2, "F6_E3M2", 6},
    Row{DType::kU8, "U8", 8},
    Row{DType::kI8, "I8", 8},
    Row{DType::kF8E5M2, "F8_E5M2", 8},
    Row{DType::kF8E4M3, "F8_E4M3", 8},
    Row{DType::kF8E8M0, "F8_E8M0", 8},
    Row{DType::kF8E4M3Fnuz, "F8_E4M3FNUZ", 8},
    Row{DType::kF8E5M2Fnuz, "F8_E5M2FNUZ", 8},
    Row{DType::kI16, "I16", 16},
    Row{DType::kU16, "U16", 16},
    Row{DType::kF16, "F16", 16},
    Row{DType::kBF16, "BF16", 16},
    Row{DType::kI32, "I32", 32},
    Row{DType::kU32, "U32", 32},
    Row{DType::kF32, "F32", 32},
    Row{DType::kC64, "C64", 64},
    Row{DType::kF64, "F64", 64},
    Row{DType::kI64, "I64", 64},
    Row{DType::kU64, "U64", 64},
};
static_assert([] {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].dtype != static_cast<DType>(i)) return false;
  }
  return kRows.back().dtype == DType::kU64;
}());

const Row& row(DType dtype) { return kRows.at(static_cast<std::size_t>(dtype)); }

}  // namespace

std::string_view dtype_name(DType dtype) { return row(dtype).name; }

std::size_t dtype_bits(DType dtype) { return row(dtype).bits; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Row& known : kRows) {
    if (known.name == name) return known.dtype;
  }
  return std::nullopt;
}

std::string dtype_names() {
  std::string names;
  for (const Row& known : kRows) {
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return names;
}

std::optional<std::size_t> tensor_bits(DType dtype, std::span<const std::size_t> shape) {
  std::size_t bits = dtype_bits(dtype);
  bool empty = false;
  for (const std::size_t extent : shape) {
    empty = empty || extent == 0;
    if (extent != 0 && __builtin_mul_overflow(bits, extent, &bits)) return std::nullopt;
  }
  return empty ? 0 : bits;
}

}  // namespace schemamem
