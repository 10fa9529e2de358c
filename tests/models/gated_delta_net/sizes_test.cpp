#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "models/baseline/mixer_runner.h"
#include "models/gated_delta_net/mixer.h"
#include "models/gated_delta_net/model.h"
#include "support/gated_delta_net_cases.h"
#include "support/golden.h"

namespace schemamem {
namespace {

using test::golden_error;
using testing::HasSubstr;

template <class T>
std::vector<T> random_values(std::size_t size, std::uint64_t index, double scale = 1.0) {
  Rng rng = Rng::stream(13, Purpose::kTest, index);
  std::vector<T> values(size);
  for (T& value : values) value = static_cast<T>(scale * rng.normal());
  return values;
}

/// One mixer with drawn weights and a piece of input.
template <class T>
class Layer {
 public:
  Layer(const GatedDeltaNetConfig& config, EngineChoice choice, std::size_t tokens)
      : mixer_(make_gdn_mixer<T>(config, choice)),
        runner_(*mixer_, tokens, {.poison = true, .guard = 64}),
        u_(random_values<T>(tokens * config.width, 1)),
        tokens_(tokens) {
    std::vector<T> weights(mixer_->parameters().size());
    mixer_->initialise("ours", 5, 0, view_of(std::span(weights)));
    runner_.set_weights(view_of(std::span<const T>(weights)));
  }

  struct Outcome {
    std::vector<T> y, state;
    friend bool operator==(const Outcome&, const Outcome&) = default;
  };
  /// From the empty state, the forward pass in pieces that end at `ends`.
  Outcome forward(const std::vector<std::size_t>& ends) {
    return run(ends, [&](View<const T, 2> u, std::vector<T>& state, View<T, 2> y) {
      const std::vector<T> before = state;
      runner_.forward(u, before, state, y);
    });
  }
  Outcome stream(const std::vector<std::size_t>& ends) {
    return run(ends, [&](View<const T, 2> u, std::vector<T>& state, View<T, 2> y) { runner_.advance(u, state, y); });
  }
  /// Everything that backward gives for a piece from a state: gradients of inputs, weights and state, and stillness.
  std::vector<T> backward() {
    std::vector<T> y(u_.size()), d_u(u_.size()), d_weights(mixer_->parameters().size());
    std::vector<T> state = random_values<T>(mixer_->state().size(), 2, 0.3);
    std::vector<T> d_state = random_values<T>(state.size(), 3);
    const std::vector<T> d_y = random_values<T>(u_.size(), 4);
    const std::vector<Segment> segments{{0, 3}, {5, 20}, {21, tokens_}};
    runner_.clear();
    runner_.forward(rows(std::as_const(u_), 0, tokens_), state, state, rows(y, 0, tokens_));
    const T still = runner_.backward(rows(d_y, 0, tokens_), d_state, rows(d_u, 0, tokens_), T(0.5), segments);
    runner_.gradients(view_of(std::span(d_weights)));
    d_u.push_back(still);
    for (const std::vector<T>& more : {d_weights, d_state, y, state}) d_u.insert(d_u.end(), more.begin(), more.end());
    return d_u;
  }
  bool guards_intact() const { return runner_.guards_intact(); }

 private:
  template <class Step>
  Outcome run(const std::vector<std::size_t>& ends, const Step& step) {
    Outcome outcome{.y = std::vector<T>(u_.size()), .state = std::vector<T>(mixer_->state().size(), T(0))};
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      step(rows(std::as_const(u_), begin, end), outcome.state, rows(outcome.y, begin, end));
      begin = end;
    }
    return outcome;
  }
  template <class Values>
  auto rows(Values& values, std::size_t begin, std::size_t end) const {
    using Element = std::remove_reference_t<decltype(values[0])>;
    return View<Element, 2>(values.data() + begin * mixer_->width(), {end - begin, mixer_->width()});
  }

  std::unique_ptr<Mixer<T>> mixer_;
  MixerRunner<T> runner_;
  std::vector<T> u_;
  std::size_t tokens_;
};

class GdnSizes : public testing::TestWithParam<test::GdnCase> {};
INSTANTIATE_TEST_SUITE_P(, GdnSizes, testing::ValuesIn(test::every_gdn_case()), test::gdn_case_name);

TEST_P(GdnSizes, APieceFromTheStateOfTheOneBeforeContinuesTheSequence) {
  Layer<double> layer(GetParam().config, GetParam().choice, 60);
  const auto whole = layer.forward({60});
  for (const std::vector<std::size_t>& ends : {std::vector<std::size_t>{1, 60}, {2, 3, 20, 60}, {16, 48, 60}}) {
    const auto pieces = layer.forward(ends);
    EXPECT_LE(golden_error(pieces.y, whole.y), 1e-11);
    EXPECT_LE(golden_error(pieces.state, whole.state), 1e-11);
  }
  EXPECT_TRUE(layer.guards_intact());
}

TEST_P(GdnSizes, AStreamGivesTheOutputsAndTheStateOfTheForwardPass) {
  Layer<double> layer(GetParam().config, GetParam().choice, 60);
  const auto whole = layer.forward({60}), streamed = layer.stream({60});
  EXPECT_LE(golden_error(streamed.y, whole.y), 1e-11);
  EXPECT_LE(golden_error(streamed.state, whole.state), 1e-11);
  Layer<float> rounded(GetParam().config, GetParam().choice, 60);
  const auto one_call = rounded.stream({60});
  EXPECT_EQ(rounded.stream({1, 2, 19, 60}), one_call);
  EXPECT_LE(golden_error(one_call.y, rounded.forward({60}).y), 2e-5);
  EXPECT_TRUE(layer.guards_intact() && rounded.guards_intact());
}

/// Tiles add up each element in one order whatever their shape, so both paths are the same arithmetic.
TEST(GdnGeneralPath, GivesTheBitsOfThePublishedOneAtThePublishedSizes) {
  for (const Isa isa : available_isas()) {
    SCOPED_TRACE(isa_name(isa));
    Layer<float> fixed({}, {.isa = isa}, 50), general({}, {.isa = isa, .general = true}, 50);
    EXPECT_EQ(general.forward({7, 50}), fixed.forward({7, 50}));
    EXPECT_EQ(general.stream({50}), fixed.stream({50}));
    EXPECT_EQ(general.backward(), fixed.backward());
    Layer<double> fixed_double({}, {.isa = isa}, 50), general_double({}, {.isa = isa, .general = true}, 50);
    EXPECT_EQ(general_double.backward(), fixed_double.backward());
  }
}

std::string refusal(const GatedDeltaNetConfig& config) {
  try {
    make_gated_delta_net<float>(config);
  } catch (const ContractViolation& problem) {
    return problem.what();
  }
  return "made";
}

TEST(GdnConfig, NamesTheSizeThatIsOutOfItsRange) {
  EXPECT_THAT(refusal({.width = 20}), HasSubstr("width is 20; expected a multiple of 16 from 16 to 4096"));
  EXPECT_THAT(refusal({.width = 0}), HasSubstr("width is 0; expected a multiple of 16"));
  EXPECT_THAT(refusal({.width = 4'112}), HasSubstr("width is 4112; expected a multiple of 16"));
  EXPECT_THAT(refusal({.heads = 0}), HasSubstr("heads is 0; expected a whole number from 1 to 64"));
  EXPECT_THAT(refusal({.heads = 65}), HasSubstr("heads is 65; expected a whole number from 1 to 64"));
  EXPECT_THAT(refusal({.head_dim = 40}), HasSubstr("head_dim is 40; expected a multiple of 16 from 16 to 256"));
  EXPECT_THAT(refusal({.head_dim = 272}), HasSubstr("head_dim is 272; expected a multiple of 16 from 16 to 256"));
  EXPECT_THAT(refusal({.hidden = 8}), HasSubstr("hidden is 8; expected a multiple of 16 from 16 to 65536"));
  EXPECT_THAT(refusal({.layers = 0}), HasSubstr("layers is 0; expected a whole number from 1 to 256"));
  EXPECT_EQ(refusal({.layers = 1, .width = 16, .heads = 64, .head_dim = 256, .hidden = 16}), "made");
}

TEST(GdnConfig, CountsParametersAndStateByItsSizes) {
  const GatedDeltaNetConfig c{
      .inputs = 5, .outputs = 2, .layers = 2, .width = 48, .heads = 3, .head_dim = 32, .hidden = 80};
  const auto model = make_gated_delta_net<float>(c);
  const std::size_t inner = c.heads * c.head_dim;
  const std::size_t mixer = 5 * inner * c.width + 2 * c.heads * c.width + 3 * 4 * inner + 2 * c.heads + c.head_dim;
  const std::size_t layer = 2 * c.width + mixer + 3 * c.width * c.hidden;
  EXPECT_EQ(model->parameters().size(), (c.inputs + 1) * c.width + 2 * layer + c.width + c.width * c.outputs);
  EXPECT_EQ(model->state().size(), 2 * (c.heads * c.head_dim * c.head_dim + 3 * 4 * inner));
  EXPECT_EQ(model->parameters().find("layers.1.mixer.o_norm.weight").shape, std::vector<std::size_t>{32});
  EXPECT_EQ(model->parameters().find("layers.0.mlp.w_down").shape, (std::vector<std::size_t>{80, 48}));
}

}  // namespace
}  // namespace schemamem
