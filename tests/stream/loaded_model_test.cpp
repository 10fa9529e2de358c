#include "stream/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "models/model_file.h"
#include "stream/layout_file.h"
#include "stream/stream.h"
#include "support/loaded_models.h"
#include "tensors/safetensors.h"

namespace schemamem {
namespace {

using testing::HasSubstr;
using Metadata = std::map<std::string, std::string>;

class ModelFile : public testing::Test {
 protected:
  std::shared_ptr<const LoadedModel<float>> model_ = test::loaded<float>(test::odd_spec());

  /// Why the model cannot be opened after `change`.
  template <class Change>
  std::string refusal(Change change) {
    Metadata metadata = model_file_metadata(model_->spec(), model_->notes());
    std::vector<float> weights(model_->weights().begin(), model_->weights().end());
    std::vector<NamedTensor> tensors = tensors_of<float>(model_->model().parameters(), weights);
    change(metadata, weights, tensors);
    const auto loaded = LoadedModel<float>::parse(encode_tensors(tensors, metadata).span(), "x.safetensors");
    if (loaded) return "loaded";
    EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(loaded.error().message(), testing::StartsWith("x.safetensors: "));
    return loaded.error().message();
  }
};
using Weights = std::vector<float>;
using Tensors = std::vector<NamedTensor>;

TEST_F(ModelFile, GivesBackModelWeightsNotesAndFingerprint) {
  const auto loaded = LoadedModel<float>::parse(model_->encode().span(), "m");
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ((*loaded)->spec(), model_->spec());
  EXPECT_TRUE(std::equal(model_->weights().begin(), model_->weights().end(), (*loaded)->weights().begin()));
  EXPECT_EQ((*loaded)->fingerprint(), model_->fingerprint());
  EXPECT_EQ((*loaded)->notes(), (LoadedModel<float>::Notes{{"setting", "test"}}));
}

TEST_F(ModelFile, OpensEveryModelOfTheRegistry) {
  for (const std::string& name : model_names()) {
    const auto made = test::loaded<float>(published_spec(name, 7, 3).value());
    const auto loaded = LoadedModel<float>::parse(made->encode().span(), name);
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
  const auto widened = LoadedModel<double>::parse(model_->encode().span(), "float").value();
  EXPECT_TRUE(std::equal(model_->weights().begin(), model_->weights().end(), widened->weights().begin()));
  EXPECT_NE(widened->fingerprint(), model_->fingerprint());
  const auto precise = test::loaded<double>(test::odd_spec());
  const auto rounded = LoadedModel<float>::parse(precise->encode().span(), "double").value();
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
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m.erase("format"); }),
              HasSubstr("the metadata has \"size.commit_every\", but no \"format\""));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m.clear(); }), HasSubstr("names no model"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["version"] = "2"; }), HasSubstr("reads version 1"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m.erase("version"); }), HasSubstr("no key \"version\""));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m.erase("size.slots"); }),
              HasSubstr("the size slots is missing"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.slot"] = "3"; }),
              HasSubstr("unknown size or option \"slot\""));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.slots"] = "many"; }), HasSubstr("size.slots"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.slots"] = "-1"; }), HasSubstr("size.slots"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["model"] = "gbn"; }), HasSubstr("Did you mean \"gdn\"?"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m.erase("model"); }), HasSubstr("names no model"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.slots"] = "12"; }),
              HasSubstr("expected shape [12, 10], found [13, 10]"));
  EXPECT_THAT(refusal([](Metadata& m, Weights&, Tensors&) { m["size.layers"] = "999999999999"; }),
              HasSubstr("layers is 999999999999; expected a whole number from 1 to 256"));
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

TEST(ModelFileOfABaseline, ThatIsTooOldToListItsSizesIsThatOfThePublishedOnes) {
  for (const char* const name : {"gdn", "mamba3"}) {
    const auto made = test::loaded<float>(published_spec(name, 7, 3).value());
    Metadata metadata = model_file_metadata(made->spec(), made->notes());
    std::erase_if(metadata, [](const auto& entry) {
      return entry.first.starts_with("size.") && entry.first != "size.inputs" && entry.first != "size.outputs" &&
             entry.first != "size.layers";
    });
    ASSERT_FALSE(metadata.contains("size.width"));
    const auto tensors = tensors_of<float>(made->model().parameters(), made->weights());
    const auto older = LoadedModel<float>::parse(encode_tensors(tensors, metadata).span(), "older");
    ASSERT_TRUE(older) << older.error().message();
    EXPECT_EQ((*older)->spec(), made->spec());
    EXPECT_EQ((*older)->fingerprint(), made->fingerprint());
  }
}

TEST_F(ModelFile, RefusesNotesThatWouldHideAKeyOfTheFormat) {
  EXPECT_THROW(model_file_metadata(model_->spec(), {{"version", "3"}}), ContractViolation);
  EXPECT_THROW(model_file_metadata(model_->spec(), {{"size.slots", "3"}}), ContractViolation);
}

TEST_F(ModelFile, IsTheSameFromBytesAndFromTensors) {
  const Buffer<std::byte> bytes = model_->encode();
  const TensorFile file = TensorFile::parse(bytes, "m").value();
  EXPECT_EQ(LoadedModel<float>::parse(file).value()->fingerprint(), model_->fingerprint());
  const Buffer<std::byte> again = LoadedModel<float>::parse(bytes.span(), "m").value()->encode();
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), again.begin(), again.end()));
  EXPECT_THAT(LoadedModel<float>::parse(bytes.span().first(100), "m").error().message(), HasSubstr("truncated"));
}

TEST_F(ModelFile, WithDamagedBytesIsRefusedOrAModelThatReads) {
  const Buffer<std::byte> bytes = model_->encode();
  Rng rng = test::test_rng(12);
  const test::TestEpisode<float> read(8, 5, test::test_rng(5), 9);
  std::size_t refused = 0;
  const std::size_t times = test::rounds(300, 30'000);
  for (std::size_t i = 0; i < times; ++i) {
    Buffer<std::byte> damaged = bytes;
    // Half of the damage goes into the header, which is the smaller part.
    const std::size_t range = i % 2 == 0 ? damaged.size() : 2'000;
    for (std::size_t flips = 1 + rng.below(3); flips > 0; --flips)
      damaged[rng.below(range)] ^= static_cast<std::byte>(1U << rng.below(8));
    const auto model = LoadedModel<float>::parse(damaged, "x");
    refused += model ? 0 : 1;
    if (!model || (*model)->spec() != model_->spec()) continue;
    Stream<float> stream(*model);
    for (std::size_t t = 0; t < read.tokens(); ++t) stream.push(read.row(t));
  }
  EXPECT_GT(refused, times / 4);
}

/// What runs wrote before they wrote model files: no format, no version, no sizes.
class OlderModelFile : public testing::Test {
 protected:
  std::shared_ptr<const LoadedModel<float>> model_ = test::loaded<float>(published_spec("schemamem", 8, 4).value());
  const Metadata metadata_{{"model", "schemamem"}, {"setting", "A3V4"},  {"seed", "42"},
                           {"recipe", "steady"},   {"hash", "1a2b3c4d"}, {"step", "10"}};

  Result<std::shared_ptr<const LoadedModel<float>>> parsed(const Metadata& metadata, const Tensors& tensors) const {
    return LoadedModel<float>::parse(encode_tensors(tensors, metadata).span(), "x.safetensors");
  }
  Tensors tensors() const { return tensors_of<float>(model_->model().parameters(), model_->weights()); }
  std::string refusal(const Metadata& metadata, const Tensors& tensors) const {
    const auto loaded = parsed(metadata, tensors);
    if (loaded) return "loaded";
    EXPECT_EQ(loaded.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(loaded.error().message(), testing::StartsWith("x.safetensors: "));
    return loaded.error().message();
  }
};

TEST_F(OlderModelFile, IsTheModelOfItsNameAtThePublishedSizes) {
  const auto loaded = parsed(metadata_, tensors());
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ((*loaded)->spec(), model_->spec());
  EXPECT_EQ((*loaded)->fingerprint(), model_->fingerprint());
  EXPECT_TRUE(std::equal(model_->weights().begin(), model_->weights().end(), (*loaded)->weights().begin()));
  Metadata notes = metadata_;
  notes.erase("model");
  EXPECT_EQ((*loaded)->notes(), notes);
}

TEST_F(OlderModelFile, IsWrittenAgainWithItsSizes) {
  const auto older = parsed(metadata_, tensors()).value();
  const TensorFile file = TensorFile::parse(older->encode(), "again").value();
  EXPECT_EQ(file.metadata(), model_file_metadata(model_->spec(), older->notes()));
  const auto again = LoadedModel<float>::parse(file).value();
  EXPECT_EQ(again->fingerprint(), older->fingerprint());
  EXPECT_EQ(again->notes(), older->notes());
}

TEST_F(OlderModelFile, OfEveryModelIsRead) {
  for (const std::string& name : model_names()) {
    const auto made = test::loaded<float>(published_spec(name, 11, 5).value());
    const auto loaded = parsed({{"model", name}}, tensors_of<float>(made->model().parameters(), made->weights()));
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ((*loaded)->fingerprint(), made->fingerprint());
    EXPECT_TRUE((*loaded)->notes().empty());
  }
}

TEST_F(OlderModelFile, IsRefusedWithAReason) {
  const auto with = [&](const std::string& key, const std::string& text) {
    Metadata metadata = metadata_;
    metadata[key] = text;
    return metadata;
  };
  EXPECT_THAT(refusal({{"setting", "A3V4"}}, tensors()), HasSubstr("names no model"));
  EXPECT_THAT(refusal(with("model", "schemanem"), tensors()), HasSubstr("Did you mean \"schemamem\"?"));
  EXPECT_THAT(refusal(with("version", "1"), tensors()), HasSubstr("has \"version\", but no \"format\""));
  EXPECT_THAT(refusal(with("size.slots", "176"), tensors()), HasSubstr("has \"size.slots\", but no \"format\""));
  EXPECT_THAT(refusal(with("model", "gdn"), tensors()),
              testing::AllOf(HasSubstr("no tensor"), HasSubstr("the published ones of gdn")));
  const auto other = test::loaded<float>(test::odd_spec());
  EXPECT_THAT(refusal(metadata_, tensors_of<float>(other->model().parameters(), other->weights())),
              HasSubstr("a file that lists no sizes has the published ones of schemamem"));
  Tensors changed = tensors();
  changed.pop_back();
  EXPECT_THAT(refusal(metadata_, changed), HasSubstr("no tensor \"out_proj.weight\""));
  changed = tensors();
  changed.front().shape = {8 * 32};
  EXPECT_THAT(refusal(metadata_, changed), HasSubstr("expected the shape [inputs, width], found [256]"));
  changed = tensors();
  changed.front() = {"in_proj.weight", DType::kF32, {0, 32}, {}};
  EXPECT_THAT(refusal(metadata_, changed), HasSubstr("inputs is 0; expected"));
  changed.front() = {"in_proj.weight", DType::kF32, {std::size_t{1} << 50, 0}, {}};
  EXPECT_THAT(refusal(metadata_, changed), HasSubstr("inputs is 1125899906842624; expected"));
}

}  // namespace
}  // namespace schemamem
