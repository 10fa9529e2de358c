#include "talk/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Words, SayEveryRequest) {
  const auto write = parse_words("  write 5\t3 \r");
  ASSERT_TRUE(write);
  EXPECT_EQ(write->at(0).verb, Verb::kWrite);
  EXPECT_EQ(write->at(0).address, 5U);
  EXPECT_EQ(write->at(0).value, 3U);
  EXPECT_EQ(parse_words("ask 31")->at(0).address, 31U);
  EXPECT_EQ(parse_words("ask all")->at(0).verb, Verb::kAskAll);
  EXPECT_EQ(parse_words("wait 1000")->at(0).rows, 1000U);
  EXPECT_EQ(parse_words("save my day.state")->at(0).name, "my day.state") << "a file's name may have blanks";
  EXPECT_EQ(parse_words("fork")->at(0).name, "");
  EXPECT_EQ(parse_words("switch x-1")->at(0).name, "x-1");
  EXPECT_EQ(parse_words("inside")->at(0).verb, Verb::kInside);
  for (const char* nothing : {"", "   ", "# a remark"}) EXPECT_THAT(parse_words(nothing).value(), IsEmpty()) << nothing;
}

TEST(Words, SayWhatToWriteInsteadOfWhatTheyDoNotUnderstand) {
  const auto message = [](const char* line) { return parse_words(line).error().message(); };
  EXPECT_THAT(message("wirte 5 3"), HasSubstr("Did you mean \"write\"?"));
  EXPECT_THAT(message("write 5"), HasSubstr("`write ADDRESS VALUE`"));
  EXPECT_THAT(message("write 5 3 1"), HasSubstr("`write ADDRESS VALUE`"));
  EXPECT_THAT(message("ask five"), HasSubstr("`ask ADDRESS`"));
  EXPECT_THAT(message("ask -1"), HasSubstr("at least 0"));
  EXPECT_THAT(message("wait 1000000001"), HasSubstr("1000000000"));
  EXPECT_THAT(message("save"), HasSubstr("`save FILE`"));
  EXPECT_THAT(message("fork a/b"), HasSubstr("letters, digits"));
  EXPECT_THAT(message("inside out"), HasSubstr("`inside`"));
  EXPECT_EQ(parse_words(std::string(kLongestLine + 1, 'a')).error().kind(), ErrorKind::kUsage);
}

TEST(JsonLines, SayEveryRequest) {
  const auto write = parse_json_line(R"({"write":[5,3]})");
  ASSERT_TRUE(write);
  EXPECT_EQ(write->at(0).value, 3U);
  EXPECT_EQ(parse_json_line(R"( {"ask":5} )")->at(0).address, 5U);
  EXPECT_EQ(parse_json_line(R"({"ask":"all"})")->at(0).verb, Verb::kAskAll);
  EXPECT_EQ(parse_json_line(R"({"wait":7})")->at(0).rows, 7U);
  EXPECT_EQ(parse_json_line(R"({"save":"a b"})")->at(0).name, "a b");
  EXPECT_EQ(parse_json_line(R"({"fork":null})")->at(0).name, "");
  EXPECT_EQ(parse_json_line(R"({"quit":null})")->at(0).verb, Verb::kQuit);
  EXPECT_THAT(parse_json_line("  ").value(), IsEmpty());
}

TEST(JsonLines, RefuseEverythingElse) {
  const std::string deep(4000, '[');
  for (const std::string line :
       {R"({"ask":5,"ask":6})", R"({"ask":5,"wait":1})", "{}", "[]", "5", "ask 5", "{\"ask\":5", R"({"ask":-1})",
        R"({"ask":1.5})", R"({"ask":99999999999999999999})", R"({"ask":"5"})", R"({"write":[5]})",
        R"({"write":{"a":1}})", R"({"save":7})", R"({"save":"a\u0000b"})", R"({"reset":1})", R"({"nope":1})",
        "{\"ask\":\"\xff\"}", deep.c_str()}) {
    const auto parsed = parse_json_line(line);
    ASSERT_FALSE(parsed) << line;
    EXPECT_EQ(parsed.error().kind(), ErrorKind::kUsage);
    EXPECT_FALSE(parsed.error().message().empty());
  }
}

TEST(Completions, OfferWordsAndMemories) {
  EXPECT_THAT(completions("wr", {}), ElementsAre("write"));
  EXPECT_THAT(completions("s", {}), ElementsAre("save", "switch"));
  EXPECT_THAT(completions("ask a", {}), ElementsAre("all"));
  EXPECT_THAT(completions("switch m", {"main", "other"}), ElementsAre("main"));
  EXPECT_THAT(completions("write 5", {"5"}), IsEmpty());
}

RC_GTEST_PROP(Lines, AreUnderstoodOrRefusedWithAReasonWhateverTheyHold, (const std::string& line)) {
  for (const auto& parsed : {parse_words(line), parse_json_line(line)}) {
    if (!parsed) RC_ASSERT(parsed.error().kind() == ErrorKind::kUsage && !parsed.error().message().empty());
  }
}

}  // namespace
}  // namespace schemamem
