#include "tensors/safetensors_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/json_events.h"
#include "base/text.h"

namespace schemamem {

std::string shape_text(const std::vector<std::size_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

namespace safetensors {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";
/// Follows the JSON event by event and accepts an event only where the format has a place for it; so nesting is bounded
/// and a repeated key is seen. A false return ends the parse with `failure`.
class HeaderReader {
 public:
  Header header;
  std::string failure;

  bool null() { return unexpected("null"); }
  bool boolean(bool value) { return unexpected(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) {
    return unexpected(fmt::format("the negative number -{}", std::to_string(value).substr(value < 0)));
  }
  bool number_float(double, const std::string& text) { return unexpected("the number " + printable(text)); }
  bool binary(std::vector<std::uint8_t>&) { return unexpected("binary data"); }
  bool number_unsigned(std::uint64_t value) {
    if (at_ == At::kShape) {
      tensor_.shape.push_back(value);
    } else if (at_ == At::kOffsets) {
      offsets_.push_back(value);
    } else {
      return unexpected(fmt::format("the number {}", value));
    }
    return true;
  }
  bool string(std::string& value) {
    if (at_ == At::kMetadata) {
      if (header.metadata.emplace(key_, value).second) return true;
      return refuse(fmt::format("{}: the key {} is given twice", kMetadataKey, quote(key_)));
    }
    if (at_ != At::kTensor || key_ != "dtype") return unexpected("the string " + quote(value));
    const std::optional<DType> dtype = dtype_from_name(value);
    if (!dtype) {
      return refuse(
          fmt::format("tensor {}: unknown dtype {}; known are {}", quote(tensor_.name), quote(value), dtype_names()));
    }
    tensor_.dtype = *dtype;
    return true;
  }

  bool start_object(std::size_t) {
    if (at_ == At::kStart) {
      at_ = At::kNames;
    } else if (at_ == At::kNames && key_ == kMetadataKey) {
      at_ = At::kMetadata;
    } else if (at_ == At::kNames) {
      at_ = At::kTensor;
      tensor_ = TensorInfo();
      tensor_.name = key_;
      keys_.clear();
    } else {
      return unexpected("an object");
    }
    return true;
  }
  bool key(std::string& name) {
    key_ = name;
    if (at_ == At::kNames && !names_.insert(name).second) {
      return refuse(name == kMetadataKey ? fmt::format("{} is given twice", kMetadataKey)
                                         : fmt::format("two tensors are named {}", quote(name)));
    }
    if (at_ != At::kTensor) return true;
    if (name != "dtype" && name != "shape" && name != "data_offsets") {
      return refuse(fmt::format("tensor {}: unknown key {}; expected dtype, shape and data_offsets only",
                                quote(tensor_.name), quote(name)));
    }
    if (keys_.insert(name).second) return true;
    return refuse(fmt::format("tensor {}: the key {} is given twice", quote(tensor_.name), name));
  }
  bool end_object() {
    if (at_ == At::kTensor) {
      for (const char* needed : {"dtype", "shape", "data_offsets"}) {
        if (!keys_.contains(needed)) {
          return refuse(fmt::format("tensor {}: the key {} is missing", quote(tensor_.name), needed));
        }
      }
      header.tensors.push_back(std::move(tensor_));
    }
    at_ = At::kNames;
    return true;
  }
  bool start_array(std::size_t) {
    if (at_ == At::kTensor && key_ == "shape") {
      at_ = At::kShape;
    } else if (at_ == At::kTensor && key_ == "data_offsets") {
      at_ = At::kOffsets;
      offsets_.clear();
    } else {
      return unexpected("an array");
    }
    return true;
  }
  bool end_array() {
    if (at_ == At::kOffsets) {
      if (offsets_.size() != 2) {
        return refuse(fmt::format("tensor {}: data_offsets: expected 2 numbers, begin and end, found {}",
                                  quote(tensor_.name), offsets_.size()));
      }
      std::tie(tensor_.begin, tensor_.end) = std::tuple(offsets_[0], offsets_[1]);
    }
    at_ = At::kTensor;
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& exception) {
    const JsonSyntaxFault fault = json_syntax_fault(byte, exception);
    return refuse(fmt::format("the header is not valid JSON at byte {}: {}", fault.byte, fault.reason));
  }

 private:
  enum class At { kStart, kNames, kTensor, kMetadata, kShape, kOffsets };

  bool refuse(std::string message) {
    failure = std::move(message);
    return false;
  }
  bool unexpected(const std::string& found) {
    const auto [place, expected] = here();
    return refuse(fmt::format("{}: expected {}, found {}", place, expected, found));
  }
  /// Where a value was met, and what the format wants there.
  std::pair<std::string, const char*> here() const {
    const std::string tensor = "tensor " + quote(at_ == At::kNames ? key_ : tensor_.name);
    switch (at_) {
      case At::kStart:
        return {"the header", "an object"};
      case At::kMetadata:
        return {fmt::format("{}: key {}", kMetadataKey, quote(key_)), "a string"};
      case At::kShape:
        return {tensor + ": shape", "whole numbers from 0 to 2^64 - 1"};
      case At::kOffsets:
        return {tensor + ": data_offsets", "whole numbers from 0 to 2^64 - 1"};
      case At::kTensor:
        if (key_ == "dtype") return {tensor + ": dtype", "the name of an element type"};
        if (key_ == "shape") return {tensor + ": shape", "an array of whole numbers"};
        return {tensor + ": data_offsets", "an array of two whole numbers"};
      case At::kNames:
        break;
    }
    if (key_ == kMetadataKey) return {std::string(kMetadataKey), "an object of strings"};
    return {tensor, "an object with dtype, shape and data_offsets"};
  }

  At at_ = At::kStart;
  std::string key_;              // the key whose value comes next
  std::set<std::string> names_;  // keys met in the header,
  std::set<std::string> keys_;   // and in the current tensor
  TensorInfo tensor_;
  std::vector<std::size_t> offsets_;
};

/// What is wrong with a header before its JSON is looked at, or nothing.
std::string wrong_text(std::string_view json) {
  if (json.find_first_not_of(' ') == std::string_view::npos) {
    return fmt::format("the header is blank ({} bytes); expected a JSON object", json.size());
  }
  if (json.front() != '{') {
    return fmt::format("the header begins with \"{}\"; expected \"{{\"", printable(json.substr(0, 1)));
  }
  if (const std::size_t nul = json.find('\0'); nul != std::string_view::npos) {
    return fmt::format("the header has a zero byte at {}; expected UTF-8 text padded with spaces", nul);
  }
  if (const std::size_t valid = valid_utf8_prefix(json); valid != json.size()) {
    return fmt::format("the header is not valid UTF-8 (byte {}: \"{}\")", valid, printable(json.substr(valid, 1)));
  }
  const char last = json[json.find_last_not_of(' ')];
  if (last != '}') {
    return fmt::format("the header ends with \"{}\"; expected \"}}\" and then only spaces", printable({&last, 1}));
  }
  return {};
}

/// What is wrong with one tensor by itself, or nothing.
std::string wrong_tensor(const TensorInfo& tensor, std::size_t data_bytes) {
  const std::string name = quote(tensor.name);
  const std::string_view dtype = dtype_name(tensor.dtype);
  if (tensor.begin > tensor.end) {
    return fmt::format("tensor {}: data_offsets [{}, {}]: the begin lies behind the end", name, tensor.begin,
                       tensor.end);
  }
  const std::optional<std::size_t> bits = tensor_bits(tensor.dtype, tensor.shape);
  if (!bits) {
    return fmt::format("tensor {}: shape {}: the size of so many {} elements overflows", name,
                       printable(shape_text(tensor.shape)), dtype);
  }
  if (*bits % 8 != 0) {
    return fmt::format("tensor {}: shape {} of {} takes {} bits, which is no whole number of bytes", name,
                       printable(shape_text(tensor.shape)), dtype, *bits);
  }
  if (tensor.bytes() != *bits / 8) {
    return fmt::format("tensor {}: shape {} of {} takes {} bytes, but data_offsets [{}, {}] span {}", name,
                       printable(shape_text(tensor.shape)), dtype, *bits / 8, tensor.begin, tensor.end, tensor.bytes());
  }
  if (tensor.end > data_bytes) {
    return fmt::format(
        "tensor {}: data_offsets [{}, {}] reach beyond the {} bytes of data; the file is truncated or the offsets are "
        "wrong",
        name, tensor.begin, tensor.end, data_bytes);
  }
  return {};
}

/// What is wrong with how the sorted tensors lie together, or nothing.
std::string wrong_layout(const std::vector<TensorInfo>& tensors, std::size_t data_bytes) {
  std::size_t end = 0;
  const TensorInfo* before = nullptr;
  for (const TensorInfo& tensor : tensors) {
    const std::string previous = before == nullptr ? "the header" : "tensor " + quote(before->name);
    if (tensor.begin > end) {
      return fmt::format("a hole of {} bytes between {} and tensor {}: expected its data at {}, found {}",
                         tensor.begin - end, previous, quote(tensor.name), end, tensor.begin);
    }
    if (tensor.begin < end) {
      return fmt::format("tensor {} overlaps {}: expected its data at {}, found {}", quote(tensor.name), previous, end,
                         tensor.begin);
    }
    end = tensor.end;
    before = &tensor;
  }
  if (end < data_bytes) {
    return fmt::format("expected the data to end with the last tensor at {}, found {} bytes of data", end, data_bytes);
  }
  return {};
}

}  // namespace

Result<Header> parse_header(std::string_view json, std::size_t data_bytes, const std::string& what) {
  const auto refused = [&](const std::string& message) { return Error(ErrorKind::kBadData, what + ": " + message); };
  if (const std::string wrong = wrong_text(json); !wrong.empty()) return refused(wrong);
  HeaderReader reader;
  if (!walk_json(json, reader)) return refused(reader.failure);
  Header header = std::move(reader.header);
  for (const TensorInfo& tensor : header.tensors) {
    if (const std::string wrong = wrong_tensor(tensor, data_bytes); !wrong.empty()) return refused(wrong);
  }
  std::sort(header.tensors.begin(), header.tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  if (const std::string wrong = wrong_layout(header.tensors, data_bytes); !wrong.empty()) return refused(wrong);
  return header;
}

}  // namespace safetensors
}  // namespace schemamem
