#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/kernel_case.h"
#include "kernels/phasor.h"
#include "kernels/reference/operations.h"
#include "kernels/rms_norm.h"
#include "kernels/swiglu.h"

namespace schemamem::SCHEMAMEM_ISA {
namespace {

using reference::Matrix;
using reference::operator+;
using reference::operator+=;
using test::distance;
using test::Guarded;
using test::random_rows;
using test::random_values;
using test::to_matrix;

/// A handful of operations on each entry, each off by at most a rounding, with the errors of vector_math.h.
template <class T>
constexpr double kTolerance = 20.0 * std::numeric_limits<T>::epsilon();

template <class T>
class Pointwise : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Pointwise, Scalars);

template <class T>
std::vector<std::size_t> widths() {
  return {1, 3, kLanes<T>, 2 * kLanes<T> + 3, 32};
}

TYPED_TEST(Pointwise, RmsNormForwardAndBackwardAreTheEquations) {
  using T = TypeParam;
  for (const std::size_t width : widths<T>()) {
    for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{2 * kLanes<T> + 1}}) {
      const std::size_t padded = round_up_to_lanes<T>(width);
      const std::vector<T> x = random_rows<T>(rows, width, padded, 1), d_y = random_rows<T>(rows, width, padded, 2);
      const std::vector<T> gain = random_rows<T>(1, width, padded, 3);
      const std::vector<T> d_x_start = random_rows<T>(rows, width, padded, 4);
      const std::vector<T> d_gain_start = random_rows<T>(1, width, padded, 5);
      Guarded<T> y(x.size()), inverse(rows), d_x(d_x_start), d_gain(d_gain_start);

      rms_norm_forward<T>(x.data(), gain.data(), y.data(), inverse.data(), rows, width, padded, T(1e-6));
      rms_norm_backward<T>(x.data(), gain.data(), inverse.data(), d_y.data(), d_x.data(), d_gain.data(), rows, width,
                           padded);

      const Matrix exact_x = to_matrix(x, rows, width, padded), exact_gain = to_matrix(gain, 1, width, padded);
      Matrix exact_d_gain = to_matrix(d_gain_start, 1, width, padded);
      const Matrix exact_d_x =
          to_matrix(d_x_start, rows, width, padded) +
          reference::rms_norm_backward(exact_x, exact_gain, to_matrix(d_y, rows, width, padded), exact_d_gain);
      // The row sums and the sum over rows add a rounding a term.
      const double bound = kTolerance<T> + static_cast<double>(rows) * std::numeric_limits<T>::epsilon();
      EXPECT_LE(distance(to_matrix(y, rows, width, padded), reference::rms_norm(exact_x, exact_gain)), bound);
      // d_x is a difference of terms of size 1 / rms: its error is theirs, also where little is left of them.
      const double terms = *std::max_element(inverse.data(), inverse.data() + rows);
      EXPECT_LE(distance(to_matrix(d_x, rows, width, padded), exact_d_x, terms), bound) << width << ", " << rows;
      EXPECT_LE(distance(to_matrix(d_gain, 1, width, padded), exact_d_gain), bound) << width << ", " << rows;
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_TRUE(i % padded < width || y[i] == T(0)) << "padding";
      }
      EXPECT_TRUE(y.intact() && inverse.intact() && d_x.intact() && d_gain.intact());
    }
  }
}

TYPED_TEST(Pointwise, RmsNormOfARowHasTheSameBitsAloneAndAmongOthers) {
  using T = TypeParam;
  const std::size_t rows = 2 * kLanes<T> + 1, width = 3 * kLanes<T>;
  const std::vector<T> x = random_values<T>(rows * width, 6), gain = random_values<T>(width, 7);
  std::vector<T> together(x.size()), alone(x.size()), inverse(rows);
  rms_norm_forward<T>(x.data(), gain.data(), together.data(), inverse.data(), rows, width, width, T(1e-6));
  for (std::size_t t = 0; t < rows; ++t) {
    rms_norm_forward<T>(&x[t * width], gain.data(), &alone[t * width], inverse.data(), 1, width, width, T(1e-6));
  }
  EXPECT_EQ(alone, together);
}

TYPED_TEST(Pointwise, RmsNormOfZerosIsZero) {
  using T = TypeParam;
  const std::size_t width = 2 * kLanes<T>;
  const std::vector<T> x(width, T(0)), gain(width, T(1));
  Guarded<T> y(width), inverse(1);
  rms_norm_forward<T>(x.data(), gain.data(), y.data(), inverse.data(), 1, width, width, T(1e-6));
  EXPECT_EQ(y.values(), x);
  EXPECT_NEAR(inverse[0], 1e3, 1e3 * kTolerance<T>);
}

TYPED_TEST(Pointwise, SwigluForwardAndBackwardAreTheEquations) {
  using T = TypeParam;
  for (const std::size_t vectors : {1, 2, 3}) {
    const std::size_t hidden = vectors * kLanes<T>, rows = 5;
    const std::vector<T> gate_up = random_values<T>(rows * 2 * hidden, 8, 3),
                         d_act = random_values<T>(rows * hidden, 9);
    Guarded<T> act(rows * hidden), d_gate_up(gate_up.size());

    swiglu_forward<T>(gate_up.data(), act.data(), rows, hidden);
    swiglu_backward<T>(gate_up.data(), d_act.data(), d_gate_up.data(), rows, hidden);

    const Matrix both = to_matrix(gate_up, rows, 2 * hidden, 2 * hidden),
                 upstream = to_matrix(d_act, rows, hidden, hidden);
    const Matrix gate = reference::columns(both, 0, hidden), up = reference::columns(both, hidden, hidden);
    const auto forward = [](double g, double u) { return reference::silu(g) * u; };
    const auto d_gate = [](double e, double g, double u) { return e * u * reference::d_silu(g); };
    const auto d_up = [](double e, double g) { return e * reference::silu(g); };
    const Matrix found = to_matrix(d_gate_up, rows, 2 * hidden, 2 * hidden);
    EXPECT_LE(distance(to_matrix(act, rows, hidden, hidden), reference::each(forward, gate, up)), kTolerance<T>);
    EXPECT_LE(distance(reference::columns(found, 0, hidden), reference::each(d_gate, upstream, gate, up)),
              kTolerance<T>);
    EXPECT_LE(distance(reference::columns(found, hidden, hidden), reference::each(d_up, upstream, gate)),
              kTolerance<T>);
    EXPECT_TRUE(act.intact() && d_gate_up.intact());
  }
}

TYPED_TEST(Pointwise, SwigluOfHugeGatesIsTheIdentityOrZeroAndNeverNan) {
  using T = TypeParam;
  const std::size_t hidden = kLanes<T>;
  std::vector<T> gate_up(2 * hidden, T(2)), d_act(hidden, T(1));
  for (const T gate : {T(1e4), T(-1e4)}) {
    std::fill_n(gate_up.begin(), hidden, gate);
    std::vector<T> act(hidden), d_gate_up(2 * hidden);
    swiglu_forward<T>(gate_up.data(), act.data(), 1, hidden);
    swiglu_backward<T>(gate_up.data(), d_act.data(), d_gate_up.data(), 1, hidden);
    EXPECT_NEAR(act[0], gate > 0 ? 2e4 : 0, 1e-2 * kTolerance<T>);
    EXPECT_NEAR(d_gate_up[0], gate > 0 ? 2 : 0, kTolerance<T>);
    EXPECT_NEAR(d_gate_up[hidden], gate > 0 ? 1e4 : 0, 1e-2 * kTolerance<T>);
  }
}

TYPED_TEST(Pointwise, PhasorFeaturesAreCosineAndSineOfSchemaPlusState) {
  using T = TypeParam;
  const std::size_t slots = 7, width = 3 * kLanes<T>;
  const std::vector<T> schema = random_values<T>(slots * width, 10, 3), state = random_values<T>(slots * width, 11, 3);
  for (const T* const given : {static_cast<const T*>(nullptr), state.data()}) {
    Guarded<T> features(slots * 2 * width);
    phasor_features<T>(schema.data(), given, features.data(), slots, width);
    Matrix theta = to_matrix(schema, slots, width, width);
    if (given != nullptr) theta += to_matrix(state, slots, width, width);
    // The sum is rounded to T: an error of the angle.
    EXPECT_LE(distance(to_matrix(features, slots, 2 * width, 2 * width), reference::phasor(theta)),
              16 * std::numeric_limits<T>::epsilon());
    EXPECT_TRUE(features.intact());
  }
}

TYPED_TEST(Pointwise, PhasorBackwardAddsToSchemaAndStateAlike) {
  using T = TypeParam;
  const std::size_t slots = 5, width = 2 * kLanes<T>;
  const std::vector<T> theta = random_values<T>(slots * width, 12, 3);
  const std::vector<T> d_features = random_values<T>(slots * 2 * width, 13);
  const std::vector<T> start = random_values<T>(slots * width, 14);
  std::vector<T> features(slots * 2 * width);
  phasor_features<T>(theta.data(), nullptr, features.data(), slots, width);
  const Matrix expected = to_matrix(start, slots, width, width) +
                          reference::phasor_backward(to_matrix(theta, slots, width, width),
                                                     to_matrix(d_features, slots, 2 * width, 2 * width));
  for (const bool with_state : {false, true}) {
    Guarded<T> d_schema(start), d_state(start);
    phasor_backward<T>(features.data(), d_features.data(), d_schema.data(), with_state ? d_state.data() : nullptr,
                       slots, width);
    EXPECT_LE(distance(to_matrix(d_schema, slots, width, width), expected), kTolerance<T>);
    EXPECT_EQ(d_state.values(), with_state ? d_schema.values() : start);
    EXPECT_TRUE(d_schema.intact() && d_state.intact());
  }
}

TYPED_TEST(Pointwise, ACommitWrapsTheSumIntoOneTurn) {
  using T = TypeParam;
  const double turn = 2 * std::numbers::pi;
  std::vector<double> states, increments;
  const auto add = [&](double state, double increment) {
    states.push_back(state);
    increments.push_back(increment);
  };
  add(0, 0);
  add(0, turn), add(turn, 0), add(turn, turn), add(turn, -turn), add(0, -turn);
  add(0, std::numbers::pi), add(0, -std::numbers::pi), add(std::numbers::pi, std::numbers::pi);
  add(1, -1), add(1, -1 - 1e-6), add(0, -1e-20), add(0, -1e-30), add(0, 1e-30), add(3, 1e-9);
  for (const double many : {10.0, 1e3, 1e4}) add(1.25, many * turn), add(1.25, -many * turn), add(6.2, many);
  for (const double value : random_values<double>(200, 15, 20)) add(std::fmod(std::abs(value), turn), 2 * value);
  while (states.size() % kLanes<T> != 0) add(1, 1);
  std::vector<T> increment(increments.begin(), increments.end());
  const std::vector<T> start(states.begin(), states.end());
  Guarded<T> state(start);

  commit_phases<T>(state.data(), increment.data(), state.size());

  for (std::size_t i = 0; i < state.size(); ++i) {
    const long double sum = static_cast<long double>(start[i]) + static_cast<long double>(increment[i]);
    const long double off = std::remainder(static_cast<long double>(state[i]) - sum, 6.283185307179586476925287L);
    // One rounding to T, and in double a few of the size of the sum.
    const long double bound = 4 * std::numeric_limits<T>::epsilon() + 4e-16L * (1 + std::abs(sum));
    EXPECT_LE(std::abs(off), bound) << start[i] << " + " << increment[i] << " gave " << state[i];
    EXPECT_GE(state[i], T(0));
    EXPECT_LE(state[i], static_cast<T>(turn));  // rounding may give exactly this
  }
  EXPECT_TRUE(state.intact());
}

TYPED_TEST(Pointwise, CommitsOntoPlacesTakeTheNearestAndLieBelowATurn) {
  using T = TypeParam;
  const double turn = 6.283185307179586;
  for (const double phases : {2.0, 7.0, 64.0, 65536.0}) {
    std::vector<T> increment;
    std::vector<double> sums;  // in places
    for (const double value : random_values<double>(256, 16, 3 * phases)) {
      const double off_tie = std::floor(value) + 0.4 * std::remainder(value, 1.0);  // at most 0.2 from a place
      sums.push_back(off_tie);
      increment.push_back(static_cast<T>(off_tie * turn / phases));
    }
    Guarded<T> state(std::vector<T>(increment.size(), T(0)));

    commit_places<T>(state.data(), increment.data(), state.size(), phases);
    const std::vector<T> once(state.data(), state.data() + state.size());
    for (std::size_t i = 0; i < once.size(); ++i) {
      const double place = std::nearbyint(sums[i]);
      const double expected = place - phases * std::floor(place / phases);
      ASSERT_EQ(once[i], static_cast<T>(expected * (turn / phases))) << sums[i] << " of " << phases;
      ASSERT_LT(once[i], static_cast<T>(turn));
    }
    // What is smaller than half a step changes nothing, however often.
    for (T& small : increment) small = static_cast<T>(0.4 * turn / phases);
    for (int k = 0; k < 3; ++k) commit_places<T>(state.data(), increment.data(), state.size(), phases);
    EXPECT_TRUE(std::equal(once.begin(), once.end(), state.data()));
    EXPECT_TRUE(state.intact());
  }
}

TYPED_TEST(Pointwise, NumbersBelowTheFloorAreDroppedAndTheirGradientsToo) {
  using T = TypeParam;
  constexpr T kFloor = T(0.25);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> start{T(0),
                       -T(0),
                       kFloor,
                       -kFloor,
                       std::nextafter(kFloor, T(0)),
                       -std::nextafter(kFloor, T(0)),
                       T(1),
                       T(-1),
                       std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::denorm_min()};
  for (const T value : random_values<T>(54, 3, 0.3)) start.push_back(value);
  while (start.size() % kLanes<T> != 0) start.push_back(0);
  Guarded<T> kept(start);
  drop_below<T>(kFloor, kept.data(), kept.size());
  Guarded<T> gradient(std::vector<T>(start.size(), nan));
  keep_where<T>(kept.data(), gradient.data(), gradient.size());
  for (std::size_t i = 0; i < start.size(); ++i) {
    const bool dropped = std::abs(start[i]) < kFloor;
    EXPECT_EQ(kept[i], dropped ? T(0) : start[i]);
    EXPECT_EQ(std::isnan(gradient[i]), !dropped) << start[i];
  }
  EXPECT_TRUE(kept.intact() && gradient.intact());
  std::vector<T> broken(kLanes<T>, nan);
  drop_below<T>(kFloor, broken.data(), broken.size());
  EXPECT_TRUE(std::isnan(broken[0])) << "a fault is never hidden";
}

TYPED_TEST(Pointwise, ACommitCanGiveExactlyTwoPi) {
  using T = TypeParam;
  std::vector<T> state(kLanes<T>, T(0));
  const std::vector<T> increment(kLanes<T>, T(-1e-20));
  commit_phases<T>(state.data(), increment.data(), state.size());
  EXPECT_EQ(state[0], static_cast<T>(2 * std::numbers::pi));
}

}  // namespace
}  // namespace schemamem::SCHEMAMEM_ISA
