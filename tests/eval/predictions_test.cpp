#include "eval/predictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "eval/evaluator.h"
#include "support/loaded_models.h"
#include "task/batch.h"
#include "task/evaluation_rows.h"
#include "task/registry.h"
#include "tensors/npz.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

constexpr EvaluationOptions kEpisodes{.seed = 5, .episodes = 6};
const Guest kGuest{.name = "my-gru", .setting = "A3V3"};

std::shared_ptr<const Task> task() { return make_task("address-value", "A3V3").value(); }
EpisodeCase overwrite() { return episode_case(Scenario::kOverwrite, 9); }

/// Outputs that are right wherever `right` says so of the episode and the row among those asked, else wrong in one bit.
template <class Right>
CasePredictions outputs_of(bool whole, const Right& right) {
  const auto all = task();
  EvaluationRows source(*all, overwrite(), kEpisodes);
  Batch batch(all->shape(), 1, all->tokens(overwrite()));
  const EpisodeCase one = overwrite();
  batch.plan(*all, {&one, 1});
  const EpisodeRows rows = batch.rows(0);
  CasePredictions made{
      .name = "overwrite_9", .episodes = kEpisodes.episodes, .rows = whole ? rows.size() : 8, .width = 3};
  for (std::size_t i = 0; i < kEpisodes.episodes; ++i) {
    source.next(rows);
    std::size_t asked = 0;
    for (std::size_t t = 0; t < rows.size(); ++t) {
      const bool final = rows.is_final[t] != 0;
      if (!whole && !final) continue;
      const std::int32_t answer = final && !right(i, asked) ? rows.labels[t] ^ 2 : std::max(0, rows.labels[t]);
      for (int bit = 0; bit < 3; ++bit) made.outputs.push_back((answer >> bit & 1) != 0 ? 2.0F : -2.0F);
      asked += final ? 1 : 0;
    }
  }
  return made;
}

CasePredictions answers_of(const CasePredictions& outputs) {
  CasePredictions made{.name = outputs.name, .episodes = outputs.episodes, .rows = outputs.rows};
  for (std::size_t i = 0; i < outputs.outputs.size(); i += 3) {
    std::int32_t answer = 0;
    for (std::size_t bit = 0; bit < 3; ++bit) answer |= outputs.outputs[i + bit] >= 0 ? 1 << bit : 0;
    made.answers.push_back(answer);
  }
  return made;
}

std::vector<EvaluationCell> score(const CasePredictions& predictions) {
  return score_predictions(*task(), overwrite(), kEpisodes, predictions).value();
}

std::string about() {
  const EpisodeCase one = overwrite();
  return encode_dump(*task(), describe_episodes(*task(), {&one, 1}, kEpisodes));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string npz_of(const std::string& about, const CasePredictions& made) {
  NpzWriter writer;
  std::string file;
  const auto add = [&](const NamedTensor& array) { file += writer.begin(array) + text_of(array.bytes); };
  add({"about", DType::kU8, {about.size()}, bytes_of(about)});
  add({made.name, DType::kF32, {made.episodes, made.rows, made.width}, std::as_bytes(std::span(made.outputs))});
  return file + writer.end();
}

std::string lines_of(const std::string& about, const CasePredictions& answers) {
  std::string text = about + "\n";
  for (std::size_t i = 0; i < answers.episodes; ++i) {
    std::vector<std::int32_t> mine(answers.answers.begin() + static_cast<std::ptrdiff_t>(i * answers.rows),
                                   answers.answers.begin() + static_cast<std::ptrdiff_t>((i + 1) * answers.rows));
    text += fmt::format(R"({{"case":"{}","episode":{},"answers":[{}]}})", answers.name, i, fmt::join(mine, ",")) + "\n";
  }
  return text;
}

const auto kAlways = [](std::size_t, std::size_t) { return true; };
const auto kSometimes = [](std::size_t i, std::size_t asked) { return (i + asked) % 3 != 0; };

TEST(Predictions, AreScoredAsTheModelsOwnAnswersAre) {
  // Our own model, asked row by row, and then scored as if it were somebody else's.
  const auto all = task();
  const auto model =
      test::loaded<float>(published_spec("schemamem", all->shape().inputs, all->shape().outputs).value());
  CasePredictions made{
      .name = "overwrite_9", .episodes = kEpisodes.episodes, .rows = all->tokens(overwrite()), .width = 3};
  EvaluationRows source(*all, overwrite(), kEpisodes);
  Batch batch(all->shape(), 1, made.rows);
  const EpisodeCase one = overwrite();
  batch.plan(*all, {&one, 1});
  std::vector<float> outputs(made.rows * 3);
  for (std::size_t i = 0; i < kEpisodes.episodes; ++i) {
    source.next(batch.rows(0));
    StreamReader<float> stream(model->model(), model->folded(), MarkRule::kNone, Mode::kRecurrent);
    stream.push({batch.rows(0).inputs, batch.rows(0).marks}, {outputs.data(), {made.rows, 3}});
    made.outputs.insert(made.outputs.end(), outputs.begin(), outputs.end());
  }
  Evaluator evaluator(model, all, Mode::kRecurrent, {.threads = 2});
  EvaluationObserver nobody;
  const StopFlag never{false};
  EXPECT_EQ(score(made), evaluator.table(one, kEpisodes, never, nobody).value());
}

TEST(Predictions, MayBeOfAllRowsOrOfTheAskedOnesAndOutputsOrAnswers) {
  const auto whole = score(outputs_of(true, kSometimes)), asked = score(outputs_of(false, kSometimes));
  EXPECT_EQ(whole, asked);
  std::int64_t right = 0;
  for (const EvaluationCell& cell : whole) {
    right += cell.right;
    EXPECT_EQ(cell.bits_right, cell.bits - (cell.asked - cell.right));
    EXPECT_TRUE(cell.cross_entropy);
  }
  EXPECT_EQ(right, 6 * 8 - 16);
  auto expected = whole;
  for (EvaluationCell& cell : expected) cell.cross_entropy = {};
  EXPECT_EQ(score(answers_of(outputs_of(true, kSometimes))), expected);
  EXPECT_EQ(score(answers_of(outputs_of(false, kSometimes))), expected);
}

TEST(Predictions, OfAnotherShapeOrWithoutNumbersAreRefused) {
  const auto message = [](CasePredictions made) {
    const auto scored = score_predictions(*task(), overwrite(), kEpisodes, made);
    return scored ? "accepted" : scored.error().message();
  };
  CasePredictions fewer = outputs_of(false, kAlways), wider = fewer, longer = fewer, nan = fewer;
  fewer.episodes = 5;
  EXPECT_THAT(message(fewer), HasSubstr("expected predictions of 6 episodes"));
  wider.width = 4;
  EXPECT_THAT(message(wider), HasSubstr("3 outputs a row"));
  longer.rows = 9;
  EXPECT_THAT(message(longer), HasSubstr("the 8 that are scored"));
  nan.outputs[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message(nan), HasSubstr("overwrite_9: an output is no number"));
}

TEST(PredictionFiles, OfAllFormsGiveTheSameRecord) {
  const CasePredictions outputs = outputs_of(false, kSometimes);
  const std::string npz = npz_of(about(), outputs), lines = lines_of(about(), answers_of(outputs));
  const NamedTensor tensor{"overwrite_9", DType::kF32, {6, 8, 3}, std::as_bytes(std::span(outputs.outputs))};
  const auto safetensors = encode_tensors({&tensor, 1}, {{"about", about()}});
  std::vector<EvaluationRecord> records;
  for (const std::string& file : {npz, lines, text_of(safetensors.span())}) {
    const auto read = parse_predictions(bytes_of(file), "mine");
    ASSERT_TRUE(read) << read.error().message();
    const auto record = score_file(*read, kGuest, bytes_of(file), "mine");
    ASSERT_TRUE(record) << record.error().message();
    EXPECT_EQ(parse_evaluation(encode_evaluation(*record), "again").value(), *record);
    records.push_back(*record);
  }
  EXPECT_EQ(records[0].cells, records[2].cells);
  EXPECT_EQ(records[0].cells, score(outputs));
  EXPECT_EQ(records[1].cells, score(answers_of(outputs)));
  EXPECT_NE(records[0].checkpoint.sha256, records[1].checkpoint.sha256);
}

TEST(PredictionFiles, ForOtherEpisodesAreRefused) {
  const EpisodeCase one = overwrite();
  EpisodeDump dump = describe_episodes(*task(), {&one, 1}, kEpisodes);
  dump.episodes.seed = 6;  // the hash is of seed 5
  const std::string file = npz_of(encode_dump(*task(), dump), outputs_of(false, kAlways));
  const auto record = score_file(parse_predictions(bytes_of(file), "mine").value(), kGuest, bytes_of(file), "mine");
  ASSERT_FALSE(record);
  EXPECT_EQ(record.error().kind(), ErrorKind::kBadData);
  EXPECT_THAT(record.error().message(), HasSubstr("overwrite_9 is of episodes with the SHA-256"));
}

TEST(PredictionFiles, OfStrangersAreReadStrictly) {
  const std::string good = lines_of(about(), answers_of(outputs_of(false, kAlways)));
  const auto message = [](const std::string& text) {
    const auto read = parse_predictions(bytes_of(text), "mine");
    if (read) return std::string("accepted");
    EXPECT_EQ(read.error().kind(), ErrorKind::kBadData);
    EXPECT_THAT(read.error().message(), HasSubstr("mine"));
    return read.error().message();
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return message(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(message(good), "accepted");
  EXPECT_THAT(message(about() + "\n"), HasSubstr("has no predictions"));
  EXPECT_THAT(message(""), HasSubstr("mine"));
  EXPECT_THAT(message("{}\n"), HasSubstr("format"));
  EXPECT_THAT(changed("\"episode\":1", "\"episode\":2"), HasSubstr("line 3: episode: expected 1"));
  EXPECT_THAT(changed("\"case\":\"overwrite_9\"", "\"case\":\"other\""), HasSubstr("is no case of the first line"));
  EXPECT_THAT(changed("\"answers\"", "\"answer\""), HasSubstr("line 2"));
  EXPECT_THAT(changed("\"answers\":[", "\"answers\":[1,"), HasSubstr("expected 9 rows, found 8"));
  EXPECT_THAT(changed("\"answers\":[", "\"answers\":[-"), HasSubstr("line 2"));
  EXPECT_THAT(changed("A3V3", "A99V3"), HasSubstr("A99V3"));
  EXPECT_THAT(changed("\"episodes\":6", "\"episodes\":0"), HasSubstr("must be positive"));
  EXPECT_THAT(changed("\"delay\":9", "\"delay\":1000001"), HasSubstr("1000000"));
  EXPECT_THAT(changed("\"scenario\":\"overwrite\"", "\"scenario\":\"transaction-half\""), HasSubstr("mine"));
}

}  // namespace
}  // namespace schemamem
