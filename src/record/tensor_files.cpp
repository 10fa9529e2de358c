#include "record/tensor_files.h"

#include <utility>
#include <vector>

#include "base/sha256.h"

namespace schemamem {

Result<Buffer<std::byte>> read_tensor_file(const std::filesystem::path& path, std::uint64_t most, FileSystem& files) {
  const auto judge = [&](std::span<const std::byte> front, std::uint64_t size) -> Status {
    const Result<FrontMatter> header = parse_front(front, size, path.string());
    return header ? Status(Done{}) : header.error();
  };
  return read_judged_file(path, most, {.bytes = kLongestFront, .judge = judge}, files);
}

Result<std::string> tensor_file_sha256(const std::filesystem::path& path) {
  const Result<Buffer<std::byte>> bytes = read_tensor_file(path);
  if (!bytes) return bytes.error();
  return sha256_hex(bytes->span());
}

Result<TensorFile> load_tensors(const std::filesystem::path& path, std::uint64_t most, FileSystem& files) {
  Result<Buffer<std::byte>> bytes = read_tensor_file(path, most, files);
  if (!bytes) return bytes.error();
  return TensorFile::parse(std::move(bytes).value(), path.string());
}

Status save_tensors(const std::filesystem::path& path, std::span<const NamedTensor> tensors,
                    const std::map<std::string, std::string>& metadata, FileSystem& files) {
  const TensorPieces pieces = tensor_pieces(tensors, metadata);
  std::vector<std::span<const std::byte>> all{std::as_bytes(std::span(pieces.front))};
  all.insert(all.end(), pieces.data.begin(), pieces.data.end());
  return write_file_atomically(path, all, files);
}

}  // namespace schemamem
