#include "task/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schemamem {
namespace {

using testing::HasSubstr;

std::string message(const std::string& name) {
  const auto result = parse_setting(name);
  EXPECT_FALSE(result) << name;
  if (result) return {};
  EXPECT_EQ(result.error().kind(), ErrorKind::kUsage);
  return result.error().message();
}

TEST(Setting, EverySupportedNameIsReadAndWrittenBack) {
  for (int a = 2; a <= 16; ++a) {
    for (int v = 2; v <= 16; ++v) {
      const Setting setting{a, v};
      EXPECT_EQ(parse_setting(setting.name()).value(), setting);
    }
  }
}

TEST(Setting, A3V4HasEightAddressesSixteenValuesAndRowsOfEightNumbers) {
  const Setting setting = parse_setting("A3V4").value();
  EXPECT_EQ(setting.addresses(), 8U);
  EXPECT_EQ(setting.values(), 16U);
  EXPECT_EQ(setting.input_width(), 8U);
  EXPECT_EQ(setting.output_width(), 4U);
}

TEST(Setting, TheDefaultOfAnAddressIsItsNumberModuloTheValues) {
  const Setting setting{5, 3};
  EXPECT_EQ(setting.default_value(7), 7U);
  EXPECT_EQ(setting.default_value(8), 0U);
  EXPECT_EQ(setting.default_value(31), 7U);
}

TEST(Setting, ThePaperHasNine) { EXPECT_EQ(paper_settings().size(), 9U); }

TEST(Setting, ANameOfAnotherFormIsRefusedWithTheFormAndASuggestion) {
  for (const char* name : {"", "A", "A3", "V3", "A3V", "a3v3", "A3V3 ", " A3V3", "A03V3", "A3V+3", "A-3V3", "A3.0V3",
                           "A3V3V3", "B3V3", "AV", "A3\nV3", "A99999999999999999999V3"}) {
    EXPECT_THAT(message(name), HasSubstr("expected A<address bits>V<value bits>, each from 2 to 16")) << name;
  }
  EXPECT_THAT(message("a3v3"), HasSubstr("Did you mean \"A3V3\"?"));
  EXPECT_THAT(message("A4V5x"), HasSubstr("Did you mean \"A4V5\"?"));
}

TEST(Setting, BitsOutOfRangeAreNamedTogetherWithTheNearestSetting) {
  EXPECT_EQ(message("A17V3"),
            "Setting \"A17V3\" is not supported: address bits go from 2 to 16, found 17. The nearest is A16V3.");
  EXPECT_EQ(message("A3V1"),
            "Setting \"A3V1\" is not supported: value bits go from 2 to 16, found 1. The nearest is A3V2.");
}

}  // namespace
}  // namespace schemamem
