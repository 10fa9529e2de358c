#include "base/page_text.h"

#include <gtest/gtest.h>

namespace schemamem {
namespace {

TEST(PageText, Base64IsThatOfTheStandard) {
  const auto of = [](std::string_view text) { return base64(std::as_bytes(std::span(text))); };
  EXPECT_EQ(of(""), "");  // RFC 4648, section 10
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of("\xff\xfe\xfb"), "//77");
}

TEST(PageText, JsonCannotEndItsElement) {
  EXPECT_EQ(for_script("{\"a\":\"</script><!--\"}"), "{\"a\":\"\\u003c/script>\\u003c!--\"}");
}

}  // namespace
}  // namespace schemamem
