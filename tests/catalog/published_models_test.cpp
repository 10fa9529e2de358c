#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "catalog/find_model.h"
#include "catalog/model_files.h"
#include "support/surroundings.h"
#include "system/files.h"
#include "task/registry.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Model = std::shared_ptr<const LoadedModel<float>>;

const fs::path kResults = fs::path(SCHEMAMEM_SOURCE_DIR) / "results";

/// The grid of the recipe `endless` grows, run by run.
bool is_of_endless(const fs::path& file) { return file.string().find("/results/endless") != std::string::npos; }

/// Every checkpoint that is published: 81 of each of two recipes, 3 of the paper's, 3 of associative recall, those of
/// `endless`.
std::vector<fs::path> published() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(kResults)) {
    if (entry.path().filename() == "model.safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// One write and one question, both of the address 1; of symbols, 1 and 0.
std::vector<float> answer(const Model& model) {
  Stream<float> stream(model);
  std::vector<float> row(model->model().config().row_width());
  row.front() = row.back() = 1;
  stream.push(row);
  row.back() = 0;
  const std::span<const float> logits = stream.push(row);
  return {logits.begin(), logits.end()};
}

TEST(PublishedModels, OpenByPathAndAnswer) {
  const std::vector<fs::path> files = published();
  const auto endless = std::count_if(files.begin(), files.end(), is_of_endless);
  EXPECT_GT(endless, 0);
  ASSERT_EQ(files.size() - static_cast<std::size_t>(endless), 162U + 3U + 3U);
  std::set<std::string> fingerprints;
  for (const fs::path& file : files) {
    const auto model = load_model<float>(file.parent_path().string());
    ASSERT_TRUE(model) << model.error().message();
    const auto& notes = (*model)->notes();
    const auto named = notes.find("task");  // the first runs name none
    const TaskShape shape =
        make_task(named == notes.end() ? "address-value" : named->second, notes.at("setting")).value()->shape();
    EXPECT_EQ((*model)->model().config().inputs, shape.inputs) << file;
    EXPECT_EQ((*model)->model().config().symbols, shape.symbols) << file;
    const std::vector<float> logits = answer(*model);
    EXPECT_EQ(logits.size(), shape.outputs) << file;
    for (const float logit : logits) EXPECT_TRUE(std::isfinite(logit)) << file;
    fingerprints.insert((*model)->fingerprint());
  }
  EXPECT_EQ(fingerprints.size(), files.size());
}

TEST(PublishedModels, OpenByNameWhereTheRunIsFinished) {
  const test::Variable none("SCHEMAMEM_MODELS", kResults.string());
  std::map<std::string, fs::path> files;
  for (const NamedModel& model : list_models(std::vector{kResults})) {
    EXPECT_TRUE(files.emplace(model.name, model.file).second) << "two models are called " << model.name;
  }
  const auto endless =
      std::count_if(files.begin(), files.end(), [](const auto& one) { return is_of_endless(one.second); });
  // The paper's recipe has an unfinished run of SchemaMem.
  ASSERT_EQ(files.size() - static_cast<std::size_t>(endless), 162U + 2U + 3U);
  EXPECT_TRUE(files.contains("a5v5-schemamem-steady-s42"));
  for (const auto& [name, file] : files) ASSERT_EQ(find_model(name, std::vector{kResults}).value(), file);
  for (const char* const name :
       {"a5v5-schemamem-steady-s42", "A3V3-GDN-paper-S42", "a4v5-mamba3-fast-s44", "a5v5-schemamem-endless-s42"}) {
    const auto model = load_model<float>(name);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_THAT(answer(*model), testing::Each(testing::Truly([](float logit) { return std::isfinite(logit); })));
  }
}

TEST(PublishedModels, AreTheSameFromBytesAndWhenTheyAreWrittenAgain) {
  for (const fs::path& file : published()) {
    const Model model = load_model_file<float>(file).value();
    const Buffer<std::byte> bytes = read_file(file, 10'000'000).value();
    EXPECT_EQ(LoadedModel<float>::parse(bytes.span(), "bytes").value()->fingerprint(), model->fingerprint()) << file;
    const Model again = LoadedModel<float>::parse(model->encode().span(), "again").value();
    EXPECT_EQ(again->fingerprint(), model->fingerprint()) << file;
    EXPECT_EQ(again->notes(), model->notes()) << file;
  }
}

}  // namespace
}  // namespace schemamem
