#include "record/evaluation_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

EvaluationCell cell(const std::string& scenario, std::int64_t delay, const std::string& group) {
  return {.scenario = scenario,
          .delay = delay,
          .group = group,
          .asked = 4,
          .right = 3,
          .bits = 12,
          .bits_right = 11,
          .cross_entropy = 0.1 + 0.2,
          .right_by_episode = {2, 1}};
}

EvaluationRecord example() {
  EvaluationRecord record{
      .checkpoint = {.sha256 = std::string(64, 'a'),
                     .model = "schemamem",
                     .setting = "A3V3",
                     .seed = 42,
                     .recipe = "fast",
                     .hash = "1a2b3c4d"},
      .protocol = {.kind = "table", .mode = "recurrent", .eval_seed = 20261001, .episodes = 2, .isa = "avx2"}};
  record.put(cell("overwrite", 96, "updated"));
  record.put(cell("retention", 192, "retained"));
  record.put(cell("retention", 96, "default"));
  record.put(cell("retention", 96, "retained"));
  return record;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(EvaluationRecord, IsReadBackAsItWasWritten) {
  const EvaluationRecord record = example();
  const auto read = parse_evaluation(encode_evaluation(record), "memory");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, record);
  EXPECT_EQ(encode_evaluation(*read), encode_evaluation(record));
}

TEST(EvaluationRecord, OfWritesSaysWhatARoundIsAndNoOtherDoes) {
  EvaluationRecord record = example();
  record.protocol.kind = "writes";
  record.protocol.rounds = "W2R8";
  record.cells.clear();
  record.put(cell("rounds", 1024, "rewritten"));
  record.put(cell("rounds", 8, "default"));
  const std::string text = encode_evaluation(record);
  const auto read = parse_evaluation(text, "memory");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, record);
  EXPECT_EQ(evaluation_file_name(read->protocol), "writes-W2R8-recurrent-20261001-2.json");
  for (const std::string& wrong :
       {replaced(text, "\"kind\":\"writes\"", "\"kind\":\"curve\""), replaced(text, ",\"rounds\":\"W2R8\"", ""),
        replaced(text, "\"W2R8\"", "\"../../x\"")}) {
    const auto refused = parse_evaluation(wrong, "memory");
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(refused.error().message(), HasSubstr("rounds"));
  }
}

TEST(EvaluationRecord, WithAFloorSaysSoAndHasANameOfItsOwn) {
  EvaluationRecord record = example();
  const std::string without = encode_evaluation(record);
  EXPECT_EQ(without.find("floor"), std::string::npos);
  record.protocol.floor = 0.001;
  EXPECT_EQ(evaluation_file_name(record.protocol), "table-recurrent-floor0.001-20261001-2.json");
  const std::string text = encode_evaluation(record);
  const auto read = parse_evaluation(text, "memory");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, record);
  for (const char* none : {"0", "-0.001", "1"}) {
    const auto damaged =
        parse_evaluation(replaced(text, "\"floor\":0.001", std::string("\"floor\":") + none), "memory");
    ASSERT_FALSE(damaged) << none;
    EXPECT_THAT(damaged.error().message(), HasSubstr("must be above 0 and below 1"));
  }
}

TEST(EvaluationRecord, HasOneCellALineAndSortedKeys) {
  const std::string text = encode_evaluation(example());
  EXPECT_THAT(text, testing::StartsWith("{\"cells\":[\n{\"asked\":4,\"bits\":12,\"bits_right\":11,\"cross_entropy\":"));
  EXPECT_THAT(text, HasSubstr("\"delay\":96,\"group\":\"retained\",\"right\":3,\"right_by_episode\":[2,1],"
                              "\"scenario\":\"retention\"},\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4 + 1 + 5);
}

TEST(EvaluationRecord, KeepsItsCellsByScenarioDelayAndGroup) {
  EvaluationRecord record = example();
  std::vector<std::string> order;
  for (const EvaluationCell& one : record.cells)
    order.push_back(one.scenario + " " + std::to_string(one.delay) + " " + one.group);
  EXPECT_THAT(order, testing::ElementsAre("retention 96 retained", "retention 96 default", "retention 192 retained",
                                          "overwrite 96 updated"));

  EvaluationCell better = cell("retention", 192, "retained");
  better.right = 4;
  record.put(better);
  EXPECT_EQ(record.cells.size(), 4U);
  EXPECT_EQ(record.find("retention", 192, "retained")->right, 4);
  EXPECT_EQ(record.find("retention", 193, "retained"), nullptr);
}

TEST(EvaluationRecord, AFileThatNoRunWroteHasNoSeed) {
  EvaluationRecord record = example();
  record.checkpoint.seed.reset();
  record.checkpoint.recipe.clear();
  EXPECT_THAT(encode_evaluation(record), HasSubstr("\"seed\":null"));
  EXPECT_EQ(*parse_evaluation(encode_evaluation(record), "memory"), record);
}

/// A record of another task.
EvaluationRecord of_another_task() {
  EvaluationRecord record = example();
  record.checkpoint.task = "mqar";
  record.checkpoint.setting = "V64L32P4";
  record.cells.clear();
  for (const char* scenario : {"pairs-4", "pairs-2"}) {
    for (const char* group : {"late", "early"}) record.put(cell(scenario, 32, group));
  }
  return record;
}

TEST(EvaluationRecord, OfAnotherTaskNamesItAndIsReadBackAsItWasWritten) {
  const EvaluationRecord record = of_another_task();
  const std::string text = encode_evaluation(record);
  EXPECT_THAT(text, HasSubstr("\"task\":\"mqar\""));
  const auto read = parse_evaluation(text, "memory");
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, record);
  EXPECT_EQ(encode_evaluation(*read), text);
  EXPECT_EQ(read->cells.front().scenario + " " + read->cells.front().group, "pairs-2 early");
  EXPECT_THAT(encode_evaluation(example()), testing::Not(HasSubstr("\"task\""))) << "as before there was another";
}

TEST(EvaluationRecord, ScenariosAndGroupsOfTheFirstTaskAreKnownAndThoseOfOthersAreWords) {
  const std::string first = encode_evaluation(example()), other = encode_evaluation(of_another_task());
  std::vector<std::string> hostile{replaced(first, "\"scenario\":\"retention\"", "\"scenario\":\"pairs-2\""),
                                   replaced(first, "\"group\":\"retained\"", "\"group\":\"early\"")};
  for (const std::string& word : {std::string("../../x"), std::string("a b"), std::string("<b>"), std::string(65, 'x'),
                                  std::string(), std::string("a\\u0000b"), std::string("\\n")}) {
    hostile.push_back(replaced(other, "\"task\":\"mqar\"", "\"task\":\"" + word + "\""));
    hostile.push_back(replaced(other, "\"scenario\":\"pairs-2\"", "\"scenario\":\"" + word + "\""));
    hostile.push_back(replaced(other, "\"group\":\"early\"", "\"group\":\"" + word + "\""));
  }
  hostile.push_back(replaced(other, "\"task\":\"mqar\"", "\"task\":7"));
  hostile.push_back(replaced(other, "\"task\":\"mqar\"", "\"task\":\"address-value\""));
  for (const std::string& text : hostile) {
    const auto read = parse_evaluation(text, "x.json");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(read.error().message(), HasSubstr("x.json"));
  }
}

TEST(EvaluationRecord, EveryPublishedRecordIsReadAndWrittenAgainWithTheSameBytes) {
  std::size_t records = 0;
  const auto folder = std::filesystem::path(SCHEMAMEM_SOURCE_DIR) / "results" / "fast";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().parent_path().filename() != "evaluations" || entry.path().extension() != ".json") continue;
    const std::string text = read_text_file(entry.path(), 1 << 28).value();
    const auto read = parse_evaluation(text, entry.path().string());
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_TRUE(encode_evaluation(*read) == text) << entry.path();
    ++records;
  }
  EXPECT_GE(records, 2U * 81U);
}

TEST(EvaluationRecord, ADamagedRecordIsBadDataThatNamesTheFault) {
  const std::string whole = encode_evaluation(example());
  struct Damage {
    std::string text, message;
  };
  // 2,048 times 2^53 are 2^64: a sum in 64 bits would be 3 again.
  std::string overflowing = "[3";
  for (int i = 0; i < 2048; ++i) overflowing += ",9007199254740992";
  overflowing += "]";
  const std::vector<Damage> damages{
      {whole.substr(0, whole.size() / 2), "no valid JSON at byte"},
      {"[]", "expected a JSON object, found an array"},
      {replaced(whole, "schemamem evaluation", "another"),
       "format: expected \"schemamem evaluation\", found \"another\""},
      {replaced(whole, "\"version\":1", "\"version\":2"), "version: expected 1, found 2"},
      {replaced(whole, "\"mode\":\"recurrent\"", "\"mode\":\"full\""), "must be one of recurrent, ablated"},
      {replaced(whole, "\"episodes\":2", "\"episodes\":3"), "must have 3 numbers, found 2"},
      {replaced(whole, "[2,1]", "[2,2]"), "does not add up"},
      {replaced(replaced(whole, "\"episodes\":2", "\"episodes\":2049"), "[2,1]", overflowing), "does not add up"},
      {replaced(whole, "[2,1]", "[4,-1]"),
       "cells[0].right_by_episode[1]: expected a whole number from 0 to 9007199254740992, found the number -1"},
      {replaced(whole, "\"right\":3", "\"right\":5"), "must not exceed"},
      {replaced(whole, "\"asked\":4", "\"asked\":\"4\""), "cells[0].asked: expected a whole number"},
      {replaced(whole, "\"bits\":12,", ""), "cells[0]: the field \"bits\" is missing"},
      {replaced(whole, "\"bits\":12,", "\"bits\":12,\"more\":1,"), "unknown field \"more\""},
      {replaced(whole, "\"delay\":192", "\"delay\":96"), "is not behind the one before it"},
      {replaced(whole, std::string(64, 'a'), "abc"), "64 hexadecimal digits"},
      {replaced(whole, "0.30000000000000004", "-1"), "cells[0].cross_entropy: must not be negative"},
  };
  for (const Damage& damage : damages) {
    const auto read = parse_evaluation(damage.text, "x.json");
    ASSERT_FALSE(read) << damage.message;
    EXPECT_EQ(read.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(read.error().message(), testing::AllOf(HasSubstr("x.json"), HasSubstr(damage.message)));
  }
}

TEST(EvaluationRecord, IsNamedByItsProtocolAndLiesBesideItsWeights) {
  EXPECT_EQ(evaluation_file_name(example().protocol), "table-recurrent-20261001-2.json");
  EXPECT_EQ(evaluation_folder("runs/a/model.safetensors"), "runs/a/evaluations");
  EXPECT_EQ(evaluation_folder("models/a3v3.safetensors"), "models/a3v3.evaluations");
}

TEST(EvaluationRecord, TheRecordsOfAFolderAreReadByName) {
  const TemporaryFolder folder;
  EXPECT_TRUE(load_evaluations(folder / "none")->empty());
  EvaluationRecord second = example();
  second.protocol.mode = "ablated";
  for (const EvaluationRecord& record : {example(), second})
    ASSERT_TRUE(save_evaluation(folder / "e" / evaluation_file_name(record.protocol), record));
  std::ofstream(folder / "e" / "notes.txt") << "no record";

  const auto records = load_evaluations(folder / "e");
  ASSERT_TRUE(records) << records.error().message();
  EXPECT_THAT(*records, testing::ElementsAre(second, example()));
}

}  // namespace
}  // namespace schemamem
