#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>

#include "base/text.h"
#include "tensors/safetensors.h"

namespace schemamem {
namespace {

constexpr std::size_t kDataAlignment = 8;

std::string json_string(const std::string& text) {
  require(valid_utf8_prefix(text) == text.size(), "encode_tensors: names and metadata are UTF-8");
  return nlohmann::json(text).dump();
}

std::vector<const NamedTensor*> in_file_order(std::span<const NamedTensor> tensors) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
    return std::tie(b->dtype, a->name) < std::tie(a->dtype, b->name);
  });
  return order;
}

void check(std::span<const NamedTensor> tensors) {
  std::set<std::string_view> names;
  for (const NamedTensor& tensor : tensors) {
    const std::string name = quote(tensor.name);
    require(tensor.name != "__metadata__", "encode_tensors: a tensor may not be named __metadata__");
    require(names.insert(tensor.name).second, "encode_tensors: two tensors are named " + name);
    const std::optional<std::size_t> bits = tensor_bits(tensor.dtype, tensor.shape);
    require(bits && *bits % 8 == 0 && *bits / 8 == tensor.bytes.size(),
            fmt::format("encode_tensors: tensor {}: shape {} of {} does not take {} bytes", name,
                        shape_text(tensor.shape), dtype_name(tensor.dtype), tensor.bytes.size()));
  }
}

/// The length and the padded header: everything before the data.
std::string front_matter(const std::vector<const NamedTensor*>& order,
                         const std::map<std::string, std::string>& metadata) {
  std::string json = "{";
  const auto separate = [&] { json += json.back() == '{' ? "" : ","; };
  if (!metadata.empty()) {
    json += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) {
      separate();
      json += json_string(key) + ':' + json_string(value);
    }
    json += '}';
  }
  std::size_t begin = 0;
  for (const NamedTensor* tensor : order) {
    separate();
    const std::size_t end = begin + tensor->bytes.size();
    json += fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json_string(tensor->name),
                        dtype_name(tensor->dtype), fmt::join(tensor->shape, ","), begin, end);
    begin = end;
  }
  json += '}';
  json.append((kDataAlignment - json.size() % kDataAlignment) % kDataAlignment, ' ');
  require(json.size() <= kLongestHeader, "encode_tensors: the header is longer than kLongestHeader");
  const std::uint64_t length = json.size();
  std::array<char, sizeof length> prefix{};
  std::memcpy(prefix.data(), &length, sizeof length);
  return std::string(prefix.begin(), prefix.end()) + json;
}

}  // namespace

TensorPieces tensor_pieces(std::span<const NamedTensor> tensors, const std::map<std::string, std::string>& metadata) {
  check(tensors);
  const std::vector<const NamedTensor*> order = in_file_order(tensors);
  TensorPieces pieces{.front = front_matter(order, metadata), .data = {}};
  for (const NamedTensor* tensor : order) pieces.data.push_back(tensor->bytes);
  return pieces;
}

Buffer<std::byte> encode_tensors(std::span<const NamedTensor> tensors,
                                 const std::map<std::string, std::string>& metadata) {
  const TensorPieces pieces = tensor_pieces(tensors, metadata);
  std::size_t size = pieces.front.size();
  for (const auto& piece : pieces.data) size += piece.size();
  Buffer<std::byte> file(size);
  const auto text = std::as_bytes(std::span(pieces.front));
  std::byte* at = std::copy(text.begin(), text.end(), file.begin());
  for (const auto& piece : pieces.data) at = std::copy(piece.begin(), piece.end(), at);
  return file;
}

}  // namespace schemamem
