#include "tensors/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/text.h"

namespace schemamem {
namespace {

constexpr std::size_t kNamesListed = 8;  // in a message about a missing tensor

template <class From, class To>
std::vector<To> converted(std::span<const std::byte> bytes) {
  std::vector<To> values(bytes.size() / sizeof(From));
  for (std::size_t i = 0; i < values.size(); ++i) {
    From value;
    std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
    values[i] = static_cast<To>(value);
  }
  return values;
}

/// Whether every value of From is a value of To.
template <class From, class To>
constexpr bool kHolds = std::is_same_v<From, To> || (std::is_same_v<From, float> && std::is_same_v<To, double>) ||
                        (std::is_integral_v<From> && std::is_integral_v<To> && sizeof(From) < sizeof(To) &&
                         (std::is_unsigned_v<From> || std::is_signed_v<To>));

/// Calls use(value of the C++ type) for a dtype that has one; false otherwise.
template <class Use>
bool with_type_of(DType dtype, Use use) {
  switch (dtype) {
    case DType::kF64:
      use(double{});
      return true;
    case DType::kF32:
      use(float{});
      return true;
    case DType::kI64:
      use(std::int64_t{});
      return true;
    case DType::kU64:
      use(std::uint64_t{});
      return true;
    case DType::kI32:
      use(std::int32_t{});
      return true;
    case DType::kU8:
      use(std::uint8_t{});
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<FrontMatter> parse_front(std::span<const std::byte> front, std::uint64_t size, const std::string& what) {
  const auto refused = [&](const std::string& message) { return Error(ErrorKind::kBadData, what + ": " + message); };
  if (size < kLengthBytes) {
    return refused(
        fmt::format("expected a safetensors file, which begins with {} bytes of header length, found {} "
                    "bytes in all; the file is truncated",
                    kLengthBytes, size));
  }
  require(front.size() >= std::min<std::uint64_t>(size, kLongestFront), "parse_front: all of the front is given");
  std::uint64_t length = 0;
  std::memcpy(&length, front.data(), kLengthBytes);
  if (length > kLongestHeader) {
    return refused(
        fmt::format("a header of {} bytes; at most {} are accepted: this is no safetensors file, or one with "
                    "far more tensors than this program writes",
                    length, kLongestHeader));
  }
  if (length > size - kLengthBytes) {
    return refused(fmt::format("a header of {} bytes, but only {} follow its length; the file is truncated", length,
                               size - kLengthBytes));
  }
  const std::string_view json(reinterpret_cast<const char*>(front.data()) + kLengthBytes, length);  // NOLINT: text
  const std::size_t begin = kLengthBytes + length;
  Result<safetensors::Header> header = safetensors::parse_header(json, size - begin, what);
  if (!header) return header.error();
  return FrontMatter{.header = std::move(header).value(), .data_begin = begin};
}

Result<TensorFile> TensorFile::parse(Buffer<std::byte> bytes, std::string what) {
  Result<FrontMatter> front = parse_front(bytes.span(), bytes.size(), what);
  if (!front) return front.error();
  TensorFile file;
  file.data_begin_ = front->data_begin;
  file.header_ = std::move(front.value().header);
  for (std::size_t i = 0; i < file.header_.tensors.size(); ++i) file.index_[file.header_.tensors[i].name] = i;
  file.what_ = std::move(what);
  file.file_ = std::move(bytes);
  return file;
}

Result<TensorFile> TensorFile::parse(std::span<const std::byte> bytes, std::string what) {
  Buffer<std::byte> copy(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.begin());
  return parse(std::move(copy), std::move(what));
}

Result<const TensorInfo*> TensorFile::find(std::string_view name) const {
  if (const auto found = index_.find(name); found != index_.end()) return &header_.tensors[found->second];
  std::string present;
  for (const TensorInfo& tensor : header_.tensors) {
    if (&tensor == header_.tensors.data() + kNamesListed) {
      present += fmt::format(" and {} more", header_.tensors.size() - kNamesListed);
      break;
    }
    present += (present.empty() ? "" : ", ") + quote(tensor.name);
  }
  return Error(ErrorKind::kBadData, fmt::format("{}: no tensor {}; the file has {}", what_, quote(name),
                                                present.empty() ? "none" : present));
}

Result<const TensorInfo*> TensorFile::find(std::string_view name, const std::vector<std::size_t>& shape) const {
  Result<const TensorInfo*> tensor = find(name);
  if (!tensor || (*tensor)->shape == shape) return tensor;
  return Error(ErrorKind::kBadData, fmt::format("{}: tensor {}: expected shape {}, found {}", what_, quote(name),
                                                shape_text(shape), shape_text((*tensor)->shape)));
}

Result<std::string> TensorFile::metadata_value(const std::string& key) const {
  const auto found = header_.metadata.find(key);
  if (found != header_.metadata.end()) return found->second;
  return Error(ErrorKind::kBadData, fmt::format("{}: __metadata__ has no key {}", what_, quote(key)));
}

std::span<const std::byte> TensorFile::bytes(const TensorInfo& tensor) const {
  const bool ours =
      !header_.tensors.empty() && &tensor >= &header_.tensors.front() && &tensor <= &header_.tensors.back();
  require(ours, "TensorFile::bytes: the tensor is one of this file's");
  return file_.span().subspan(data_begin_ + tensor.begin, tensor.bytes());
}

Error TensorFile::other_dtype(const TensorInfo& tensor, std::string_view wanted) const {
  return {ErrorKind::kBadData, fmt::format("{}: tensor {}: expected {}, found {}", what_, quote(tensor.name), wanted,
                                           dtype_name(tensor.dtype))};
}

template <class T>
Result<std::vector<T>> TensorFile::values(std::string_view name) const {
  const Result<const TensorInfo*> tensor = find(name);
  if (!tensor) return tensor.error();
  std::optional<std::vector<T>> values;
  with_type_of((*tensor)->dtype, [&]<class From>(From) {
    if constexpr (kHolds<From, T>) values = converted<From, T>(bytes(**tensor));
  });
  if (!values) return other_dtype(**tensor, dtype_name(kDTypeOf<T>.value()));
  return *std::move(values);
}
template Result<std::vector<float>> TensorFile::values(std::string_view) const;
template Result<std::vector<double>> TensorFile::values(std::string_view) const;
template Result<std::vector<std::int64_t>> TensorFile::values(std::string_view) const;
template Result<std::vector<std::uint64_t>> TensorFile::values(std::string_view) const;
template Result<std::vector<std::int32_t>> TensorFile::values(std::string_view) const;
template Result<std::vector<std::uint8_t>> TensorFile::values(std::string_view) const;

Result<std::vector<float>> TensorFile::rounded_values(std::string_view name) const {
  const Result<const TensorInfo*> tensor = find(name);
  if (!tensor) return tensor.error();
  if ((*tensor)->dtype == DType::kF32) return converted<float, float>(bytes(**tensor));
  if ((*tensor)->dtype == DType::kF64) return converted<double, float>(bytes(**tensor));
  return other_dtype(**tensor, "F32 or F64");
}

Result<std::span<const std::byte>> TensorFile::raw_in_place(std::string_view name, DType dtype,
                                                            std::size_t alignment) const {
  const Result<const TensorInfo*> tensor = find(name);
  if (!tensor) return tensor.error();
  if ((*tensor)->dtype != dtype) return other_dtype(**tensor, dtype_name(dtype));
  if ((data_begin_ + (*tensor)->begin) % alignment != 0) {
    return Error(ErrorKind::kBadData,
                 fmt::format("{}: tensor {}: its data at byte {} is not aligned to {} bytes; write the file again with "
                             "a padded header and tensors sorted by element size",
                             what_, quote(name), data_begin_ + (*tensor)->begin, alignment));
  }
  return bytes(**tensor);
}

}  // namespace schemamem
