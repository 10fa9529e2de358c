#include "eval/golden.h"
#include "record/tensor_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

namespace schemamem {
namespace {

std::filesystem::path golden_folder() { return std::filesystem::path(SCHEMAMEM_TEST_DATA) / "golden"; }

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(golden_folder())) {
    if (entry.path().extension() == ".safetensors") names.push_back(relative(entry.path(), golden_folder()).string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class EveryGoldenFile : public testing::TestWithParam<std::tuple<std::string, Isa>> {};

TEST_P(EveryGoldenFile, IsMetInDoubleAndInFloat) {
  const auto& [name, isa] = GetParam();
  const Result<TensorFile> file = load_tensors(golden_folder() / name);
  ASSERT_TRUE(file) << file.error().message();
  for (const Scalar scalar : {Scalar::kDouble, Scalar::kFloat}) {
    const Result<GoldenReport> report = verify_golden(*file, scalar, isa);
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_GE(report->comparisons.size(), 10U);
    for (const GoldenComparison& c : report->comparisons) {
      EXPECT_LE(c.error, c.tolerance) << c.kind << ' ' << c.tensor
                                      << (scalar == Scalar::kDouble ? " double" : " float");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, EveryGoldenFile,
                         testing::Combine(testing::ValuesIn(golden_files()), testing::ValuesIn(available_isas())),
                         [](const auto& test) {
                           std::string name =
                               std::get<0>(test.param) + "_" + std::string(isa_name(std::get<1>(test.param)));
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

/// A golden file with something changed.
class ChangedFile {
 public:
  explicit ChangedFile(const std::string& name) : original_(load_tensors(golden_folder() / name).value()) {
    for (const TensorInfo& tensor : original_.tensors()) {
      const auto bytes = original_.bytes(tensor);
      data_[tensor.name] = {bytes.begin(), bytes.end()};
      shapes_[tensor.name] = tensor.shape;
    }
    metadata = original_.metadata();
  }

  void add(const std::string& tensor, std::size_t index, double change) {
    double value = 0;
    std::memcpy(&value, data_.at(tensor).data() + index * sizeof(double), sizeof(double));
    value += change;
    std::memcpy(data_.at(tensor).data() + index * sizeof(double), &value, sizeof(double));
  }
  void drop(const std::string& tensor) { data_.erase(tensor); }

  Result<GoldenReport> verify() const {
    std::vector<NamedTensor> tensors;
    for (const auto& [name, bytes] : data_) tensors.push_back({name, DType::kF64, shapes_.at(name), bytes});
    return verify_golden(TensorFile::parse(encode_tensors(tensors, metadata), "changed").value(), Scalar::kDouble,
                         best_isa());
  }

  std::map<std::string, std::string> metadata;

 private:
  TensorFile original_;
  std::map<std::string, std::vector<std::byte>> data_;
  std::map<std::string, std::vector<std::size_t>> shapes_;
};

TEST(GoldenFile, ASmallErrorInOneGradientIsNoticed) {
  ChangedFile file("schemamem/recurrent_short.safetensors");
  file.add("grad.layers.1.schema", 17, 1e-6);
  const Result<GoldenReport> report = file.verify();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->passed());
  EXPECT_GT(report->largest("gradient"), 1e-9);
  EXPECT_LT(report->largest("output"), 1e-9);
}

TEST(GoldenFile, PhasesAreComparedOnTheCircle) {
  ChangedFile file("schemamem/recurrent_short.safetensors");
  file.add("state.0", 3, 6.283185307179586);
  EXPECT_TRUE(file.verify()->passed());
  file.add("state.0", 3, 1e-6);
  EXPECT_FALSE(file.verify()->passed());
}

TEST(GoldenFile, SaysWhatIsWrongWithIt) {
  const auto message = [](const auto& change) {
    ChangedFile file("schemamem/recurrent_short.safetensors");
    change(file);
    const Result<GoldenReport> report = file.verify();
    return report ? "accepted" : report.error().message();
  };
  EXPECT_NE(message([](auto& f) { f.metadata["model"] = "lstm"; }).find("expected one of schemamem, mamba3, gdn"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) { f.metadata["mode"] = "fast"; }).find("expected recurrent, full or ablated"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) { f.metadata["slots"] = "-3"; }).find("expected a whole number"), std::string::npos);
  EXPECT_NE(message([](auto& f) { f.metadata["slots"] = "0"; }).find("at least 1"), std::string::npos);
  EXPECT_NE(message([](auto& f) { f.metadata["tokens"] = "13"; }).find("x"), std::string::npos);
  EXPECT_NE(message([](auto& f) { f.metadata["chunk_ends"] = "[5, 12]"; }).find("the commit rules give [4,12]"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) { f.metadata["width"] = "31"; }).find("do not fit together"), std::string::npos);
  EXPECT_NE(message([](auto& f) { f.drop("param.final_norm.weight"); }).find("param.final_norm.weight"),
            std::string::npos);
  EXPECT_NE(message([](auto& f) { f.drop("grad.in_proj.bias"); }).find("grad.in_proj.bias"), std::string::npos);
}

}  // namespace
}  // namespace schemamem
