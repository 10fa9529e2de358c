#include "stream/layout_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace schemamem {
namespace {

template <class T>
Result<std::vector<T>> read_values(const TensorFile& file, const std::string& name, Narrowing narrowing) {
  if constexpr (std::is_same_v<T, float>) {
    if (narrowing == Narrowing::kRound) return file.rounded_values(name);
  }
  return file.values<T>(name);
}

}  // namespace

template <class T>
std::vector<NamedTensor> tensors_of(const Layout& layout, std::span<const T> flat) {
  require(flat.size() == layout.size(), "tensors_of: the buffer has the layout's size");
  std::vector<NamedTensor> tensors;
  for (const TensorSpec& tensor : layout.tensors())
    tensors.push_back(named_tensor<T>(tensor.name, tensor.shape, flat.subspan(tensor.offset, tensor.size)));
  return tensors;
}

Status check_layout(const TensorFile& file, const Layout& layout, std::span<const std::string_view> besides) {
  for (const TensorSpec& tensor : layout.tensors()) {
    const Result<const TensorInfo*> found = file.find(tensor.name, tensor.shape);
    if (!found) return found.error();
  }
  for (const TensorInfo& tensor : file.tensors()) {
    if (layout.contains(tensor.name) || std::find(besides.begin(), besides.end(), tensor.name) != besides.end())
      continue;
    return Error(ErrorKind::kBadData,
                 fmt::format("{}: the tensor {} is not one of this model's {}; the file is of another kind or model",
                             file.what(), quote(tensor.name), layout.tensors().size()));
  }
  return Done{};
}

template <class T>
Status read_layout(const TensorFile& file, const Layout& layout, Narrowing narrowing,
                   std::span<const std::string_view> besides, std::span<T> flat) {
  require(flat.size() == layout.size(), "read_layout: the buffer has the layout's size");
  if (const Status checked = check_layout(file, layout, besides); !checked) return checked;
  for (const TensorSpec& tensor : layout.tensors()) {
    const Result<std::vector<T>> values = read_values<T>(file, tensor.name, narrowing);
    if (!values) return values.error();
    const auto wrong = std::find_if(values->begin(), values->end(), [](T value) { return !std::isfinite(value); });
    if (wrong != values->end()) {
      return Error(ErrorKind::kBadData, fmt::format("{}: tensor {}: element {} is {}, expected a finite number",
                                                    file.what(), quote(tensor.name), wrong - values->begin(), *wrong));
    }
    std::copy(values->begin(), values->end(), flat.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
  }
  return Done{};
}

template std::vector<NamedTensor> tensors_of(const Layout&, std::span<const float>);
template std::vector<NamedTensor> tensors_of(const Layout&, std::span<const double>);
template Status read_layout(const TensorFile&, const Layout&, Narrowing, std::span<const std::string_view>,
                            std::span<float>);
template Status read_layout(const TensorFile&, const Layout&, Narrowing, std::span<const std::string_view>,
                            std::span<double>);

}  // namespace schemamem
