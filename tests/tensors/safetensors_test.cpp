#include "tensors/safetensors.h"
#include "record/tensor_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "support/failing_files.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Buffer<std::byte> buffer_of(std::string_view text) {
  Buffer<std::byte> bytes(text.size());
  const auto from = std::as_bytes(std::span(text));
  std::copy(from.begin(), from.end(), bytes.begin());
  return bytes;
}

std::string file_text(std::string_view header, std::string_view data) {
  const std::uint64_t length = header.size();
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  return text.append(header).append(data);
}

TensorFile parsed(const Buffer<std::byte>& bytes) { return TensorFile::parse(bytes, "memory").value(); }

std::string text_of(const Buffer<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const std::vector<float> kFloats{1.5f, -0.0f, std::numeric_limits<float>::infinity(), 3e-45f, -2.0f, 7.0f};
const std::vector<double> kDoubles{0.1, 1e300};
const std::vector<std::int64_t> kIntegers{std::numeric_limits<std::int64_t>::min(), -1, 1LL << 60};
const std::vector<std::uint8_t> kBytes{1, 2, 3};

std::vector<NamedTensor> example() {
  return {named_tensor<std::uint8_t>("mask", {3}, kBytes), named_tensor<float>("w", {2, 3}, kFloats),
          named_tensor<double>("d", {2}, kDoubles), named_tensor<std::int64_t>("i", {3, 1}, kIntegers)};
}

TEST(Safetensors, WhatIsWrittenIsReadBackBitForBit) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_tensors(folder / "x.safetensors", example(), {{"step", "12"}, {"note", "Grüße \"\n\t\\"}}));

  const Result<TensorFile> file = load_tensors(folder / "x.safetensors");

  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->metadata_value("note").value(), "Grüße \"\n\t\\");
  EXPECT_EQ(file->find("w").value()->shape, (std::vector<std::size_t>{2, 3}));
  for (const NamedTensor& tensor : example()) {
    const auto bytes = file->bytes(*file->find(tensor.name, tensor.shape).value());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), tensor.bytes.begin(), tensor.bytes.end())) << tensor.name;
  }
  EXPECT_EQ(file->values<double>("d").value(), kDoubles);
  EXPECT_EQ(file->values<std::int64_t>("i").value(), kIntegers);
  EXPECT_EQ(file->values<std::uint8_t>("mask").value(), kBytes);
}

TEST(Safetensors, TheBytesAreThoseOfTheFormatsOwnWriter) {
  const std::vector<std::uint8_t> u{7};
  const std::vector<float> f{0.0f};
  const std::vector<NamedTensor> tensors{named_tensor<std::uint8_t>("u", {}, u), named_tensor<float>("b", {1}, f),
                                         named_tensor<float>("a", {1, 1}, f)};
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},"u":{"dtype":"U8","shape":[],"data_offsets":[8,9]}} )"
      "      ";
  ASSERT_EQ(header.size() % 8, 0U);
  EXPECT_EQ(text_of(encode_tensors(tensors, {{"k", "v"}})), file_text(header, std::string(8, '\0') + '\7'));
}

TEST(Safetensors, TheOrderInWhichTensorsAreGivenDoesNotMatter) {
  std::vector<NamedTensor> backwards = example();
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(text_of(encode_tensors(example())), text_of(encode_tensors(backwards)));
}

TEST(Safetensors, AFileWithoutTensorsIsAFile) {
  EXPECT_EQ(text_of(encode_tensors({})), file_text("{}      ", ""));
  EXPECT_TRUE(parsed(encode_tensors({})).tensors().empty());
}

TEST(Safetensors, DataIsAlignedAndCanBeUsedInPlace) {
  const TensorFile file = parsed(encode_tensors(example()));
  EXPECT_THAT(file.in_place<double>("d").value(), ElementsAre(0.1, 1e300));
  EXPECT_EQ(file.in_place<float>("w")->size(), 6U);
  EXPECT_THAT(file.in_place<float>("d").error().message(), HasSubstr("tensor \"d\": expected F32, found F64"));
}

TEST(Safetensors, DataThatIsNotAlignedIsCopiedButNotUsedInPlace) {
  const std::string header = R"({"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  ASSERT_NE(header.size() % 4, 0U);
  const TensorFile file = parsed(buffer_of(file_text(header, std::string("\0\0\x80\x3f", 4))));
  EXPECT_EQ(file.values<float>("b").value(), std::vector{1.0f});
  EXPECT_THAT(file.in_place<float>("b").error().message(), HasSubstr("not aligned"));
}

TEST(Safetensors, ATypeThatHoldsEveryValueIsAcceptedAndRoundingIsAskedForByName) {
  const std::vector<std::int32_t> small{-5};
  std::vector<NamedTensor> tensors = example();
  tensors.push_back(named_tensor<std::int32_t>("s", {}, small));
  const TensorFile file = parsed(encode_tensors(tensors));
  EXPECT_EQ(file.values<double>("w").value()[0], 1.5);
  EXPECT_EQ(file.values<std::int64_t>("s").value(), std::vector<std::int64_t>{-5});
  EXPECT_EQ(file.rounded_values("d").value(), (std::vector{0.1f, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(file.rounded_values("w").value()[3], 3e-45f);
  EXPECT_THAT(file.values<float>("d").error().message(), HasSubstr("tensor \"d\": expected F32, found F64"));
  EXPECT_THAT(file.values<std::uint64_t>("s").error().message(), HasSubstr("expected U64, found I32"));
  EXPECT_THAT(file.values<double>("i").error().message(), HasSubstr("expected F64, found I64"));
  EXPECT_THAT(file.rounded_values("i").error().message(), HasSubstr("expected F32 or F64, found I64"));
}

TEST(Safetensors, AnAbsentTensorKeyOrShapeIsNamedTogetherWithWhatThereIs) {
  const TensorFile file = parsed(encode_tensors(example()));
  EXPECT_TRUE(file.contains("w"));
  EXPECT_FALSE(file.contains("W"));
  EXPECT_EQ(file.find("W").error().message(), "memory: no tensor \"W\"; the file has \"i\", \"d\", \"w\", \"mask\"");
  EXPECT_EQ(file.find("W").error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(file.find("w", {6}).error().message(), HasSubstr("tensor \"w\": expected shape [6], found [2, 3]"));
  EXPECT_THAT(file.metadata_value("step").error().message(), HasSubstr("no key \"step\""));
}

TEST(Safetensors, TensorsMayBeListedInAnyOrderAsLongAsTheirDataIsContiguous) {
  const TensorFile file = parsed(buffer_of(file_text(R"({"late":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},)"
                                                     R"("empty":{"shape":[0,5],"dtype":"F64","data_offsets":[1,1]},)"
                                                     R"("early":{"data_offsets":[0,1],"dtype":"U8","shape":[]}}   )",
                                                     "abc")));
  EXPECT_EQ(file.tensors()[0].name, "early");
  EXPECT_EQ(file.tensors()[1].name, "empty");
  EXPECT_EQ(file.values<std::uint8_t>("late").value(), (std::vector<std::uint8_t>{'b', 'c'}));
  EXPECT_TRUE(file.values<double>("empty").value().empty());
}

TEST(Safetensors, ElementsSmallerThanAByteAreCountedInBits) {
  const TensorFile file = parsed(buffer_of(file_text(R"({"six":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]},)"
                                                     R"("four":{"dtype":"F4","shape":[2],"data_offsets":[3,4]}})",
                                                     "abcd")));
  EXPECT_EQ(file.find("six").value()->bytes(), 3U);
}

TEST(Safetensors, AMissingFileIsAMissingInputAndAFolderIsNoFile) {
  const TemporaryFolder folder;
  const Error missing = load_tensors(folder / "none.safetensors").error();
  EXPECT_EQ(missing.kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(missing.message(), HasSubstr("none.safetensors: No such file"));
  EXPECT_THAT(load_tensors(folder.path()).error().message(), HasSubstr("name a file instead of a folder"));
}

TEST(Safetensors, AFileAboveTheLimitIsRefusedUnread) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_tensors(folder / "x.safetensors", example()));
  EXPECT_THAT(load_tensors(folder / "x.safetensors", 100).error().message(), HasSubstr("at most 100"));
}

TEST(Safetensors, ALargeFileIsJudgedByItsHeaderBeforeTheRestIsRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(save_tensors(folder / "x.safetensors", example()));
  std::filesystem::resize_file(folder / "x.safetensors", std::uintmax_t{2'900'000'000});  // sparse
  class CountingFiles final : public ForwardingFiles {
   public:
    std::uint64_t bytes = 0;
    Outcome read(int handle, std::span<std::byte> into) override {
      const Outcome count = ForwardingFiles::read(handle, into);
      bytes += static_cast<std::uint64_t>(std::max<Outcome>(0, count));
      return count;
    }
  } files;
  const auto file = load_tensors(folder / "x.safetensors", kLargestTensorFile, files);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(file.error().message(), HasSubstr("expected the data to end with the last tensor"));
  EXPECT_LE(files.bytes, kLongestFront);
}

TEST(Safetensors, AWriterThatBreaksTheFormatIsTheCallersMistake) {
  const auto encode = [](NamedTensor tensor) { return encode_tensors(std::vector{std::move(tensor)}); };
  EXPECT_THROW(encode(named_tensor<float>("__metadata__", {6}, kFloats)), ContractViolation);
  EXPECT_THROW(encode(named_tensor<float>("w", {7}, kFloats)), ContractViolation);
  EXPECT_THROW(encode(named_tensor<float>("\xff", {6}, kFloats)), ContractViolation);
  EXPECT_THROW(encode(named_tensor<float>("w", {~std::size_t{0}, 2}, kFloats)), ContractViolation);
  EXPECT_THROW(encode(named_tensor<float>(std::string(kLongestHeader, 'n'), {6}, kFloats)), ContractViolation);
  EXPECT_THROW(encode_tensors({}, {{"k", "\xc0\x80"}}), ContractViolation);
  std::vector<NamedTensor> twins = example();
  twins.push_back(twins.front());
  EXPECT_THROW(encode_tensors(twins), ContractViolation);
  const TensorInfo stranger;
  EXPECT_THROW(parsed(encode_tensors(example())).bytes(stranger), ContractViolation);
}

TEST(Safetensors, EveryGoldenFileIsReadAndHoldsOnlyF64) {
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SCHEMAMEM_TEST_DATA "/golden")) {
    if (entry.path().extension() != ".safetensors") continue;
    ++files;
    const Result<TensorFile> file = load_tensors(entry.path());
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_FALSE(file->tensors().empty());
    for (const TensorInfo& tensor : file->tensors()) EXPECT_EQ(tensor.dtype, DType::kF64) << tensor.name;
  }
  EXPECT_EQ(files, 19);
}

}  // namespace
}  // namespace schemamem
