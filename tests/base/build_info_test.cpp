#include "base/build_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace schemamem {
namespace {

TEST(BuildInfo, NamesVersionCommitCompilerAndBuildType) {
  const BuildInfo info = build_info();
  EXPECT_THAT(std::string(info.version), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_THAT(std::string(info.commit), testing::MatchesRegex("unknown|[0-9a-f]{40}(-dirty)?"));
  EXPECT_THAT(std::string(info.compiler), testing::MatchesRegex("[A-Za-z]+ [0-9]+\\..*"));
  EXPECT_FALSE(info.build_type.empty());
}

}  // namespace
}  // namespace schemamem
