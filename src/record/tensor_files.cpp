#include "record/tensor_files.h"

#include <utility>
#include <vector>

namespace schemamem {

Result<TensorFile> load_tensors(const std::filesystem::path& path, std::uint64_t most) {
  Result<Buffer<std::byte>> bytes = read_file(path, most);
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
