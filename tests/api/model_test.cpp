#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <schemamem/schemamem.h>

#include "api/models.h"

namespace schemamem {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(Model, TellsWhatItIs) {
  const Model model = published_model("A5V5");
  EXPECT_EQ(model.name(), "schemamem");
  EXPECT_EQ(model.row_width(), 11U);
  EXPECT_EQ(model.outputs(), 5U);
  EXPECT_EQ(model.parameters(), 54'528U);
  EXPECT_THAT(model.options(), Contains(Option("slots", 176)));
  EXPECT_EQ(model.notes().at("setting"), "A5V5");
  EXPECT_EQ(model.fingerprint().size(), 64U);
}

TEST(Model, GoesThroughBytesUnchanged) {
  const Model model = published_model("A3V3");
  const auto again = Model::from_bytes(model.bytes());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->fingerprint(), model.fingerprint());
  EXPECT_EQ(again->options(), model.options());
  EXPECT_EQ(again->notes(), model.notes());
}

TEST(Model, SaysWhyItCannotBeLoaded) {
  const auto absent = Model::load("/no/such.safetensors");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind(), ErrorKind::kMissingInput);
  const std::vector<std::byte> nonsense(100);
  const auto broken = Model::from_bytes(nonsense, "my bytes");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(broken.error().message(), HasSubstr("my bytes"));
  EXPECT_THROW(static_cast<void>(*broken), std::logic_error);
}

TEST(Option, IsTheShortestTextOfItsNumber) {
  EXPECT_EQ(Option("epsilon", 1e-8).value, "1e-08");
  EXPECT_EQ(Option("clip", 0.5).value, "0.5");
  EXPECT_EQ(Option("slots", 64).value, "64");
  EXPECT_EQ(Option("mixed", true).value, "true");
  EXPECT_EQ(Option("scheme", "ours").value, "ours");
}

}  // namespace
}  // namespace schemamem
