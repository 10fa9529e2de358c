#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "tensors/dtype.h"
#include "tensors/safetensors_header.h"

namespace schemamem {

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian and read in place");

/// The longest header that is read or written. The format allows 100 MB; no file of this project needs 1 MB.
inline constexpr std::size_t kLongestHeader = 1'000'000;

/// The bytes of the header's length, and with the longest header: what must be seen of a file to judge it.
inline constexpr std::size_t kLengthBytes = 8, kLongestFront = kLengthBytes + kLongestHeader;

/// What a file says before its data.
struct FrontMatter {
  safetensors::Header header;
  std::size_t data_begin = 0;
};
/// Reads it from the first kLongestFront bytes of a file, or all of a shorter one, and compares it with the size of the
/// whole; `what` names the file in messages.
Result<FrontMatter> parse_front(std::span<const std::byte> front, std::uint64_t size, const std::string& what);

/// A safetensors file in owned memory, immutable once parsed. Every rule of the format is checked before anything is
/// handed out (docs/formats.md, "Safetensors files"); a broken rule is bad data and the message says which, where.
class TensorFile {
 public:
  /// `what` names the file in messages, here and later.
  static Result<TensorFile> parse(Buffer<std::byte> bytes, std::string what);
  /// The same of bytes that stay the caller's: the file keeps a copy.
  static Result<TensorFile> parse(std::span<const std::byte> bytes, std::string what);

  /// In the order of their data.
  const std::vector<TensorInfo>& tensors() const { return header_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  /// How messages call this file.
  const std::string& what() const { return what_; }

  bool contains(std::string_view name) const { return index_.find(name) != index_.end(); }
  /// Points into this file. An absent name is bad data; the message lists what there is.
  Result<const TensorInfo*> find(std::string_view name) const;
  /// The same, refusing another shape.
  Result<const TensorInfo*> find(std::string_view name, const std::vector<std::size_t>& shape) const;
  Result<std::string> metadata_value(const std::string& key) const;

  /// The raw data of one of tensors().
  std::span<const std::byte> bytes(const TensorInfo& tensor) const;

  /// The values as T, for T = float, double, int64, uint64, int32, uint8. A type that holds every value of the stored
  /// one is accepted (F32 as double, I32 as int64); anything else is bad data.
  template <class T>
  Result<std::vector<T>> values(std::string_view name) const;
  /// F32 as stored, F64 rounded to the nearest float.
  Result<std::vector<float>> rounded_values(std::string_view name) const;
  /// The values in place. Refused unless the dtype is T's own and the data is aligned for T, which it is in every file
  /// written by encode_tensors.
  template <class T>
  Result<std::span<const T>> in_place(std::string_view name) const {
    const Result<std::span<const std::byte>> raw = raw_in_place(name, kDTypeOf<T>.value(), alignof(T));
    if (!raw) return raw.error();
    return std::span(reinterpret_cast<const T*>(raw->data()), raw->size() / sizeof(T));  // NOLINT: checked above
  }

 private:
  TensorFile() = default;
  Result<std::span<const std::byte>> raw_in_place(std::string_view name, DType dtype, std::size_t alignment) const;
  Error other_dtype(const TensorInfo& tensor, std::string_view wanted) const;

  std::string what_;
  Buffer<std::byte> file_;
  std::size_t data_begin_ = 0;
  safetensors::Header header_;
  std::map<std::string, std::size_t, std::less<>> index_;
};

/// A tensor to be written; the bytes belong to the caller.
struct NamedTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::size_t> shape;
  std::span<const std::byte> bytes;
};

template <class T>
NamedTensor named_tensor(std::string name, std::vector<std::size_t> shape, std::span<const T> values) {
  return {std::move(name), kDTypeOf<T>.value(), std::move(shape), std::as_bytes(values)};
}

/// The bytes of a file: a pure function of the content, whatever the order of `tensors`. The data is laid out as the
/// format's own writer does, by falling alignment and then by name, and starts at a multiple of 8.
///
/// Names are unique, UTF-8 and not "__metadata__", shapes agree with the bytes, metadata is UTF-8, and the header stays
/// within kLongestHeader: anything else is the caller's mistake.
Buffer<std::byte> encode_tensors(std::span<const NamedTensor> tensors,
                                 const std::map<std::string, std::string>& metadata = {});
/// The same bytes without a copy of the data: the front matter and pieces that point into it and into the tensors.
struct TensorPieces {
  std::string front;
  std::vector<std::span<const std::byte>> data;
};
TensorPieces tensor_pieces(std::span<const NamedTensor> tensors, const std::map<std::string, std::string>& metadata);

}  // namespace schemamem
