#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensors/safetensors.h"

namespace schemamem {
namespace {

/// Any text: plain, to be escaped, of two to four bytes a character.
rc::Gen<std::string> any_text() {
  const auto character =
      rc::gen::elementOf(std::vector<std::string>{"a", "b", "Z", "0", ".", " ", "/", "\"", "\\", "\n", "\x01", "\x7f",
                                                  std::string(1, '\0'), "ü", "→", "𝄞", "{", "}"});
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(character), [](const auto& characters) {
    std::string text;
    for (const std::string& each : characters) text += each;
    return text;
  });
}

struct Tensor {
  DType dtype;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;
};

rc::Gen<Tensor> any_tensor() {
  return rc::gen::exec([] {
    constexpr std::array kDTypes{DType::kBool, DType::kU8,  DType::kI8,  DType::kI16, DType::kBF16,
                                 DType::kI32,  DType::kF32, DType::kC64, DType::kF64, DType::kI64};
    Tensor tensor;
    tensor.dtype = *rc::gen::elementOf(kDTypes);
    const auto rank = *rc::gen::inRange<std::size_t>(0, 5);
    tensor.shape = *rc::gen::container<std::vector<std::size_t>>(rank, rc::gen::inRange<std::size_t>(0, 5));
    const std::size_t bytes = tensor_bits(tensor.dtype, tensor.shape).value() / 8;
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    for (std::size_t i = 0; i < bytes; ++i) tensor.bytes.push_back(static_cast<std::byte>(seed + i * 2654435761U));
    return tensor;
  });
}

std::map<std::string, Tensor> any_tensors() {
  auto tensors = *rc::gen::container<std::map<std::string, Tensor>>(any_text(), any_tensor());
  tensors.erase("__metadata__");
  return tensors;
}

Buffer<std::byte> encoded(const std::map<std::string, Tensor>& tensors,
                          const std::map<std::string, std::string>& metadata) {
  std::vector<NamedTensor> named;
  for (const auto& [name, tensor] : tensors) named.push_back({name, tensor.dtype, tensor.shape, tensor.bytes});
  return encode_tensors(named, metadata);
}

RC_GTEST_PROP(SafetensorsProperty, WhateverIsWrittenIsReadBack, ()) {
  const std::map<std::string, Tensor> tensors = any_tensors();
  const auto metadata = *rc::gen::container<std::map<std::string, std::string>>(any_text(), any_text());

  const Result<TensorFile> file = TensorFile::parse(encoded(tensors, metadata), "memory");

  if (!file) RC_FAIL(file.error().message());
  RC_ASSERT(file->metadata() == metadata);
  RC_ASSERT(file->tensors().size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const TensorInfo& info = *file->find(name, tensor.shape).value();
    RC_ASSERT(info.dtype == tensor.dtype);
    const auto bytes = file->bytes(info);
    RC_ASSERT(std::equal(bytes.begin(), bytes.end(), tensor.bytes.begin(), tensor.bytes.end()));
  }
}

RC_GTEST_PROP(SafetensorsProperty, EveryProperPrefixOfAFileIsRefused, ()) {
  const Buffer<std::byte> whole = encoded(any_tensors(), {{"k", "v"}});
  const auto length = *rc::gen::inRange<std::size_t>(0, whole.size());
  Buffer<std::byte> prefix(length);
  std::copy_n(whole.begin(), length, prefix.begin());
  RC_ASSERT(!TensorFile::parse(std::move(prefix), "memory"));
}

RC_GTEST_PROP(SafetensorsProperty, ALongerFileIsRefused, ()) {
  const Buffer<std::byte> whole = encoded(any_tensors(), {});
  Buffer<std::byte> longer(whole.size() + *rc::gen::inRange<std::size_t>(1, 20));
  std::copy(whole.begin(), whole.end(), longer.begin());
  RC_ASSERT(!TensorFile::parse(std::move(longer), "memory"));
}

RC_GTEST_PROP(SafetensorsProperty, AChangedHeaderByteIsRefusedOrStillObeysTheFormat, ()) {
  Buffer<std::byte> bytes = encoded(any_tensors(), {{"k", "v"}});
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  bytes[*rc::gen::inRange<std::size_t>(0, 8 + length)] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());

  const Result<TensorFile> file = TensorFile::parse(std::move(bytes), "memory");

  if (!file) return;
  std::size_t end = 0;
  for (const TensorInfo& tensor : file->tensors()) {
    RC_ASSERT(tensor.begin == end);
    RC_ASSERT(file->bytes(tensor).size() * 8 == tensor_bits(tensor.dtype, tensor.shape).value());
    end = tensor.end;
  }
}

}  // namespace
}  // namespace schemamem
