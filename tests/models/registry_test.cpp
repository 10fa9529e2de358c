#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/registry.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

std::string refusal(const ModelSpec& spec) {
  const auto made = make_model<float>(spec);
  if (made) return "made";
  EXPECT_EQ(made.error().kind(), ErrorKind::kUsage);
  return made.error().message();
}

TEST(Registry, MakesEveryModelAtItsPublishedSizes) {
  EXPECT_THAT(model_names(), testing::IsSupersetOf({"schemamem", "gdn"}));
  for (const std::string& name : model_names()) {
    const auto model = make_model<double>(name, 9, 4);
    ASSERT_TRUE(model) << model.error().message();
    EXPECT_EQ(model.value()->config().name, name);
    EXPECT_EQ(model.value()->config().inputs, 9U);
    EXPECT_EQ(model.value()->config().outputs, 4U);
  }
  EXPECT_EQ(make_model<float>(published_spec("schemamem", 7, 3).value()).value()->parameters().size(), 54'336U);
}

TEST(Registry, KnowsASpecAgainByItsMetadata) {
  ModelSpec spec = published_spec("schemamem", 7, 3).value();
  spec.sizes["slots"] = 19;
  std::map<std::string, std::string> metadata = to_metadata(spec);
  EXPECT_EQ(metadata.at("size.slots"), "19");
  metadata["setting"] = "A3V3";
  EXPECT_EQ(spec_from_metadata(metadata, "file").value(), spec);
}

TEST(Registry, SaysWhatIsWrongWithASpec) {
  EXPECT_THAT(published_spec("shemamem", 7, 3).error().message(), HasSubstr("Did you mean \"schemamem\"?"));
  const ModelSpec good = published_spec("schemamem", 7, 3).value();
  ModelSpec spec = good;
  spec.sizes.erase("slots");
  EXPECT_THAT(refusal(spec), HasSubstr("the size slots is missing"));
  spec = good;
  spec.sizes["slot"] = 3;
  EXPECT_THAT(refusal(spec), HasSubstr("unknown size \"slot\""));
  spec = good;
  spec.sizes["slots"] = 0;
  EXPECT_THAT(refusal(spec), HasSubstr("the size slots is 0"));
  spec = good;
  spec.sizes["layers"] = ~std::size_t{0};
  EXPECT_THAT(refusal(spec), HasSubstr("expected 1 to 256"));
  spec = good;
  spec.sizes["heads"] = 3;
  EXPECT_THAT(refusal(spec), HasSubstr("heads * head_dim = width"));
}

TEST(Registry, RefusesMetadataThatIsNoSpec) {
  const auto message = [](const std::map<std::string, std::string>& metadata) {
    const auto spec = spec_from_metadata(metadata, "file");
    EXPECT_FALSE(spec);
    return spec ? "read" : spec.error().message();
  };
  EXPECT_THAT(message({{"size.width", "3"}}), HasSubstr("file: the metadata names no model"));
  EXPECT_THAT(message({{"model", "gdn"}, {"size.layers", "-3"}}), HasSubstr("at least 0"));
  EXPECT_THAT(message({{"model", "gdn"}, {"size.layers", "three"}}), HasSubstr("whole number"));
}

}  // namespace
}  // namespace schemamem
