#include "eval/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "task/batch.h"
#include "task/mqar.h"
#include "task/registry.h"

namespace schemamem {
namespace {

constexpr Setting kSetting{2, 2};
const std::shared_ptr<const Task> kTask = std::make_shared<AddressValueTask>(kSetting);
const StopFlag kNever{false};

std::shared_ptr<const LoadedModel<float>> drawn_model(const std::string& name, const Setting& setting = kSetting,
                                                      float scale = 1) {
  const ModelSpec spec = published_spec(name, setting.input_width(), setting.output_width()).value();
  const auto model = make_model<float>(spec).value();
  std::vector<float> weights(model->parameters().size());
  model->initialise("ours", 3, {weights.data(), {weights.size()}});
  for (float& weight : weights) weight *= scale;
  return LoadedModel<float>::make(spec, weights).value();
}

std::vector<EvaluationCell> table(const std::string& model, Scenario scenario, std::size_t delay, std::size_t episodes,
                                  EvaluatorOptions options = {}, Mode mode = Mode::kRecurrent) {
  Evaluator evaluator(drawn_model(model), kTask, mode, options);
  EvaluationObserver nobody;
  return evaluator.table(episode_case(scenario, delay), {.episodes = episodes}, kNever, nobody).value();
}

TEST(Evaluator, ScoresWhatTheForwardPassOfTrainingAnswersOnThePapersEpisodes) {
  const auto model = drawn_model("schemamem");
  constexpr std::size_t kEpisodes = 6;
  for (const Mode mode : {Mode::kRecurrent, Mode::kAblated}) {
    for (const Scenario scenario : {Scenario::kImmediate, Scenario::kInterference, Scenario::kOverwrite}) {
      const std::size_t delay = info(scenario).takes_delay() ? 150 : 0;
      const TaskCase request{.setting = kSetting, .scenario = scenario, .delay = delay};
      const std::size_t length = episode_size(request).tokens();
      EvaluationEpisodes episodes(request, {.episodes = kEpisodes});
      const auto tape = model->model().make_tape({length, length}, {});
      std::vector<float> x(length * kSetting.input_width()), out(length * kSetting.output_width());
      const View<float, 2> logits(out.data(), {length, kSetting.output_width()});
      std::array<EvaluationCell, kGroups> expected{};
      for (auto tokens = episodes.next(); !tokens.empty(); tokens = episodes.next()) {
        const View<float, 2> rows(x.data(), {length, kSetting.input_width()});
        encode_inputs(kSetting, tokens, rows);
        const auto marks = validity_marks<float>(rows);
        model->model().forward(model->folded(), {.x = rows, .marks = marks, .mode = mode}, *tape, logits);
        for (auto& cell : expected) cell.right_by_episode.push_back(0);
        for (std::size_t t = 0; t < length; ++t) {
          if (!tokens[t].final) continue;
          EvaluationCell& cell = expected[static_cast<std::size_t>(tokens[t].group)];
          bool exact = true;
          for (std::size_t j = 0; j < kSetting.output_width(); ++j) {
            const bool bit = ((tokens[t].label >> j) & 1) != 0;
            const double probability = 1 / (1 + std::exp(-static_cast<double>(logits(t, j))));
            cell.cross_entropy = cell.cross_entropy.value_or(0) - std::log(bit ? probability : 1 - probability);
            ++cell.bits;
            if ((logits(t, j) >= 0) == bit) {
              ++cell.bits_right;
            } else {
              exact = false;
            }
          }
          ++cell.asked;
          cell.right += exact ? 1 : 0;
          cell.right_by_episode.back() += exact ? 1 : 0;
        }
      }
      const auto cells = table("schemamem", scenario, delay, kEpisodes, {}, mode);
      ASSERT_EQ(cells.size(), info(scenario).scored.size());
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Group group = info(scenario).scored[i];
        EvaluationCell& cell = expected[static_cast<std::size_t>(group)];
        EXPECT_NEAR(*cells[i].cross_entropy, *cell.cross_entropy / static_cast<double>(cell.bits), 1e-8);
        cell.cross_entropy = cells[i].cross_entropy;
        cell.scenario = info(scenario).name;
        cell.delay = static_cast<std::int64_t>(delay);
        cell.group = group_name(group);
        EXPECT_EQ(cells[i], cell) << request.name();
      }
    }
  }
}

TEST(Evaluator, CountsAnswersThatAreClassesAsAPlainCountDoes) {
  const std::shared_ptr<const Task> task = make_task("mqar", "V16L16P4").value();
  const TaskShape shape = task->shape();
  const EpisodeCase request = mqar_case(4, 16);
  constexpr std::size_t kEpisodes = 5;
  for (const std::string& name : model_names()) {
    const ModelSpec spec =
        resolve_model({.name = name}, {.inputs = shape.inputs, .outputs = shape.outputs, .symbols = true}).value();
    const auto made = make_model<float>(spec).value();
    std::vector<float> weights(made->parameters().size());
    made->initialise("ours", 3, {weights.data(), {weights.size()}});
    const auto model = LoadedModel<float>::make(spec, weights).value();
    std::array<EvaluationCell, 2> expected{};
    const auto source = task->source();
    Batch batch(shape, 1, 16);
    std::vector<float> out(16 * shape.outputs);
    const View<float, 2> logits(out.data(), {16, shape.outputs});
    for (std::size_t i = 0; i < kEpisodes; ++i) {
      batch.fill(*task, *source, {&request, 1}, {.seed = 9, .purpose = Purpose::kEvaluationEpisode, .index = i});
      const EpisodeRows rows = batch.rows(0);
      StreamState<float> state = model->model().empty_state();
      const auto scratch = model->model().make_scratch();
      model->model().refresh(model->folded(), state, *scratch);
      model->model().advance(model->folded(), {.x = rows.inputs, .marks = rows.marks}, state, *scratch, logits);
      for (EvaluationCell& cell : expected) cell.right_by_episode.push_back(0);
      for (std::size_t t = 0; t < rows.size(); ++t) {
        if (rows.is_final[t] == 0) continue;
        EvaluationCell& cell = expected.at(static_cast<std::size_t>(rows.groups[t]));
        double sum = 0;
        std::size_t largest = 0;
        for (std::size_t j = 0; j < shape.outputs; ++j) {
          sum += std::exp(static_cast<double>(logits(t, j)));
          if (logits(t, j) > logits(t, largest)) largest = j;
        }
        const auto label = static_cast<std::size_t>(rows.labels[t]);
        cell.cross_entropy = cell.cross_entropy.value_or(0) + std::log(sum) - static_cast<double>(logits(t, label));
        const int right = largest == label ? 1 : 0;
        ++cell.asked, ++cell.bits;
        cell.right += right, cell.bits_right += right, cell.right_by_episode.back() += right;
      }
    }
    Evaluator evaluator(model, task, Mode::kRecurrent, {.threads = 2, .piece = 7});
    EvaluationObserver nobody;
    const auto cells = evaluator.table(request, {.seed = 9, .episodes = kEpisodes}, kNever, nobody).value();
    ASSERT_EQ(cells.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EvaluationCell& cell = expected.at(i);
      EXPECT_EQ(cell.asked, 2 * 5);
      EXPECT_NEAR(*cells[i].cross_entropy, *cell.cross_entropy / static_cast<double>(cell.asked), 1e-8) << name;
      cell.cross_entropy = cells[i].cross_entropy;
      cell.scenario = "pairs-4";
      cell.delay = 16;
      cell.group = i == 0 ? "early" : "late";
      EXPECT_EQ(cells[i], cell) << name;
    }
  }
}

TEST(Evaluator, TheBitsDependOnNeitherThreadsNorBatchNorPiece) {
  for (const std::string& model : model_names()) {
    const auto expected = table(model, Scenario::kOverwrite, 200, 9);
    for (const EvaluatorOptions& options : {EvaluatorOptions{.threads = 2},
                                            {.threads = 3, .batch = 2},
                                            {.batch = 1, .piece = 1},
                                            {.batch = 5, .piece = 7},
                                            {.threads = 2, .batch = 4, .piece = 100}}) {
      EXPECT_EQ(table(model, Scenario::kOverwrite, 200, 9, options), expected)
          << model << ", " << options.threads << " threads, batch " << options.batch << ", piece " << options.piece;
    }
  }
}

TEST(Evaluator, ACurveGivesEachDelayWhatItHasAlone) {
  for (const std::string& model : model_names()) {
    Evaluator evaluator(drawn_model(model), kTask, Mode::kRecurrent, {.threads = 2, .piece = 64});
    EvaluationObserver nobody;
    constexpr auto kInterference = static_cast<std::size_t>(Scenario::kInterference);
    const std::vector<std::size_t> delays{1, 96, 101, 300};
    const auto together = evaluator.curve(kInterference, delays, {.seed = 5, .episodes = 4}, kNever, nobody).value();
    std::vector<EvaluationCell> alone;
    for (const std::size_t delay : delays) {
      const auto cells =
          evaluator.curve(kInterference, {&delay, 1}, {.seed = 5, .episodes = 4}, kNever, nobody).value();
      alone.insert(alone.end(), cells.begin(), cells.end());
    }
    EXPECT_EQ(together, alone) << model;
  }
}

TEST(Evaluator, ScoresAStreamOfRoundsAsTheForwardPassOfTrainingAnswersIt) {
  const auto model = drawn_model("schemamem");
  const Rounds rounds = parse_rounds("W1-3R2-9D20E4").value();
  constexpr std::size_t kEpisodes = 5, kWrites = 40;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> expected;  // right and asked by group
  for (std::size_t i = 0; i < kEpisodes; ++i) {
    RoundsEpisode episode(kSetting, rounds, 9);
    episode.begin(i);
    std::vector<Token> tokens;
    while (episode.writes() < static_cast<std::int64_t>(kWrites)) tokens.push_back(episode.next());
    for (const Token& token : episode.questions()) tokens.push_back(token);
    std::vector<float> x(tokens.size() * kSetting.input_width()), out(tokens.size() * kSetting.output_width());
    const View<float, 2> rows(x.data(), {tokens.size(), kSetting.input_width()});
    const View<float, 2> logits(out.data(), {tokens.size(), kSetting.output_width()});
    encode_inputs(kSetting, tokens, rows);
    const auto marks = validity_marks<float>(rows);
    const auto tape = model->model().make_tape({tokens.size(), tokens.size()}, {});
    model->model().forward(model->folded(), {.x = rows, .marks = marks}, *tape, logits);
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (!tokens[t].final) continue;
      auto& [right, asked] = expected[std::string(group_name(tokens[t].group))];
      right += answer_of(AnswerKind::kBits, logits[t]) == tokens[t].label ? 1 : 0;
      ++asked;
    }
  }
  Evaluator evaluator(model, kTask, Mode::kRecurrent, {.threads = 2, .piece = 7});
  EvaluationObserver nobody;
  const auto cells =
      evaluator.writes(rounds, std::array{kWrites}, {.seed = 9, .episodes = kEpisodes}, kNever, nobody).value();
  ASSERT_EQ(cells.size(), expected.size());
  for (const EvaluationCell& cell : cells) {
    EXPECT_EQ(cell.scenario, "rounds");
    EXPECT_EQ(cell.delay, static_cast<std::int64_t>(kWrites));
    EXPECT_EQ(std::pair(cell.right, cell.asked), expected.at(cell.group)) << cell.group;
  }
}

TEST(Evaluator, GivesEachNumberOfWritesWhatItHasAloneWhateverTheThreadsAndPieces) {
  for (const std::string& name : model_names()) {
    const auto model = drawn_model(name);
    EvaluationObserver nobody;
    const std::vector<std::size_t> marks{1, 2, 30, 77};
    const EvaluationOptions episodes{.seed = 5, .episodes = 4};
    Evaluator evaluator(model, kTask, Mode::kRecurrent, {.threads = 2, .piece = 64});
    const auto together = evaluator.writes({}, marks, episodes, kNever, nobody).value();
    Evaluator other(model, kTask, Mode::kRecurrent, {.threads = 1, .piece = 1});
    std::vector<EvaluationCell> alone;
    for (const std::size_t mark : marks) {
      const auto cells = other.writes({}, {&mark, 1}, episodes, kNever, nobody).value();
      alone.insert(alone.end(), cells.begin(), cells.end());
    }
    EXPECT_EQ(together, alone) << name;
    for (const EvaluationCell& cell : together) EXPECT_FALSE(cell.delay == 1 && cell.group == "rewritten");
  }
}

TEST(Evaluator, AnAblatedMemoryAnswersDifferently) {
  const auto normal = table("schemamem", Scenario::kRetention, 96, 20);
  const auto ablated = table("schemamem", Scenario::kRetention, 96, 20, {}, Mode::kAblated);
  EXPECT_NE(normal, ablated);
}

TEST(Evaluator, RefusesAModelOfAnotherTask) {
  EXPECT_THROW(Evaluator(drawn_model("gdn"), std::make_shared<AddressValueTask>(Setting{3, 3}), Mode::kRecurrent, {}),
               ContractViolation);
}

TEST(Evaluator, TellsEveryTokenThatItPlanned) {
  struct Counter final : EvaluationObserver {
    void advanced(std::int64_t count) override { tokens += count; }
    std::atomic<std::int64_t> tokens{0};
  } counter;
  Evaluator evaluator(drawn_model("schemamem"), kTask, Mode::kRecurrent, {.threads = 2});
  const EpisodeCase request = episode_case(Scenario::kOverwrite, 100);
  evaluator.table(request, {.episodes = 3}, kNever, counter).value();
  EXPECT_EQ(counter.tokens, table_tokens(*kTask, request, 3));
  counter.tokens = 0;
  const std::vector<std::size_t> delays{10, 100};
  evaluator.curve(request.scenario, delays, {.episodes = 3}, kNever, counter).value();
  EXPECT_EQ(counter.tokens, curve_tokens(AddressValueTask(kSetting), request.scenario, delays, 3));
}

TEST(Evaluator, StopsOnRequest) {
  struct Stopper final : EvaluationObserver {
    void advanced(std::int64_t) override { stop = true; }
    StopFlag stop{false};
  } stopper;
  Evaluator evaluator(drawn_model("schemamem"), kTask, Mode::kRecurrent, {});
  const auto cells =
      evaluator.table(episode_case(Scenario::kRetention, 1'000'000'000), {.episodes = 2}, stopper.stop, stopper);
  ASSERT_FALSE(cells);
  EXPECT_EQ(cells.error().kind(), ErrorKind::kInterrupted);
}

TEST(Evaluator, AnswersThatAreNoNumbersAreAnError) {
  Evaluator evaluator(drawn_model("schemamem", kSetting, 1e38F), kTask, Mode::kRecurrent, {});
  EvaluationObserver nobody;
  const auto cells = evaluator.table(episode_case(Scenario::kRetention, 20), {.episodes = 1}, kNever, nobody);
  ASSERT_FALSE(cells);
  EXPECT_EQ(cells.error().kind(), ErrorKind::kNonFinite);
  EXPECT_THAT(cells.error().message(), testing::HasSubstr("retention at delay 20"));
}

}  // namespace
}  // namespace schemamem
