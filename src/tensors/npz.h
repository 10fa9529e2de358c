#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "tensors/safetensors.h"

namespace schemamem {

/// NumPy's archives of arrays: a zip file whose members are `<name>.npy`. What numpy.savez writes, and nothing else of
/// either format: members are stored, not compressed, one right behind the other from the first byte, and the list of
/// them stands at the end (docs/formats.md, "Archives of arrays").

/// The largest archive; larger ones need another form of the zip format.
inline constexpr std::uint64_t kLargestArchive = 0xFFFF'FFFE;

/// The arrays of an archive, in order, pointing into `bytes`. Whatever is wrong is bad data, and nothing is unpacked:
/// an archive never needs more memory than its own size. Element types are BOOL, U8, I8, I32, I64, F32 and F64. `what`
/// names the file in messages.
Result<std::vector<NamedTensor>> parse_npz(std::span<const std::byte> bytes, const std::string& what);

/// Whether bytes begin like an archive.
bool looks_like_npz(std::span<const std::byte> bytes);

/// Writes an archive array by array: the text of begin(), the bytes of the array, the next begin(), ..., end(). The
/// bytes are a function of the arrays. Names are names (base/name.h), each once, and the whole stays within
/// kLargestArchive: anything else is the caller's mistake.
class NpzWriter {
 public:
  std::string begin(const NamedTensor& array);
  std::string end() const;
  /// Bytes so far, with end().
  std::uint64_t size() const;

 private:
  std::string directory_;
  std::uint64_t offset_ = 0;
  std::uint16_t entries_ = 0;
};

}  // namespace schemamem
