#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace schemamem {

/// Every element type of the safetensors format, in the format's order: by rising alignment.
enum class DType {
  kBool,
  kF4,
  kF6E2M3,
  kF6E3M2,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64,
};

/// The name in a file: "F32".
std::string_view dtype_name(DType dtype);
std::optional<DType> dtype_from_name(std::string_view name);
/// Every name, for messages: "BOOL, F4, ...".
std::string dtype_names();
/// Bits of one element. Some types are smaller than a byte.
std::size_t dtype_bits(DType dtype);

/// Bits of a tensor, or nothing when the product of the extents overflows. A zero among the extents does not excuse an
/// overflow of the others: readers multiply in any order.
std::optional<std::size_t> tensor_bits(DType dtype, std::span<const std::size_t> shape);

/// The element type of a C++ type with which tensors can be read and written.
template <class T>
inline constexpr std::optional<DType> kDTypeOf = std::nullopt;
template <>
inline constexpr std::optional<DType> kDTypeOf<std::uint8_t> = DType::kU8;
template <>
inline constexpr std::optional<DType> kDTypeOf<std::int32_t> = DType::kI32;
template <>
inline constexpr std::optional<DType> kDTypeOf<std::int64_t> = DType::kI64;
template <>
inline constexpr std::optional<DType> kDTypeOf<std::uint64_t> = DType::kU64;
template <>
inline constexpr std::optional<DType> kDTypeOf<float> = DType::kF32;
template <>
inline constexpr std::optional<DType> kDTypeOf<double> = DType::kF64;

}  // namespace schemamem
