#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "models/baseline/mixer_runner.h"
#include "models/gated_delta_net/mixer.h"
#include "support/gated_delta_net.h"
#include "support/gated_delta_net_cases.h"
#include "support/golden.h"

namespace schemamem {
namespace {

using test::golden_error;

std::vector<double> random_values(std::size_t size, std::uint64_t index, double scale = 1.0) {
  Rng rng = Rng::stream(11, Purpose::kTest, index);
  std::vector<double> values(size);
  for (double& value : values) value = scale * rng.normal();
  return values;
}

template <class T>
View<const T, 2> rows(const Mixer<T>& mixer, const std::vector<T>& values) {
  return {values.data(), {values.size() / mixer.width(), mixer.width()}};
}
template <class T>
View<T, 2> rows(const Mixer<T>& mixer, std::vector<T>& values) {
  return {values.data(), {values.size() / mixer.width(), mixer.width()}};
}

reference::Matrix matrix(const std::vector<double>& values, std::size_t width) {
  reference::Matrix m;
  for (std::size_t t = 0; t < values.size() / width; ++t) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(t * width);
    m.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
  }
  return m;
}
std::vector<double> flat(const reference::Matrix& m) {
  std::vector<double> values;
  for (const reference::Vector& row : m) values.insert(values.end(), row.begin(), row.end());
  return values;
}

class GdnGradient : public testing::TestWithParam<test::GdnCase> {
 protected:
  GdnGradient()
      : mixer_(make_gdn_mixer<double>(GetParam().config, GetParam().choice)), weights_(mixer_->parameters().size()) {
    mixer_->initialise("ours", 5, 0, view_of(std::span(weights_)));
  }
  /// Outputs and gradients of one piece in T against the recurrent equations in double.
  template <class T>
  void compare(const Mixer<T>& mixer, std::size_t tokens, double bound, double floor = 0) const {
    const std::size_t elements = tokens * mixer.width();
    // Rounded to T first, so that the reference starts from the same numbers.
    const auto rounded = [](const std::vector<double>& values) { return std::vector<T>(values.begin(), values.end()); };
    const auto exact = [](const std::vector<T>& values) { return std::vector<double>(values.begin(), values.end()); };
    const std::vector<T> weights = rounded(weights_), u = rounded(random_values(elements, tokens)),
                         d_y = rounded(random_values(elements, 1000 + tokens));
    std::vector<T> y(u.size()), d_u(u.size()), d_weights(weights.size());
    MixerRunner<T> runner(mixer, tokens, {.poison = true, .guard = 64});
    runner.set_weights(view_of(std::span(weights)));
    runner.set_floor(floor);
    runner.forward(rows(mixer, u), {}, {}, rows(mixer, y));
    runner.backward(rows(mixer, d_y), {}, rows(mixer, d_u));
    runner.gradients(view_of(std::span(d_weights)));

    const std::vector<double> exact_weights = exact(weights);
    const reference::GatedDeltaNet reference(test::reference_weights(mixer.parameters(), exact_weights),
                                             matrix(exact(u), mixer.width()), floor);
    const auto expected = reference.gradients(matrix(exact(d_y), mixer.width()));
    EXPECT_LE(golden_error(y, flat(reference.outputs())), bound);
    EXPECT_LE(golden_error(d_u, flat(expected.u)), bound);
    EXPECT_LE(golden_error(d_weights, test::flatten(expected.weights)), bound);
    EXPECT_TRUE(runner.guards_intact());
  }
  std::unique_ptr<Mixer<double>> mixer_;
  std::vector<double> weights_;
};
INSTANTIATE_TEST_SUITE_P(, GdnGradient, testing::ValuesIn(test::every_gdn_case()), test::gdn_case_name);

TEST_P(GdnGradient, EqualsTheRecurrentEquationsAtEveryLength) {
  for (const std::size_t tokens : {1, 2, 7, 16, 33, 64, 129}) {
    SCOPED_TRACE(tokens);
    compare(*mixer_, tokens, 1e-11);
  }
}

/// The drawn betas lie around 1/2, the decays from nearly one down to 1/100: some gates of both kinds are closed.
TEST_P(GdnGradient, EqualsTheRecurrentEquationsWithAFloor) {
  for (const std::size_t tokens : {1, 17, 64}) {
    for (const double floor : {0.1, 0.5, 0.9}) {
      SCOPED_TRACE(std::to_string(tokens) + " tokens, floor " + std::to_string(floor));
      compare(*mixer_, tokens, 1e-11, floor);
    }
  }
}

TEST_P(GdnGradient, InFloatEqualsTheRecurrentEquationsUpToRounding) {
  const auto mixer = make_gdn_mixer<float>(GetParam().config, GetParam().choice);
  for (const std::size_t tokens : {7, 64}) {
    SCOPED_TRACE(tokens);
    compare(*mixer, tokens, 1e-4);
  }
}

/// A piece that starts from a state, with every part of a loss: outputs, final state, stillness.
struct Piece {
  static constexpr double kStillness = 300.0;
  std::vector<double> weights{}, u{}, state{}, d_y{}, d_state{};
  std::vector<Segment> segments{};

  struct Gradient {
    double loss = 0.0;
    std::vector<double> weights{}, u{}, state{};
  };
  Gradient gradient(const Mixer<double>& mixer) const {
    MixerRunner<double> runner(mixer, u.size() / mixer.width(), {.poison = true, .guard = 64});
    runner.set_weights(view_of(std::span(weights)));
    std::vector<double> y(u.size()), final_state(state.size());
    Gradient g{.weights = std::vector<double>(weights.size()), .u = std::vector<double>(u.size()), .state = d_state};
    runner.forward(rows(mixer, u), state, final_state, rows(mixer, y));
    g.loss = kStillness * runner.backward(rows(mixer, d_y), g.state, rows(mixer, g.u), kStillness, segments);
    for (std::size_t i = 0; i < y.size(); ++i) g.loss += y[i] * d_y[i];
    for (std::size_t i = 0; i < state.size(); ++i) g.loss += final_state[i] * d_state[i];
    runner.gradients(view_of(std::span(g.weights)));
    EXPECT_TRUE(runner.guards_intact());
    return g;
  }
  Piece moved(const Piece& direction, double by) const {
    Piece piece = *this;
    const auto move = [by](std::vector<double>& values, const std::vector<double>& along) {
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += by * along[i];
    };
    move(piece.weights, direction.weights);
    move(piece.u, direction.u);
    move(piece.state, direction.state);
    return piece;
  }
};

double along(const std::vector<double>& gradient, const std::vector<double>& direction) {
  double sum = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) sum += gradient[i] * direction[i];
  return sum;
}

double square_along(const std::vector<double>& gradient, const std::vector<double>& direction) {
  double sum = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) sum += std::pow(gradient[i] * direction[i], 2);
  return sum;
}

TEST_P(GdnGradient, OfAPieceFromAStateWithStillnessEqualsTheDifferenceQuotient) {
  constexpr std::size_t kTokens = 75;
  const std::size_t states = mixer_->state().size();
  const Piece piece{.weights = weights_,
                    .u = random_values(kTokens * mixer_->width(), 1),
                    .state = random_values(states, 2, 0.3),
                    .d_y = random_values(kTokens * mixer_->width(), 3),
                    .d_state = random_values(states, 4),
                    // From the first token, inside one chunk, over several, ending on a border, to the last token.
                    .segments = {{0, 3}, {5, 7}, {9, 10}, {14, 48}, {50, 64}, {65, 75}}};
  const Piece::Gradient gradient = piece.gradient(*mixer_);
  const std::vector<double> none_w(weights_.size()), none_u(piece.u.size()), none_s(states);
  const std::vector<Piece> directions{{.weights = random_values(weights_.size(), 5), .u = none_u, .state = none_s},
                                      {.weights = none_w, .u = random_values(none_u.size(), 6), .state = none_s},
                                      {.weights = none_w, .u = none_u, .state = random_values(states, 7)}};
  for (const Piece& direction : directions) {
    constexpr double kStep = 2e-6;
    const double ahead = piece.moved(direction, kStep).gradient(*mixer_).loss;
    const double behind = piece.moved(direction, -kStep).gradient(*mixer_).loss;
    const double expected = (ahead - behind) / (2.0 * kStep);
    const double actual = along(gradient.weights, direction.weights) + along(gradient.u, direction.u) +
                          along(gradient.state, direction.state);
    // How steep a random direction is on average: one that is nearly level has the quotient's errors all the same.
    const double steepness =
        std::sqrt(square_along(gradient.weights, direction.weights) + square_along(gradient.u, direction.u) +
                  square_along(gradient.state, direction.state));
    EXPECT_NEAR(actual, expected, 1e-6 * steepness);
  }
}

TEST_P(GdnGradient, StillnessIsTheChangeOfEachHeadsStateBesideItsSize) {
  constexpr std::size_t kTokens = 40;
  const std::vector<double> u = random_values(kTokens * mixer_->width(), 8);
  const std::vector<double> d_y(u.size(), 0.0);
  std::vector<double> y(u.size()), d_u(u.size()), state(mixer_->state().size(), 0.0);
  MixerRunner<double> runner(*mixer_, kTokens);
  runner.set_weights(view_of(std::span<const double>(weights_)));
  double expected = 0.0;
  const Segment segment{6, 29};
  std::vector<double> before;
  for (std::size_t t = 0; t < segment.end; ++t) {
    if (t == segment.begin) before = state;
    runner.advance(rows(*mixer_, u).slice(t, 1), state, rows(*mixer_, y).slice(t, 1));
  }
  const TensorSpec& recurrent = mixer_->state().find("recurrent");
  const std::size_t heads = GetParam().config.heads, elements = recurrent.size / heads;
  for (std::size_t h = 0; h < heads; ++h) {
    double change = 0.0, size = 0.0;
    for (std::size_t i = recurrent.offset + h * elements; i < recurrent.offset + (h + 1) * elements; ++i) {
      change += (state[i] - before[i]) * (state[i] - before[i]) / static_cast<double>(elements);
      size += before[i] * before[i] / static_cast<double>(elements);
    }
    expected += change / (size + 1e-6) / static_cast<double>(heads);
  }
  runner.forward(rows(*mixer_, u), {}, {}, rows(*mixer_, y));
  EXPECT_NEAR(runner.backward(rows(*mixer_, d_y), {}, rows(*mixer_, d_u), 0.1, std::span(&segment, 1)), expected,
              1e-12 * expected);
}

}  // namespace
}  // namespace schemamem
