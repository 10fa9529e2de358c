// Our half of safetensors_interop.py: `write PATH` writes the example, `check PATH` compares a file with it.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "record/tensor_files.h"
#include "tensors/safetensors.h"

namespace {

using namespace schemamem;

/// The values that example() of safetensors_interop.py gives too.
struct Example {
  std::vector<float> f32;
  std::vector<double> f64;
  std::vector<std::int64_t> i64;
  std::vector<std::uint8_t> u8;
  double scalar = 0.1;
  std::map<std::string, std::string> metadata{{"gr\u00fc\u00dfe \"\\\n", "\u2192 \U0001d11e\t"}};

  Example() {
    for (int i = 0; i < 12; ++i) {
      f32.push_back(static_cast<float>(i) / 3.0f);
      f64.push_back(i / 3.0);
      i64.push_back((std::int64_t{1} << (5 * i)) - i);
      u8.push_back(static_cast<std::uint8_t>(20 * i));
    }
  }
  std::vector<NamedTensor> tensors() const {
    return {named_tensor<float>("f32", {3, 4}, f32),
            named_tensor<double>("f64", {2, 3, 2}, f64),
            named_tensor<std::int64_t>("i64", {12}, i64),
            named_tensor<std::uint8_t>("u8.\u00fc", {12, 1}, u8),
            named_tensor<double>("scalar", {}, std::span(&scalar, 1)),
            named_tensor<float>("empty", {0, 7}, {})};
  }
};

std::string difference(const TensorFile& file, const Example& example) {
  const std::vector<NamedTensor> tensors = example.tensors();
  if (file.metadata() != example.metadata) return "the metadata differs";
  if (file.tensors().size() != tensors.size()) return "the number of tensors differs";
  for (const NamedTensor& tensor : tensors) {
    const Result<const TensorInfo*> info = file.find(tensor.name, tensor.shape);
    if (!info) return info.error().message();
    if ((*info)->dtype != tensor.dtype) return tensor.name + ": the dtype differs";
    if (!std::ranges::equal(file.bytes(**info), tensor.bytes)) return tensor.name + ": the values differ";
  }
  return {};
}

int failed(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> args(arguments, arguments + count);
  if (count != 3 || (args[1] != "write" && args[1] != "check")) {
    return failed("usage: safetensors_tool write|check PATH");
  }
  const Example example;
  if (args[1] == "write") {
    const Status saved = save_tensors(args[2], example.tensors(), example.metadata);
    return saved ? 0 : failed(saved.error().message());
  }
  const Result<TensorFile> file = load_tensors(args[2]);
  if (!file) return failed(file.error().message());
  const std::string found = difference(*file, example);
  return found.empty() ? 0 : failed(found);
}
