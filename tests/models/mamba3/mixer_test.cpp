#include "models/mamba3/mixer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/mamba3/drawn_layer.h"

namespace schemamem::test {
namespace {

class Mamba3Layer : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, Mamba3Layer, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

const std::vector<std::string> kCases{"mamba3/t7", "mamba3/t24_tiny", "mamba3/t96_floor", "mamba3/carry_t140_s37"};

TEST_P(Mamba3Layer, OutputsStatesAndGradientsAreThoseOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_mamba3_mixer<double>({}, GetParam())).one_shot();
    LayerCase<float>(name, make_mamba3_mixer<float>({}, GetParam())).one_shot();
  }
}

TEST_P(Mamba3Layer, AStreamGivesTheOutputsOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_mamba3_mixer<double>({}, GetParam())).streamed({1, 17, 3});
    LayerCase<float>(name, make_mamba3_mixer<float>({}, GetParam())).streamed({1});
  }
}

TEST_P(Mamba3Layer, ACarriedStateContinuesTheSequenceAndCarriesTheGradientBack) {
  LayerCase<double>("mamba3/carry_t140_s37", make_mamba3_mixer<double>({}, GetParam())).carried();
  LayerCase<float>("mamba3/carry_t140_s37", make_mamba3_mixer<float>({}, GetParam())).carried();
}

TEST(Mamba3Mixer, HasThePublishedNumbersOfParametersAndStateElements) {
  const auto mixer = make_mamba3_mixer<float>({}, best_isa());
  EXPECT_EQ(mixer->parameters().size(), 18'216u);
  EXPECT_EQ(mixer->state().size(), 5'584u);
}

TEST(Mamba3Mixer, StartsAsPublishedInBothSchemes) {
  const auto mixer = make_mamba3_mixer<double>({}, best_isa());
  const Layout& parameters = mixer->parameters();
  std::vector<double> paper(parameters.size()), ours(paper), other_seed(paper);
  mixer->initialise("paper", 5, 0, view_of(std::span(paper)));
  mixer->initialise("ours", 5, 0, view_of(std::span(ours)));
  mixer->initialise("paper", 6, 0, view_of(std::span(other_seed)));
  EXPECT_EQ(paper, ours);
  EXPECT_NE(paper, other_seed);

  const auto range = [&](const char* name) {
    const View<double, 1> tensor = parameters.in(view_of(std::span(paper)), name);
    const auto [low, high] = std::minmax_element(tensor.begin(), tensor.end());
    return std::pair(*low, *high);
  };
  for (const char* name : {"B_bias", "C_bias", "B_norm.weight", "C_norm.weight", "D"}) {
    EXPECT_EQ(range(name), std::pair(1.0, 1.0)) << name;
  }
  const auto expect_uniform = [&](const char* name, double limit) {
    EXPECT_GE(range(name).first, -limit);
    EXPECT_LE(range(name).second, limit);
    EXPECT_LT(range(name).first, -0.98 * limit) << name;
    EXPECT_GT(range(name).second, 0.98 * limit) << name;
  };
  expect_uniform("in_proj.weight", 1 / std::sqrt(32.0));
  expect_uniform("out_proj.weight", 1 / (8 * std::sqrt(3.0)));
  EXPECT_GE(std::log1p(std::exp(range("dt_bias").first)), 0.001 * (1 - 1e-12));
  EXPECT_LE(std::log1p(std::exp(range("dt_bias").second)), 0.1 * (1 + 1e-12));
  EXPECT_THROW(mixer->initialise("theirs", 5, 0, view_of(std::span(paper))), ContractViolation);
}

TEST_P(Mamba3Layer, TheStillnessTermHasTheValueAndGradientOfThePlainRecurrence) {
  constexpr std::size_t kTokens = 70;
  constexpr double kStillness = 50;
  DrawnLayer<double> layer({}, GetParam(), kTokens);
  const Piece<double> fast = layer.run(kStillness, segments_within(kTokens));
  const Piece<double> plain = plain_run(layer, kStillness, segments_within(kTokens));
  EXPECT_NEAR(fast.stillness, plain.stillness, 1e-9 * plain.stillness);
  EXPECT_LE(golden_error(fast.d_u, plain.d_u), 1e-9);
  EXPECT_LE(golden_error(fast.d_weights, plain.d_weights), 1e-9);
  EXPECT_LE(golden_error(fast.d_state, plain.d_state), 1e-9);
  EXPECT_TRUE(layer.runner.guards_intact());
}

/// The drawn steps and decays lie on both sides of each of these.
TEST_P(Mamba3Layer, WithAFloorHasTheValuesAndGradientsOfThePlainRecurrence) {
  for (const double floor : {0.02, 0.3}) {
    for (const std::size_t tokens : {1, 17, 70}) {
      SCOPED_TRACE(std::to_string(tokens) + " tokens, floor " + std::to_string(floor));
      DrawnLayer<double> layer({}, GetParam(), tokens);
      layer.floor = floor;
      const Piece<double> fast = layer.run(50, segments_within(tokens));
      const Piece<double> plain = plain_run(layer, 50, segments_within(tokens));
      EXPECT_NEAR(fast.stillness, plain.stillness, 1e-9 * plain.stillness + 1e-12);
      EXPECT_LE(golden_error(fast.y, plain.y), 1e-10);
      EXPECT_LE(golden_error(fast.d_u, plain.d_u), 1e-9);
      EXPECT_LE(golden_error(fast.d_weights, plain.d_weights), 1e-9);
      EXPECT_LE(golden_error(fast.d_state, plain.d_state), 1e-9);
      std::vector<double> streamed = layer.stream({tokens});
      streamed.resize(fast.y.size());
      EXPECT_LE(golden_error(streamed, plain.y), 1e-10);
    }
  }
}

TEST_P(Mamba3Layer, TheBitsOfAStreamDoNotDependOnHowItIsCut) {
  DrawnLayer<float> layer({}, GetParam(), 50);
  const std::vector<float> whole = layer.stream({50});
  EXPECT_EQ(layer.stream({1}), whole);
  EXPECT_EQ(layer.stream({1, 17, 2, 5}), whole);
}

TEST_P(Mamba3Layer, ASecondRunOnUsedMemoryGivesTheSameBits) {
  DrawnLayer<float> layer({}, GetParam(), 37);
  const Piece<float> first = layer.run(1, {{3, 20}}), second = layer.run(1, {{3, 20}});
  EXPECT_EQ(second.d_weights, first.d_weights);
  EXPECT_EQ(second.d_u, first.d_u);
  EXPECT_EQ(second.d_state, first.d_state);
}

TEST_P(Mamba3Layer, EveryLengthAgreesWithItsStream) {
  for (const std::size_t tokens : {1, 2, 7, 15, 16, 17, 64, 129}) {
    DrawnLayer<double> layer({}, GetParam(), tokens);
    const Piece<double> piece = layer.run();
    const std::vector<double> streamed = layer.stream({tokens});
    const auto outputs = streamed.begin() + static_cast<std::ptrdiff_t>(piece.y.size());
    EXPECT_LE(golden_error(piece.y, std::vector<double>(streamed.begin(), outputs)), 1e-11) << tokens;
    EXPECT_LE(golden_error(piece.end, std::vector<double>(outputs, streamed.end())), 1e-9) << tokens;
    EXPECT_TRUE(layer.runner.guards_intact());
  }
}

}  // namespace
}  // namespace schemamem::test
