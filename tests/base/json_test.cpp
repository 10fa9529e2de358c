#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::string_view text, JsonLimits limits = {}) {
  const Result<JsonField> json = parse_json(text, "x.json", limits);
  if (json) return "accepted";
  EXPECT_EQ(json.error().kind(), ErrorKind::kBadData);
  return json.error().message();
}

/// What is said of reading `text` in a wrong way.
template <class Read>
std::string fault(std::string_view text, Read read) {
  const Result<JsonField> json = parse_json(text, "x.json");
  read(*json);
  const Status status = json->status();
  if (status) return "nothing";
  EXPECT_EQ(status.error().kind(), ErrorKind::kBadData);
  return status.error().message();
}

TEST(Json, IsReadFieldByFieldInTheOrderOfTheText) {
  const auto json = parse_json(R"({"b": {"steps": 3, "rate": 2.5, "done": true}, "a": ["x", null], "n": [1, 2]})", "x");
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_EQ(json->at("b").count("steps"), 3);
  EXPECT_EQ(json->at("b").number("rate"), 2.5);
  EXPECT_TRUE(json->at("b").flag("done"));
  ASSERT_EQ(json->items("a").size(), 2U);
  EXPECT_EQ(json->items("a")[0].text(), "x");
  EXPECT_TRUE(json->items("a")[1].is_null());
  EXPECT_THAT(json->at("n").counts(), ElementsAre(1, 2));
  EXPECT_EQ(json->members()[0].first, "b");
  EXPECT_FALSE(json->has("c"));
  EXPECT_TRUE(json->status());
}

TEST(Json, AWrongValueIsToldWithItsPlaceWhatWasExpectedAndWhatWasFound) {
  const std::string text = R"({"config": {"optimizer.clip": "much"}, "passed": [{"step": 1}, {"step": -1}]})";
  EXPECT_EQ(fault(text, [](const JsonField& json) { json.at("config").number("optimizer.clip"); }),
            R"(x.json: config.optimizer.clip: expected a number, found the string "much")");
  EXPECT_EQ(fault(text,
                  [](const JsonField& json) {
                    for (const auto& one : json.items("passed")) one.count("step");
                  }),
            "x.json: passed[1].step: expected a whole number from 0 to 9007199254740992, found the number -1");
  EXPECT_EQ(fault(text, [](const JsonField& json) { json.at("config").text("seed"); }),
            R"(x.json: config: the field "seed" is missing)");
  EXPECT_EQ(fault("[]", [](const JsonField& json) { json.text("seed"); }),
            "x.json: expected an object, found an array");
  EXPECT_EQ(fault(R"({"a\u001b[2J": 5})", [](const JsonField& json) { json.allow_only({"b"}); }),
            R"(x.json: unknown field "a\x1b[2J")");
}

TEST(Json, OnlyTheFirstFaultIsToldAndNothingIsReadBehindIt) {
  const auto json = parse_json(R"({"a": {"b": 5}})", "x.json");
  EXPECT_EQ(json->at("none").at("of").items("these").size(), 0U);
  EXPECT_EQ(json->at("a").text("b"), "");
  EXPECT_EQ(json->status().error().message(), R"(x.json: the field "none" is missing)");
}

TEST(Json, WholeNumbersAreWholeAndBounded) {
  for (const char* number : {"-1", "1.0", "1e3", "9007199254740993", "18446744073709551616", "\"1\"", "true", "null"}) {
    const std::string text = "[" + std::string(number) + "]";
    EXPECT_THAT(fault(text, [](const JsonField& json) { json.items()[0].count(); }),
                HasSubstr("expected a whole number"))
        << number;
    EXPECT_THAT(fault(text, [](const JsonField& json) { json.counts(); }), HasSubstr("[0]: expected a whole number"))
        << number;
  }
  EXPECT_EQ(parse_json("18446744073709551615", "x")->natural(), UINT64_MAX);
}

TEST(Json, TooDeepTooLongOrTwiceIsRefused) {
  const std::size_t deep = 100'000;
  EXPECT_THAT(refusal(std::string(deep, '[')),
              HasSubstr("x.json: at the top: arrays and objects are nested deeper than 32"));
  EXPECT_THAT(refusal(R"({"a":{"b":)" + std::string(deep, '[') + std::string(deep, ']') + "}}"),
              HasSubstr("x.json: a.b: arrays and objects are nested deeper than 32"));
  std::string objects;
  for (std::size_t i = 0; i < deep; ++i) objects += R"({"a":)";
  EXPECT_THAT(refusal(objects), HasSubstr("nested deeper than 32"));
  EXPECT_EQ(refusal(std::string(32, '[') + std::string(32, ']')), "accepted");
  EXPECT_THAT(refusal("[1,2,3]", {.bytes = 6}), HasSubstr("a JSON text of 7 bytes; at most 6 are accepted"));
  EXPECT_EQ(refusal(R"({"a":{"seed":1,"s\u0065ed":2}})"), R"(x.json: a.seed: the key is given twice)");
  EXPECT_EQ(refusal(R"([{"a":1},{"a":1}])"), "accepted");
}

TEST(Json, ManyKeysTakeNoLongerThanTheyAreMany) {
  std::string text = "{";
  for (int i = 0; i < 90'000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  EXPECT_EQ(refusal(text + "}"), "accepted");
}

TEST(Json, WhatIsNoJsonIsRefusedWithThePlace) {
  EXPECT_THAT(refusal(""), HasSubstr("x.json: no valid JSON at byte 1"));
  EXPECT_THAT(refusal("{\"a\": 1"), HasSubstr("x.json: no valid JSON at byte 8"));
  EXPECT_THAT(refusal("{} {}"), HasSubstr("no valid JSON at byte 4"));
  EXPECT_THAT(refusal("[NaN]"), HasSubstr("no valid JSON"));
  EXPECT_THAT(refusal("[1e999]"), HasSubstr("no valid JSON"));
  EXPECT_THAT(refusal("\"\xff\""), HasSubstr("no valid JSON"));
  EXPECT_EQ(parse_json_object("[]", "x.json").error().message(), "x.json: expected a JSON object, found an array");
}

TEST(Json, EveryKindOfValueIsNamedWhereAnotherWasExpected) {
  const auto found = [](const std::string& value) {
    return fault("{\"a\": " + value + "}", [](const JsonField& json) { json.at("a").counts(); });
  };
  EXPECT_EQ(found("{}"), "x.json: a: expected an array, found an object");
  EXPECT_EQ(found("null"), "x.json: a: expected an array, found null");
  EXPECT_EQ(found("true"), "x.json: a: expected an array, found true");
  EXPECT_EQ(found("false"), "x.json: a: expected an array, found false");
  EXPECT_EQ(found("2.5"), "x.json: a: expected an array, found the number 2.5");

  EXPECT_EQ(fault("[1]", [](const JsonField& json) { json.members(); }), "x.json: expected an object, found an array");
  EXPECT_EQ(fault("[1]", [](const JsonField& json) { json.items()[0].flag(); }),
            "x.json: [0]: expected true or false, found the number 1");
  EXPECT_EQ(fault("[-1]", [](const JsonField& json) { json.items()[0].natural(); }),
            "x.json: [0]: expected a whole number from 0 to 2^64 - 1, found the number -1");
}

TEST(Json, AnObjectIsAskedForByName) {
  EXPECT_TRUE(parse_json_object("{}", "x.json"));
  EXPECT_THAT(parse_json_object("{", "x.json").error().message(), HasSubstr("no valid JSON at byte 2"));
  EXPECT_EQ(parse_json_object("\"{}\"", "x.json").error().message(),
            R"(x.json: expected a JSON object, found the string "{}")");
}

}  // namespace
}  // namespace schemamem
