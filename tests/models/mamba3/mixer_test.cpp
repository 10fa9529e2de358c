#include "models/mamba3/mixer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/rng.h"
#include "models/baseline/layer_case.h"
#include "support/mamba3.h"

namespace schemamem::test {
namespace {

class Mamba3Layer : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, Mamba3Layer, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

const std::vector<std::string> kCases{"mamba3/t7", "mamba3/t24_tiny", "mamba3/t96_floor", "mamba3/carry_t140_s37"};

TEST_P(Mamba3Layer, OutputsStatesAndGradientsAreThoseOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_mamba3_mixer<double>(GetParam())).one_shot();
    LayerCase<float>(name, make_mamba3_mixer<float>(GetParam())).one_shot();
  }
}

TEST_P(Mamba3Layer, AStreamGivesTheOutputsOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_mamba3_mixer<double>(GetParam())).streamed({1, 17, 3});
    LayerCase<float>(name, make_mamba3_mixer<float>(GetParam())).streamed({1});
  }
}

TEST_P(Mamba3Layer, ACarriedStateContinuesTheSequenceAndCarriesTheGradientBack) {
  LayerCase<double>("mamba3/carry_t140_s37", make_mamba3_mixer<double>(GetParam())).carried();
  LayerCase<float>("mamba3/carry_t140_s37", make_mamba3_mixer<float>(GetParam())).carried();
}

TEST(Mamba3Mixer, HasThePublishedNumbersOfParametersAndStateElements) {
  const auto mixer = make_mamba3_mixer<float>(best_isa());
  EXPECT_EQ(mixer->parameters().size(), 18'216u);
  EXPECT_EQ(mixer->state().size(), 5'584u);
}

/// A layer with drawn weights, inputs and upstream gradients, in the fast form and, in double, in the plain one.
template <class T>
struct DrawnLayer {
  DrawnLayer(Isa isa, std::size_t tokens) : mixer(make_mamba3_mixer<T>(isa)), runner(*mixer, tokens, kHostile) {
    weights.resize(mixer->parameters().size());
    mixer->initialise("paper", 7, 0, view_of(std::span(weights)));
    Rng rng = Rng::stream(7, Purpose::kTest, 1);
    for (T& w : weights) w += static_cast<T>(0.1 * rng.normal());
    u.resize(tokens * kModelWidth);
    d_y.resize(u.size());
    for (T& entry : u) entry = static_cast<T>(rng.normal());
    for (T& entry : d_y) entry = static_cast<T>(rng.normal());
    state.resize(mixer->state().size());
    d_state.resize(state.size());
    for (T& entry : state) entry = static_cast<T>(rng.normal());
    for (T& entry : d_state) entry = static_cast<T>(rng.normal());
    runner.set_weights(view_of(std::span<const T>(weights)));
  }
  View<const T, 2> rows(const std::vector<T>& values) const {
    return {values.data(), {values.size() / kModelWidth, kModelWidth}};
  }
  View<T, 2> rows(std::vector<T>& values) const { return {values.data(), {values.size() / kModelWidth, kModelWidth}}; }

  std::unique_ptr<Mixer<T>> mixer;
  MixerRunner<T> runner;
  std::vector<T> weights, u, d_y, state, d_state;
};

/// Read segments with borders at the piece's ends, inside one chunk, on a chunk's border and over several chunks.
const std::vector<Segment> kSegments{{0, 3}, {5, 9}, {12, 32}, {33, 70}};

TEST_P(Mamba3Layer, TheStillnessTermHasTheValueAndGradientOfThePlainRecurrence) {
  constexpr std::size_t kTokens = 70;
  constexpr double kStillness = 50;
  DrawnLayer<double> layer(GetParam(), kTokens);
  std::vector<double> y(layer.u.size()), d_u(y.size()), d_state = layer.d_state;
  layer.runner.forward(layer.rows(layer.u), layer.state, {}, layer.rows(y));
  const double value = layer.runner.backward(layer.rows(layer.d_y), d_state, layer.rows(d_u), kStillness, kSegments);
  std::vector<double> d_weights(layer.weights.size());
  layer.runner.gradients(view_of(std::span(d_weights)));

  const Layout& parameters = layer.mixer->parameters();
  const auto weights = std::make_unique<ref::Weights>(), d_plain = std::make_unique<ref::Weights>();
  fill_weights(parameters, layer.weights, *weights);
  ref::State initial, d;
  fill(initial, layer.state);
  fill(d, layer.d_state);
  std::vector<double> plain_y(y.size()), plain_d_u(y.size());
  const std::vector<ref::Token> run = ref::forward(*weights, layer.rows(layer.u), initial, layer.rows(plain_y));
  const auto after = [&](std::size_t tokens) -> const ref::State& {
    return tokens == 0 ? initial : run[tokens - 1].after;
  };
  double plain_value = 0;
  const auto enter = [&](std::size_t tokens) {
    for (const Segment& segment : kSegments) {
      const double sign = (segment.end == tokens ? 1.0 : 0.0) - (segment.begin == tokens ? 1.0 : 0.0);
      constexpr double kElements = ref::kHeads * ref::kValue * ref::kState;
      for (std::size_t i = 0; sign != 0 && i < flat(d.ssm).size(); ++i) {
        const double change = flat(after(segment.end).ssm)[i] - flat(after(segment.begin).ssm)[i];
        flat(d.ssm)[i] += sign * 2 * kStillness * change / kElements;
        if (sign > 0) plain_value += change * change / kElements;
      }
    }
  };
  for (std::size_t t = kTokens; t-- > 0;) {
    enter(t + 1);
    ref::step_backward(*weights, layer.rows(layer.u)[t], after(t), run[t], layer.rows(std::as_const(layer.d_y))[t], d,
                       layer.rows(plain_d_u)[t], *d_plain);
  }
  enter(0);

  EXPECT_NEAR(value, plain_value, 1e-9 * plain_value);
  EXPECT_LE(golden_error(d_u, plain_d_u), 1e-9);
  EXPECT_LE(golden_error(d_weights, flatten(parameters, *d_plain)), 1e-9);
  const std::span<double> plain_d_state = flat(d);
  EXPECT_LE((golden_error<double, double>(d_state, plain_d_state)), 1e-9);
  EXPECT_TRUE(layer.runner.guards_intact());
}

TEST_P(Mamba3Layer, TheBitsOfAStreamDoNotDependOnHowItIsCut) {
  constexpr std::size_t kTokens = 50;
  DrawnLayer<float> layer(GetParam(), kTokens);
  const auto run = [&](const std::vector<std::size_t>& cuts) {
    std::vector<float> result = layer.state, y(layer.u.size());
    for (std::size_t first = 0, i = 0; first < kTokens; ++i) {
      const std::size_t count = std::min(cuts[i % cuts.size()], kTokens - first);
      layer.runner.advance(layer.rows(std::as_const(layer.u)).slice(first, count), result,
                           layer.rows(y).slice(first, count));
      first += count;
    }
    result.insert(result.end(), y.begin(), y.end());
    return result;
  };
  const std::vector<float> whole = run({kTokens});
  EXPECT_EQ(run({1}), whole);
  EXPECT_EQ(run({1, 17, 2, 5}), whole);
}

TEST_P(Mamba3Layer, ASecondRunOnUsedMemoryGivesTheSameBits) {
  constexpr std::size_t kTokens = 37;
  DrawnLayer<float> layer(GetParam(), kTokens);
  const auto run = [&] {
    std::vector<float> y(layer.u.size()), d_u(y.size()), d_weights(layer.weights.size()), d_state = layer.d_state;
    layer.runner.clear();
    layer.runner.forward(layer.rows(layer.u), layer.state, {}, layer.rows(y));
    layer.runner.backward(layer.rows(layer.d_y), d_state, layer.rows(d_u), 1.0F, std::vector<Segment>{{3, 20}});
    layer.runner.gradients(view_of(std::span(d_weights)));
    d_weights.insert(d_weights.end(), d_u.begin(), d_u.end());
    d_weights.insert(d_weights.end(), d_state.begin(), d_state.end());
    return d_weights;
  };
  const std::vector<float> first = run();
  EXPECT_EQ(run(), first);
}

TEST_P(Mamba3Layer, EveryLengthAgreesWithItsStream) {
  for (const std::size_t tokens : {1, 2, 7, 15, 16, 17, 64, 129}) {
    DrawnLayer<double> layer(GetParam(), tokens);
    std::vector<double> y(layer.u.size()), streamed(y.size()), end(layer.state.size()), state = layer.state;
    layer.runner.forward(layer.rows(layer.u), layer.state, end, layer.rows(y));
    layer.runner.advance(layer.rows(layer.u), state, layer.rows(streamed));
    EXPECT_LE(golden_error(y, streamed), 1e-11) << tokens;
    EXPECT_LE(golden_error(end, state), 1e-9) << tokens;
    EXPECT_TRUE(layer.runner.guards_intact());
  }
}

}  // namespace
}  // namespace schemamem::test
