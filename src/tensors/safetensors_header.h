#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensors/dtype.h"

namespace schemamem {

/// One tensor of a file: what its header says.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::size_t> shape;  // empty for a scalar
  std::size_t begin = 0;           // bytes from the end of the header on
  std::size_t end = 0;

  std::size_t bytes() const { return end - begin; }
  bool operator==(const TensorInfo&) const = default;
};

/// "[2, 3]".
std::string shape_text(const std::vector<std::size_t>& shape);

namespace safetensors {

using Metadata = std::map<std::string, std::string>;

struct Header {
  std::vector<TensorInfo> tensors;  // by rising begin, then end
  Metadata metadata;
};

/// Reads the JSON between the length and the data, trusting nothing; `what` names the file in messages. The tensors lie
/// end to end from 0 to `data_bytes`.
Result<Header> parse_header(std::string_view json, std::size_t data_bytes, const std::string& what);

}  // namespace safetensors
}  // namespace schemamem
