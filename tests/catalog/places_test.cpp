#include "catalog/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/surroundings.h"
#include "system/own_place.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

TEST(ModelPlaces, AreThoseOfTheEnvironmentThenOfTheInstallationThenResults) {
  const test::Variable variable("SCHEMAMEM_MODELS", "/one:two::/three/four:/one");
  const std::vector<fs::path> places = model_places();
  ASSERT_GE(places.size(), 5U);
  EXPECT_EQ(places[0], "/one");
  EXPECT_EQ(places[1], "two");
  EXPECT_EQ(places[2], "/three/four");
  EXPECT_EQ(places[places.size() - 2], installed_models().folder);
  EXPECT_EQ(places.back(), "results");
}

TEST(ModelPlaces, FollowAnInstallationThatWasMoved) {
  const test::Variable variable("SCHEMAMEM_MODELS", "");
  const fs::path beside = program_file().value().parent_path() / installed_models().from_program;
  const std::vector<fs::path> places = model_places();
  EXPECT_EQ(places.front(), beside.lexically_normal());
  EXPECT_THAT(places.front().string(), testing::EndsWith("/share/schemamem/models"));
}

}  // namespace
}  // namespace schemamem
