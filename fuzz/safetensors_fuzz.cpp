#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support.h"
#include "tensors/safetensors.h"

namespace {

using namespace schemamem;
using fuzz::must;

void must_survive_a_round_trip(const TensorFile& file) {
  std::vector<NamedTensor> tensors;
  for (const TensorInfo& info : file.tensors()) {
    tensors.push_back({info.name, info.dtype, info.shape, file.bytes(info)});
  }
  const Result<TensorFile> again = TensorFile::parse(encode_tensors(tensors, file.metadata()), "again");
  must(static_cast<bool>(again));
  must(again->metadata() == file.metadata());
  must(again->tensors().size() == file.tensors().size());
  for (const NamedTensor& tensor : tensors) {
    const Result<const TensorInfo*> info = again->find(tensor.name, tensor.shape);
    must(info && (*info)->dtype == tensor.dtype);
    must(std::ranges::equal(again->bytes(**info), tensor.bytes));
    must(static_cast<bool>(again->values<float>(tensor.name)) == (tensor.dtype == DType::kF32));
    must(static_cast<bool>(again->in_place<double>(tensor.name)) == (tensor.dtype == DType::kF64));
  }
}

}  // namespace

/// Any bytes are refused with a message or are a file that is written and read again without a loss.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Buffer<std::byte> bytes(size);
  std::transform(data, data + size, bytes.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  const Result<TensorFile> file = TensorFile::parse(std::move(bytes), "fuzz");
  if (file) {
    must_survive_a_round_trip(*file);
  } else {
    must(file.error().kind() == ErrorKind::kBadData && !file.error().message().empty());
  }
  return 0;
}
