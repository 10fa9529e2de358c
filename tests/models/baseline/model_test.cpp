#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "kernels/isa.h"
#include "models/gated_delta_net/model.h"
#include "support/gated_delta_net_cases.h"

namespace schemamem {
namespace {

/// A4V5: ten inputs, five outputs.
constexpr GatedDeltaNetConfig kA4V5{.inputs = 10, .outputs = 5};
template <class T>
std::unique_ptr<SequenceModel<T>> model_a4v5() {
  return make_gated_delta_net<T>(kA4V5);
}

/// Random bits; validity in runs of 1 to 12 tokens.
template <class T>
std::vector<T> random_episode(std::size_t tokens, std::size_t inputs, std::uint64_t index) {
  Rng rng = Rng::stream(7, Purpose::kTest, index);
  std::vector<T> x(tokens * inputs);
  for (T& bit : x) bit = static_cast<T>(rng.below(2));
  T valid = 1;
  for (std::size_t t = 0, left = 0; t < tokens; ++t) {
    if (left == 0) {
      left = 1 + rng.below(12);
      valid = T(1) - valid;
    }
    x[(t + 1) * inputs - 1] = valid;
    --left;
  }
  return x;
}

template <class T>
struct EpisodeRun {
  std::vector<T> logits, d_weights;
  T stillness = 0;
};

template <class T>
class Bench {
 public:
  explicit Bench(std::size_t longest, const GatedDeltaNetConfig& config = kA4V5, EngineChoice choice = {})
      : model_(make_gated_delta_net<T>(config, choice)),
        folded_(model_->make_folded()),
        tape_(model_->make_tape({.tokens = longest, .chunks = 1}, {.poison = true, .guard = 64})),
        shard_(model_->make_shard()) {}

  EpisodeRun<T> run(const std::vector<T>& weights, const std::vector<T>& x, T stillness) {
    const std::size_t tokens = x.size() / 10;
    EpisodeRun<T> result{.logits = std::vector<T>(tokens * 5), .d_weights = std::vector<T>(weights.size())};
    std::vector<T> d_logits(tokens * 5);
    Rng rng = Rng::stream(7, Purpose::kTest, 99);
    for (T& value : d_logits) value = static_cast<T>(rng.normal());
    model_->fold(view_of(std::span(weights)), *folded_);
    const View<const T, 2> rows(x.data(), {tokens, 10});
    const std::vector<RowMark> marks = validity_marks<T>(rows);
    model_->forward(*folded_, {.x = rows, .marks = marks, .stillness = stillness}, *tape_,
                    {result.logits.data(), {tokens, 5}});
    shard_->clear();
    result.stillness = model_->backward(*folded_, *tape_, {d_logits.data(), {tokens, 5}}, *shard_);
    GradientShard<T>* const shards[] = {shard_.get()};
    model_->unfold(*folded_, shards, view_of(std::span(result.d_weights)));
    EXPECT_TRUE(tape_->guards_intact());
    loss_ = stillness * result.stillness;
    for (std::size_t i = 0; i < d_logits.size(); ++i) loss_ += result.logits[i] * d_logits[i];
    return result;
  }
  T loss() const { return loss_; }
  const SequenceModel<T>& model() const { return *model_; }

 private:
  std::unique_ptr<SequenceModel<T>> model_;
  std::unique_ptr<Folded<T>> folded_;
  std::unique_ptr<Tape<T>> tape_;
  std::unique_ptr<GradientShard<T>> shard_;
  T loss_ = 0;
};

template <class T>
std::vector<T> drawn_weights(const SequenceModel<T>& model, std::string_view scheme, std::uint64_t seed) {
  std::vector<T> weights(model.parameters().size());
  model.initialise(scheme, seed, view_of(std::span(weights)));
  return weights;
}

class GdnModelGradient : public testing::TestWithParam<test::GdnCase> {};
INSTANTIATE_TEST_SUITE_P(, GdnModelGradient, testing::ValuesIn(test::every_gdn_case(10, 5)), test::gdn_case_name);

TEST_P(GdnModelGradient, EqualsTheDifferenceQuotientWithAndWithoutStillness) {
  Bench<double> bench(60, GetParam().config, GetParam().choice);
  const std::vector<double> weights = drawn_weights(bench.model(), "ours", 2);
  const std::vector<double> x = random_episode<double>(60, 10, 1);
  for (const double stillness : {0.0, 500.0}) {
    const EpisodeRun<double> run = bench.run(weights, x, stillness);
    EXPECT_EQ(run.stillness > 0.0, stillness > 0.0);
    for (std::uint64_t trial = 0; trial < 4; ++trial) {
      Rng rng = Rng::stream(7, Purpose::kTest, 50 + trial);
      constexpr double kStep = 1e-6;
      std::vector<double> ahead = weights, behind = weights;
      double expected_slope = 0.0, steepness = 0.0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double direction = rng.normal();
        ahead[i] += kStep * direction;
        behind[i] -= kStep * direction;
        expected_slope += run.d_weights[i] * direction;
        steepness = std::hypot(steepness, run.d_weights[i] * direction);  // of a direction, on average
      }
      bench.run(ahead, x, stillness);
      const double up = bench.loss();
      bench.run(behind, x, stillness);
      const double slope = (up - bench.loss()) / (2.0 * kStep);
      EXPECT_NEAR(expected_slope, slope, 1e-6 * steepness);
    }
  }
}

TEST(GdnEpisode, AnEpisodeGivesTheSameBitsWhateverTheTapeHeldBefore) {
  Bench<float> bench(130);
  const std::vector<float> weights = drawn_weights(bench.model(), "ours", 2);
  const std::vector<float> x = random_episode<float>(75, 10, 1);
  const EpisodeRun<float> first = bench.run(weights, x, 0.5F);
  bench.run(weights, random_episode<float>(130, 10, 2), 0.0F);
  const EpisodeRun<float> second = bench.run(weights, x, 0.5F);
  EXPECT_EQ(first.logits, second.logits);
  EXPECT_EQ(first.d_weights, second.d_weights);
  EXPECT_EQ(first.stillness, second.stillness);
}

TEST(GdnEpisode, AStreamAgreesWithTheParallelForwardAtEveryLength) {
  for (const std::size_t tokens : {1, 2, 7, 64, 129}) {
    Bench<double> bench(tokens);
    const std::vector<double> weights = drawn_weights(bench.model(), "ours", 3);
    const std::vector<double> x = random_episode<double>(tokens, 10, tokens);
    const EpisodeRun<double> run = bench.run(weights, x, 0.0);
    const auto& model = bench.model();
    const auto folded = model.make_folded();
    model.fold(view_of(std::span(weights)), *folded);
    StreamState<double> state = model.empty_state();
    const auto scratch = model.make_scratch();
    std::vector<double> logits(tokens * 5);
    model.advance(*folded, {View<const double, 2>(x.data(), {tokens, 10})}, state, *scratch,
                  {logits.data(), {tokens, 5}});
    for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(logits[i], run.logits[i], 1e-11);
  }
}

TEST(GdnEpisode, ShardsAreAddedInTheirOrderAndLeftAsTheyAre) {
  Bench<float> bench(20);
  const auto& model = bench.model();
  const std::vector<float> weights = drawn_weights(model, "ours", 3);
  const auto folded = model.make_folded();
  model.fold(view_of(std::span(weights)), *folded);
  const auto tape = model.make_tape({.tokens = 20, .chunks = 1}, {});
  std::vector<std::unique_ptr<GradientShard<float>>> shards;
  std::vector<float> logits(100), d_logits(100, 0.5F), one(weights.size()), two(weights.size()), both(weights.size());
  for (std::uint64_t n = 0; n < 2; ++n) {
    shards.push_back(model.make_shard());
    const std::vector<float> x = random_episode<float>(20, 10, n);
    model.forward(*folded, {.x = {x.data(), {20, 10}}}, *tape, {logits.data(), {20, 5}});
    model.backward(*folded, *tape, {d_logits.data(), {20, 5}}, *shards[n]);
  }
  GradientShard<float>* const pointers[] = {shards[0].get(), shards[1].get()};
  model.unfold(*folded, std::span(pointers), view_of(std::span(both)));
  model.unfold(*folded, std::span(pointers).subspan(0, 1), view_of(std::span(one)));
  model.unfold(*folded, std::span(pointers).subspan(1, 1), view_of(std::span(two)));
  for (std::size_t i = 0; i < both.size(); ++i) {
    EXPECT_NEAR(both[i], one[i] + two[i], 1e-5F * (std::abs(one[i]) + std::abs(two[i])) + 1e-12F);
  }
}

TEST(GdnInitialisation, IsTheOfficialOneForPaperAndScaledByFanInForOurs) {
  const auto model = model_a4v5<double>();
  for (const bool paper : {true, false}) {
    const std::vector<double> w = drawn_weights(*model, paper ? "paper" : "ours", 1);
    const auto spread = [&](const std::string& name) {
      double sum = 0.0;
      for (const double value : model->parameters().in(view_of(std::span(w)), name)) sum += value * value;
      return std::sqrt(sum / static_cast<double>(model->parameters().find(name).size));
    };
    EXPECT_NEAR(spread("layers.1.mixer.q_proj.weight"), paper ? 0.02 : 1.0 / std::sqrt(32.0), paper ? 0.001 : 0.01);
    EXPECT_NEAR(spread("layers.1.mixer.o_proj.weight"), paper ? 0.02 : 1.0 / std::sqrt(96.0), paper ? 0.001 : 0.006);
    EXPECT_NEAR(spread("layers.2.mixer.v_conv1d.weight"), paper ? 0.02 : 0.5, paper ? 0.002 : 0.05);
    EXPECT_NEAR(spread("layers.0.mlp.w_down"), paper ? 0.02 : 0.25, paper ? 0.002 : 0.025);
    EXPECT_NEAR(spread("in_proj.weight"), 1.0 / std::sqrt(30.0), 0.02);
    EXPECT_EQ(spread("layers.0.mixer.o_norm.weight"), 1.0);
    EXPECT_EQ(spread("final_norm.weight"), 1.0);
    for (const double a_log : model->parameters().in(view_of(std::span(w)), "layers.0.mixer.A_log")) {
      EXPECT_LE(a_log, std::log(16.0));
    }
    for (const double bias : model->parameters().in(view_of(std::span(w)), "layers.0.mixer.dt_bias")) {
      const double step = std::log1p(std::exp(bias));
      EXPECT_GE(step, 0.000999);
      EXPECT_LE(step, 0.1001);
    }
  }
}

TEST(GdnInitialisation, DependsOnTheSeedAndOnNothingElse) {
  const auto model = model_a4v5<float>();
  EXPECT_EQ(drawn_weights(*model, "paper", 4), drawn_weights(*model, "paper", 4));
  EXPECT_NE(drawn_weights(*model, "paper", 4), drawn_weights(*model, "paper", 5));
  EXPECT_THROW(drawn_weights(*model, "best", 4), ContractViolation);
}

TEST(GdnEpisode, RefusesModesAndShapesThatItDoesNotHave) {
  Bench<float> bench(4);
  const auto& model = bench.model();
  const auto folded = model.make_folded();
  const auto tape = model.make_tape({.tokens = 4, .chunks = 1}, {});
  std::vector<float> x(50), logits(25);
  const auto forward = [&](std::size_t tokens, std::size_t inputs, Mode mode) {
    model.forward(*folded, {.x = {x.data(), {tokens, inputs}}, .mode = mode}, *tape, {logits.data(), {tokens, 5}});
  };
  EXPECT_THROW(forward(4, 10, Mode::kFullHistory), ContractViolation);
  EXPECT_THROW(forward(5, 10, Mode::kRecurrent), ContractViolation);
  EXPECT_THROW(forward(4, 9, Mode::kRecurrent), ContractViolation);
  EXPECT_NO_THROW(forward(4, 10, Mode::kRecurrent));
}

}  // namespace
}  // namespace schemamem
