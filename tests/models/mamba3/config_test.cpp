#include "models/mamba3/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/result.h"
#include "models/mamba3/mixer.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

std::string complaint(const Mamba3Config& config) {
  try {
    config.check();
  } catch (const ContractViolation& problem) {
    return problem.what();
  }
  return "";
}

TEST(Mamba3Config, IsThePublishedOneUnlessSaidOtherwise) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_TRUE(Mamba3Config{}.has_published_sizes());
  EXPECT_TRUE((Mamba3Config{.inputs = 9, .outputs = 4, .layers = 7}).has_published_sizes());
  for (const Mamba3Config& other :
       {Mamba3Config{.width = 48}, {.heads = 6}, {.head_dim = 32}, {.state = 96}, {.groups = 4}}) {
    EXPECT_EQ(complaint(other), "");
    EXPECT_FALSE(other.has_published_sizes());
  }
}

TEST(Mamba3Config, AcceptsTheLimits) {
  EXPECT_EQ(complaint({.width = 16, .heads = 1, .head_dim = 16, .state = 16, .groups = 1}), "");
  EXPECT_EQ(complaint({.width = 4096, .heads = 64, .head_dim = 256, .state = 1024, .groups = 64}), "");
}

TEST(Mamba3Config, NamesTheSizeThatIsWrong) {
  EXPECT_THAT(complaint({.inputs = 0}), HasSubstr("inputs"));
  EXPECT_THAT(complaint({.outputs = 0}), HasSubstr("outputs"));
  EXPECT_THAT(complaint({.layers = 0}), HasSubstr("layers"));
  EXPECT_THAT(complaint({.width = 24}), HasSubstr("width is 24; expected a multiple of 16"));
  EXPECT_THAT(complaint({.width = 4112}), HasSubstr("width is 4112; expected a multiple of 16 from 16 to 4096"));
  EXPECT_THAT(complaint({.heads = 0}), HasSubstr("heads is 0; expected a whole number from 1 to 64"));
  EXPECT_THAT(complaint({.heads = 66}), HasSubstr("heads is 66; expected a whole number from 1 to 64"));
  EXPECT_THAT(complaint({.head_dim = 8}), HasSubstr("head_dim is 8; expected a multiple of 16 from 16 to 256"));
  EXPECT_THAT(complaint({.head_dim = 272}), HasSubstr("head_dim is 272; expected a multiple of 16 from 16 to 256"));
  EXPECT_THAT(complaint({.state = 72}), HasSubstr("state is 72; expected a multiple of 16"));
  EXPECT_THAT(complaint({.state = 1040}), HasSubstr("state is 1040; expected a multiple of 16 from 16 to 1024"));
  EXPECT_THAT(complaint({.groups = 0}), HasSubstr("groups is 0; expected a whole number from 1 to 64"));
  EXPECT_THAT(complaint({.groups = 5}), HasSubstr("groups is 5, which does not divide heads, 4"));
  EXPECT_THAT(complaint({.groups = 3}), HasSubstr("groups is 3, which does not divide heads, 4"));
}

TEST(Mamba3Config, IsCheckedBeforeAMixerIsMade) {
  EXPECT_THROW(make_mamba3_mixer<float>({.groups = 3}, best_isa()), ContractViolation);
}

}  // namespace
}  // namespace schemamem
