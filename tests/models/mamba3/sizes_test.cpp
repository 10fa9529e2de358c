#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "models/mamba3/drawn_layer.h"

namespace schemamem::test {
namespace {

class Mamba3Sizes : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, Mamba3Sizes, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

/// Among them: fewer angles, gates and rows of in_proj than fill their last vector, one to three heads in a group,
/// values wider than keys and keys wider than values, and the published sizes with another number of groups.
const std::vector<Mamba3Config> kSizes{{.width = 16, .heads = 1, .head_dim = 16, .state = 16, .groups = 1},
                                       {.width = 48, .heads = 2, .head_dim = 32, .state = 48, .groups = 1},
                                       {.width = 64, .heads = 6, .head_dim = 16, .state = 96, .groups = 3},
                                       {.width = 16, .heads = 6, .head_dim = 32, .state = 16, .groups = 2},
                                       {.width = 48, .heads = 3, .head_dim = 48, .state = 32, .groups = 1},
                                       {.width = 32, .heads = 4, .head_dim = 16, .state = 80, .groups = 4}};
/// The most heads in a group and the widest value.
const std::vector<Mamba3Config> kLimits{{.width = 16, .heads = 64, .head_dim = 16, .state = 16, .groups = 1},
                                        {.width = 16, .heads = 1, .head_dim = 256, .state = 16, .groups = 1}};

std::string text(const Mamba3Config& c, std::size_t tokens) {
  std::string all;
  for (const std::size_t number : {c.width, c.heads, c.head_dim, c.state, c.groups, tokens}) {
    all += std::to_string(number) + " ";
  }
  return all;
}

/// The errors of a flat buffer, tensor by tensor, against the plain one.
template <class T>
void expect_tensors(const Layout& layout, const std::vector<T>& found, const std::vector<double>& expected,
                    double bound) {
  for (const TensorSpec& tensor : layout.tensors()) {
    EXPECT_LE(golden_error(std::span<const T>(found).subspan(tensor.offset, tensor.size),
                           std::span<const double>(expected).subspan(tensor.offset, tensor.size)),
              bound)
        << tensor.name;
  }
}
template <class T>
void expect_state(const Layout& layout, std::vector<T> found, std::vector<double> expected) {
  const std::size_t angles = layout.find("angle").size;
  EXPECT_LE(circle_error(std::span<const T>(found).first(angles), std::span<const double>(expected).first(angles)),
            Bounds<T>::angle);
  std::fill_n(found.begin(), angles, T(0));
  std::fill_n(expected.begin(), angles, 0.0);
  expect_tensors(layout, found, expected, Bounds<T>::state);
}

template <class T>
void expect_plain_recurrence(const Mamba3Config& config, Isa isa, std::size_t tokens) {
  SCOPED_TRACE(text(config, tokens));
  constexpr T kStillness = 50;
  const std::vector<Segment> segments = segments_within(tokens);
  DrawnLayer<T> layer(config, isa, tokens);
  const Piece<T> fast = layer.run(kStillness, segments);
  const Piece<double> plain = plain_run(layer, kStillness, segments);
  EXPECT_LE(golden_error(fast.y, plain.y), Bounds<T>::output);
  expect_state(layer.mixer->state(), fast.end, plain.end);
  EXPECT_LE(golden_error(fast.d_u, plain.d_u), Bounds<T>::gradient);
  expect_tensors(layer.mixer->parameters(), fast.d_weights, plain.d_weights, Bounds<T>::gradient);
  expect_tensors(layer.mixer->state(), fast.d_state, plain.d_state, Bounds<T>::gradient);
  EXPECT_NEAR(fast.stillness, plain.stillness, Bounds<T>::gradient * plain.stillness);
  EXPECT_TRUE(layer.runner.guards_intact());
}

TEST_P(Mamba3Sizes, ValuesStatesAndGradientsAreThoseOfThePlainRecurrence) {
  for (const Mamba3Config& config : kSizes) {
    for (const std::size_t tokens : {1, 2, 7, 64, 129}) {
      expect_plain_recurrence<double>(config, GetParam(), tokens);
      expect_plain_recurrence<float>(config, GetParam(), tokens);
    }
  }
  for (const Mamba3Config& config : kLimits) expect_plain_recurrence<double>(config, GetParam(), 19);
}

TEST_P(Mamba3Sizes, GradientsAreTheSlopesOfTheLoss) {
  constexpr std::size_t kTokens = 37;
  constexpr double kStillness = 3, kStep = 1e-6;
  const std::vector<Segment> segments = segments_within(kTokens);
  for (const Mamba3Config& config : kSizes) {
    SCOPED_TRACE(text(config, kTokens));
    DrawnLayer<double> layer(config, GetParam(), kTokens);
    const Piece<double> at = layer.run(kStillness, segments);
    const auto loss = [&] {
      const Piece<double> piece = layer.run(kStillness, segments);
      return std::inner_product(piece.y.begin(), piece.y.end(), layer.d_y.begin(), 0.0) +
             std::inner_product(piece.end.begin(), piece.end.end(), layer.d_state.begin(), 0.0) +
             kStillness * piece.stillness;
    };
    const auto expect_slope = [&](const char* what, std::vector<double>& values, const std::vector<double>& gradient) {
      Rng rng = Rng::stream(9, Purpose::kTest, 2);
      const std::vector<double> centre = values;
      std::vector<double> direction(values.size());
      for (double& entry : direction) entry = rng.normal();
      const auto moved = [&](double step) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = centre[i] + step * direction[i];
        return loss();
      };
      const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      values = centre;
      // Along a random direction the slope is about as large as the gradient is long.
      const double length = std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
      EXPECT_NEAR(slope, std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0), 1e-6 * length)
          << what;
    };
    expect_slope("weights", layer.weights, at.d_weights);
    expect_slope("inputs", layer.u, at.d_u);
    expect_slope("state", layer.state, at.d_state);
  }
}

template <class T>
void expect_plain_stream(const Mamba3Config& config, Isa isa, std::size_t tokens) {
  SCOPED_TRACE(text(config, tokens));
  DrawnLayer<T> layer(config, isa, tokens);
  const std::vector<T> streamed = layer.stream({tokens});
  EXPECT_EQ(layer.stream({1}), streamed);
  EXPECT_EQ(layer.stream({1, 17, 2, 5}), streamed);
  const Piece<double> plain = plain_run(layer);
  const auto outputs = streamed.begin() + static_cast<std::ptrdiff_t>(plain.y.size());
  EXPECT_LE(golden_error(std::vector<T>(streamed.begin(), outputs), plain.y), Bounds<T>::output);
  expect_state(layer.mixer->state(), std::vector<T>(outputs, streamed.end()), plain.end);
  EXPECT_TRUE(layer.runner.guards_intact());
}

TEST_P(Mamba3Sizes, AStreamGivesWhatThePlainRecurrenceGivesHoweverItIsCut) {
  for (const Mamba3Config& config : kSizes) {
    for (const std::size_t tokens : {1, 2, 7, 64, 129}) {
      expect_plain_stream<double>(config, GetParam(), tokens);
      expect_plain_stream<float>(config, GetParam(), tokens);
    }
  }
}

template <class T>
void expect_same_bits(Isa isa, std::size_t tokens) {
  SCOPED_TRACE(text({}, tokens));
  DrawnLayer<T> published({}, isa, tokens), general({}, isa, tokens, true);
  const std::vector<Segment> segments = segments_within(tokens);
  const Piece<T> expected = published.run(T(2), segments), found = general.run(T(2), segments);
  EXPECT_EQ(found.y, expected.y);
  EXPECT_EQ(found.end, expected.end);
  EXPECT_EQ(found.d_u, expected.d_u);
  EXPECT_EQ(found.d_weights, expected.d_weights);
  EXPECT_EQ(found.d_state, expected.d_state);
  EXPECT_EQ(found.stillness, expected.stillness);
  EXPECT_EQ(general.stream({3, 20}), published.stream({3, 20}));
}

TEST_P(Mamba3Sizes, TheGeneralPathGivesTheBitsOfThePublishedOne) {
  for (const std::size_t tokens : {1, 7, 64, 129}) {
    expect_same_bits<float>(GetParam(), tokens);
    expect_same_bits<double>(GetParam(), tokens);
  }
}

TEST_P(Mamba3Sizes, TheGeneralPathPassesThePublishedVectors) {
  for (const char* name : {"mamba3/t7", "mamba3/t24_tiny", "mamba3/t96_floor", "mamba3/carry_t140_s37"}) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_mamba3_mixer<double>({}, GetParam(), true)).one_shot();
    LayerCase<double>(name, make_mamba3_mixer<double>({}, GetParam(), true)).streamed({1, 17, 3});
    LayerCase<float>(name, make_mamba3_mixer<float>({}, GetParam(), true)).one_shot();
    LayerCase<float>(name, make_mamba3_mixer<float>({}, GetParam(), true)).streamed({1});
  }
  LayerCase<double>("mamba3/carry_t140_s37", make_mamba3_mixer<double>({}, GetParam(), true)).carried();
  LayerCase<float>("mamba3/carry_t140_s37", make_mamba3_mixer<float>({}, GetParam(), true)).carried();
}

TEST(Mamba3Initialisation, FollowsTheWidthTheInnerWidthAndTheNumberOfLayers) {
  const Mamba3Config config{.layers = 5, .width = 48, .heads = 2, .head_dim = 32, .state = 48, .groups = 1};
  const auto mixer = make_mamba3_mixer<double>(config, best_isa());
  std::vector<double> weights(mixer->parameters().size());
  mixer->initialise("paper", 5, 0, view_of(std::span(weights)));
  const auto largest = [&](const char* name) {
    double most = 0;
    for (const double w : mixer->parameters().in(view_of(std::span(weights)), name)) most = std::max(most, std::abs(w));
    return most;
  };
  const double in = 1 / std::sqrt(48.0), out = 1 / std::sqrt(64.0 * 5);
  EXPECT_LE(largest("in_proj.weight"), in);
  EXPECT_GT(largest("in_proj.weight"), 0.98 * in);
  EXPECT_LE(largest("out_proj.weight"), out);
  EXPECT_GT(largest("out_proj.weight"), 0.98 * out);
}

}  // namespace
}  // namespace schemamem::test
