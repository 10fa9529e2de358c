#include "models/example/variant_config.h"

#include <gtest/gtest.h>

namespace schemamem {
namespace {

TEST(ExampleVariant, IsToldOnlyWhereItIsChosen) {
  EXPECT_EQ(spec_of(VariantConfig{}), spec_of(SchemaMemConfig{})) << "by default nothing changes";
  VariantConfig chosen;
  chosen.mean = true;
  EXPECT_EQ(spec_of(chosen).options.at("reader"), "mean");
}

}  // namespace
}  // namespace schemamem
