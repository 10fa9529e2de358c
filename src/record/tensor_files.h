#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "system/files.h"
#include "tensors/safetensors.h"

namespace schemamem {

/// The largest file that load_tensors() takes into memory, unless told otherwise.
inline constexpr std::uint64_t kLargestTensorFile = std::uint64_t{4} << 30;

/// The bytes of a safetensors file. The header is judged before the rest is read, so a file that is as large as its
/// header is wrong costs no more than its header.
Result<Buffer<std::byte>> read_tensor_file(const std::filesystem::path& path, std::uint64_t most = kLargestTensorFile,
                                           FileSystem& files = posix_files());
/// The SHA-256 of the whole file, as evaluation records tell it.
Result<std::string> tensor_file_sha256(const std::filesystem::path& path);

/// A safetensors file, read whole and checked; messages call it by its path.
Result<TensorFile> load_tensors(const std::filesystem::path& path, std::uint64_t most = kLargestTensorFile,
                                FileSystem& files = posix_files());
/// Writes what encode_tensors() gives, atomically and without a copy of the data.
Status save_tensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                    const std::map<std::string, std::string>& metadata = {}, FileSystem& files = posix_files());

}  // namespace schemamem
