#include "stream/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "record/safetensors.h"
#include "stream/layout_file.h"
#include "stream/stream.h"
#include "support/loaded_models.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::HasSubstr;
using Metadata = std::map<std::string, std::string>;

class ModelFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::shared_ptr<const LoadedModel<float>> model_ = test::loaded<float>(test::odd_spec());

  /// Writes the model after `change`, and returns why it cannot be loaded.
  template <class Change>
  std::string refusal(Change change) {
    const auto path = folder_ / "model.safetensors";
    EXPECT_TRUE(model_->save(path));
    const TensorFile file = TensorFile::load(path).value();
    Metadata metadata = file.metadata();
    std::vector<float> weights(model_->weights().begin(), model_->weights().end());
    std::vector<NamedTensor> tensors = tensors_of<float>(model_->model().parameters(), weights);
    change(metadata, weights, tensors);
    EXPECT_TRUE(save_tensors(path, tensors, metadata));
    const auto loaded = LoadedModel<float>::load(path);
    if (loaded) return "loaded";
    EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData);
    return loaded.error().message();
  }
};
using Weights = std::vector<float>;
using Tensors = std::vector<NamedTensor>;

TEST_F(ModelFile, GivesBackModelWeightsNotesAndFingerprint) {
  ASSERT_TRUE(model_->save(folder_ / "m"));
  const auto loaded = LoadedModel<float>::load(folder_ / "m");
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ((*loaded)->spec(), model_->spec());
  EXPECT_TRUE(std::equal(model_->weights().begin(), model_->weights().end(), (*loaded)->weights().begin()));
  EXPECT_EQ((*loaded)->fingerprint(), model_->fingerprint());
  EXPECT_EQ((*loaded)->notes(), (LoadedModel<float>::Notes{{"setting", "test"}}));
}

TEST_F(ModelFile, OpensEveryModelOfTheRegistry) {
  for (const std::string& name : model_names()) {
    const auto made = test::loaded<float>(published_spec(name, 7, 3).value());
    ASSERT_TRUE(made->save(folder_ / name));
    const auto loaded = LoadedModel<float>::load(folder_ / name);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ((*loaded)->fingerprint(), made->fingerprint());
    const test::TestEpisode<float> read(30, 7, test::test_rng(1));
    Stream<float> one(made), other(*loaded);
    for (std::size_t t = 0; t < 30; ++t) {
      const auto expected = one.push(read.row(t)), found = other.push(read.row(t));
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin())) << name << " " << t;
    }
  }
}

TEST_F(ModelFile, IsReadInEitherScalarTypeAndRoundedOnlyFromDoubleToFloat) {
  ASSERT_TRUE(model_->save(folder_ / "float"));
  const auto widened = LoadedModel<double>::load(folder_ / "float").value();
  EXPECT_TRUE(std::equal(model_->weights().begin(), model_->weights().end(), widened->weights().begin()));
  EXPECT_NE(widened->fingerprint(), model_->fingerprint());
  const auto precise = test::loaded<double>(test::odd_spec());
  ASSERT_TRUE(precise->save(folder_ / "double"));
  const auto rounded = LoadedModel<float>::load(folder_ / "double").value();
  for (std::size_t i = 0; i < precise->weights().size(); ++i)
    ASSERT_EQ(rounded->weights()[i], static_cast<float>(precise->weights()[i]));
}

TEST_F(ModelFile, HasAFingerprintOfItsOwnForOtherWeightsSizesOrModels) {
  std::vector<float> weights(model_->weights().begin(), model_->weights().end());
  weights.back() = std::nextafter(weights.back(), 9.0F);
  const auto changed = LoadedModel<float>::make(test::odd_spec(), weights).value();
  EXPECT_NE(changed->fingerprint(), model_->fingerprint());
  ModelSpec longer = test::odd_spec();  // the same parameters to the byte
  longer.sizes["commit_every"] = 8;
  weights.assign(model_->weights().begin(), model_->weights().end());
  EXPECT_NE(LoadedModel<float>::make(longer, weights).value()->fingerprint(), model_->fingerprint());
  EXPECT_EQ(LoadedModel<float>::make(test::odd_spec(), weights).value()->fingerprint(), model_->fingerprint());
  EXPECT_EQ(model_->fingerprint().size(), 64U);
}

TEST_F(ModelFile, IsRefusedWithAReason) {
  EXPECT_EQ(refusal([](Metadata&, Weights&, Tensors&) {}), "loaded");
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["format"] = "schemamem state"; }),
              HasSubstr("expected a file of the format \"schemamem model\", found \"schemamem state\""));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m.erase("format"); }), HasSubstr("no key \"format\""));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["version"] = "2"; }), HasSubstr("reads version 1"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["model"] = "gbn"; }), HasSubstr("Did you mean \"gdn\"?"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m.erase("model"); }), HasSubstr("names no model"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.slots"] = "12"; }),
              HasSubstr("expected shape [12, 10], found [13, 10]"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.layers"] = "999999999999"; }),
              HasSubstr("expected 1 to 256"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.heads"] = "2"; }), HasSubstr("heads * head_dim"));
  EXPECT_THAT(refusal([](Metadata&, Weights& w, Tensors&) { w[3] = std::numeric_limits<float>::infinity(); }),
              HasSubstr("\"in_proj.weight\": element 3 is inf, expected a finite number"));
  EXPECT_THAT(refusal([](Metadata&, Weights&, Tensors& t) { t.pop_back(); }),
              HasSubstr("no tensor \"out_proj.weight\""));
  EXPECT_THAT(refusal([](Metadata&, Weights&, Tensors& t) {
                t.push_back({"extra", DType::kU8, {0}, {}});
              }),
              HasSubstr("\"extra\" is not one of this model's"));
  EXPECT_THAT(refusal([](Metadata&, Weights&, Tensors& t) { t[0].dtype = DType::kI32; }), HasSubstr("found I32"));
}

TEST_F(ModelFile, ThatIsMissingIsAMissingInput) {
  EXPECT_EQ(LoadedModel<float>::load(folder_ / "absent").error().kind(), ErrorKind::kMissingInput);
}

TEST_F(ModelFile, RefusesNotesThatWouldHideAKeyOfTheFormat) {
  EXPECT_THROW(static_cast<void>(save_model<float>(folder_ / "m", model_->spec(), model_->model().parameters(),
                                                   model_->weights(), {{"version", "3"}})),
               ContractViolation);
}

}  // namespace
}  // namespace schemamem
