#include "kernels/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.h"

// The bounds are those that kernels/vector_math.h states, against long double.

namespace schemamem::SCHEMAMEM_ISA {
namespace {

template <class T>
constexpr bool kIsFloat = sizeof(T) == 4;
template <class T>
constexpr T kInfinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
/// What a range reduction costs without a fused multiply-add, for each unit of |x|.
template <class T>
const long double kUnfused = kThisIsa == Isa::kScalar || kThisIsa == Isa::kBaseline
                                 ? std::numeric_limits<T>::epsilon() / 2.0L
                                 : 0.0L;

template <class T, class Function>
std::vector<T> mapped(std::vector<T> x, const Function& function) {
  const std::size_t count = x.size();
  x.resize(round_up_to_lanes<T>(count));
  for (std::size_t i = 0; i < x.size(); i += kLanes<T>) store<T>(&x[i], function(load<T>(&x[i])));
  x.resize(count);
  return x;
}
template <class T, class Function>
T mapped_one(T x, const Function& function) {
  return mapped<T>({x}, function)[0];
}

/// An even grid over [-limit, limit], random points between, and random points of every magnitude.
template <class T>
std::vector<T> points(double limit) {
  constexpr int kCount = 40'000;
  std::vector<T> x;
  Rng rng = Rng::stream(1, Purpose::kTest, static_cast<std::uint64_t>(limit));
  for (int i = 0; i <= kCount; ++i) {
    x.push_back(static_cast<T>(limit * (2.0 * i / kCount - 1.0)));
    x.push_back(static_cast<T>(limit * (2.0 * rng.uniform() - 1.0)));
    const double small = limit * std::exp2(-60.0 * rng.uniform());
    x.push_back(static_cast<T>(i % 2 == 0 ? small : -small));
  }
  return x;
}

/// Checks |found - exact| <= relative |exact| + absolute, `relative` a function of x.
template <class T, class Function, class Exact, class Relative>
void expect_close(double limit, const Function& function, const Exact& exact, const Relative& relative,
                  long double absolute) {
  const std::vector<T> x = points<T>(limit);
  const std::vector<T> found = mapped(x, function);
  long double worst = -1;
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double expected = exact(static_cast<long double>(x[i]));
    const long double bound = relative(std::abs(static_cast<long double>(x[i]))) * std::abs(expected) + absolute;
    const long double ratio = std::abs(found[i] - expected) / bound;
    if (!(ratio <= worst)) worst = ratio, at = i;
  }
  EXPECT_LE(worst, 1) << "at " << x[at] << ": " << found[at] << " instead of "
                      << exact(static_cast<long double>(x[at]));
}

template <class T>
class VectorMath : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(VectorMath, Scalars);

TYPED_TEST(VectorMath, PowersOfTwoKeepTheirRelativeError) {
  using T = TypeParam;
  const auto exact = [](long double x) { return std::exp2(x); };
  const auto relative = [](long double) { return kIsFloat<T> ? 2.5e-7L : 3e-16L; };
  expect_close<T>(
      kIsFloat<T> ? 125 : 1021, [](Vec<T> x) { return exp2_bounded<T>(x); }, exact, relative, 0);
  expect_close<T>(
      kIsFloat<T> ? 126 : 1022, [](Vec<T> x) { return exp2_clamped<T>(x); }, exact, relative, 0);
}

TYPED_TEST(VectorMath, WholePowersOfTwoAreExact) {
  using T = TypeParam;
  for (int n = -100; n <= 100; ++n) {
    EXPECT_EQ(mapped_one<T>(T(n), [](Vec<T> x) { return exp2_bounded<T>(x); }), std::ldexp(T(1), n));
  }
}

TYPED_TEST(VectorMath, AClampedPowerHasTheSameBitsAsABoundedOne) {
  using T = TypeParam;
  const std::vector<T> x = points<T>(kIsFloat<T> ? 125 : 1021);
  EXPECT_EQ(mapped(x, [](Vec<T> v) { return exp2_clamped<T>(v); }),
            mapped(x, [](Vec<T> v) { return exp2_bounded<T>(v); }));
}

TYPED_TEST(VectorMath, AClampedPowerStopsAtTheSmallestNormalNumber) {
  using T = TypeParam;
  const auto power = [](T x) { return mapped_one<T>(x, [](Vec<T> v) { return exp2_clamped<T>(v); }); };
  EXPECT_EQ(power(-kInfinity<T>), std::numeric_limits<T>::min());
  EXPECT_EQ(power(T(-1e5)), std::numeric_limits<T>::min());
  EXPECT_TRUE(std::isfinite(power(T(1e5))));
  EXPECT_TRUE(std::isnan(power(kNan<T>)));
}

TYPED_TEST(VectorMath, TheExponentialKeepsItsRelativeError) {
  using T = TypeParam;
  expect_close<T>(
      kIsFloat<T> ? 87 : 707, [](Vec<T> x) { return exponential<T>(x); }, [](long double x) { return std::exp(x); },
      [](long double x) { return (kIsFloat<T> ? 2.5e-7L : 3e-16L) + kUnfused<T> * x; }, 0);
}

TYPED_TEST(VectorMath, TheExponentialSaturatesAndPassesNanOn) {
  using T = TypeParam;
  const auto power = [](T x) { return mapped_one<T>(x, [](Vec<T> v) { return exponential<T>(v); }); };
  EXPECT_EQ(power(0), T(1));
  EXPECT_EQ(power(-kInfinity<T>), power(T(-1e4)));
  EXPECT_LT(power(-kInfinity<T>), T(1.01) * std::numeric_limits<T>::min());
  EXPECT_EQ(power(kInfinity<T>), power(T(1e4)));
  EXPECT_TRUE(std::isfinite(power(kInfinity<T>)));
  EXPECT_GT(power(kInfinity<T>), std::numeric_limits<T>::max() / 4);
  EXPECT_TRUE(std::isnan(power(kNan<T>)));
}

TYPED_TEST(VectorMath, TheSigmoidKeepsItsRelativeErrorAndItsRange) {
  using T = TypeParam;
  const auto sigmoid_of = [](Vec<T> x) { return sigmoid<T>(x); };
  expect_close<T>(
      kIsFloat<T> ? 80 : 700, sigmoid_of, [](long double x) { return 1 / (1 + std::exp(-x)); },
      [](long double x) { return (kIsFloat<T> ? 3e-7L : 4e-16L) + kUnfused<T> * x; }, 0);
  EXPECT_EQ(mapped_one<T>(0, sigmoid_of), T(0.5));
  EXPECT_EQ(mapped_one<T>(kInfinity<T>, sigmoid_of), T(1));
  EXPECT_GE(mapped_one<T>(-kInfinity<T>, sigmoid_of), T(0));
  EXPECT_LE(mapped_one<T>(-kInfinity<T>, sigmoid_of), std::numeric_limits<T>::min());
  EXPECT_TRUE(std::isnan(mapped_one<T>(kNan<T>, sigmoid_of)));
}

TYPED_TEST(VectorMath, TheHyperbolicTangentKeepsItsErrorsAndNeverLeavesItsRange) {
  using T = TypeParam;
  const auto tanh_of = [](Vec<T> x) { return hyperbolic_tangent<T>(x); };
  const auto exact = [](long double x) { return std::tanh(x); };
  for (const double limit : {0.25, 1.0, 25.0}) {
    expect_close<T>(
        limit, tanh_of, exact, [](long double) { return kIsFloat<T> ? 1.2e-6L : 6e-16L; }, 0);
    expect_close<T>(
        limit, tanh_of, exact, [](long double) { return 0.0L; }, kIsFloat<T> ? 1.8e-7L : 4e-16L);
  }
  for (const T value : mapped(points<T>(25), tanh_of)) ASSERT_LE(std::abs(value), T(1));
  EXPECT_EQ(mapped_one<T>(0, tanh_of), T(0));
  EXPECT_EQ(mapped_one<T>(kInfinity<T>, tanh_of), T(1));
  EXPECT_EQ(mapped_one<T>(-kInfinity<T>, tanh_of), T(-1));
  EXPECT_TRUE(std::isnan(mapped_one<T>(kNan<T>, tanh_of)));
}

template <class T>
const auto kSine = [](Vec<T> x) { return sincos<T>(x).sin; };
template <class T>
const auto kCosine = [](Vec<T> x) { return sincos<T>(x).cos; };

TYPED_TEST(VectorMath, SineAndCosineKeepTheirAbsoluteErrorUpToTheLimit) {
  using T = TypeParam;
  const auto none = [](long double) { return 0.0L; };
  for (const double limit : {1.0, 7.0, 100.0, static_cast<double>(MathConstants<T>::kSinCosLimit)}) {
    expect_close<T>(
        limit, kSine<T>, [](long double x) { return std::sin(x); }, none, kIsFloat<T> ? 1e-7L : 3e-16L);
    expect_close<T>(
        limit, kCosine<T>, [](long double x) { return std::cos(x); }, none, kIsFloat<T> ? 1e-7L : 3e-16L);
  }
  EXPECT_EQ(mapped_one<T>(0, kSine<T>), T(0));
  EXPECT_EQ(mapped_one<T>(0, kCosine<T>), T(1));
}

TYPED_TEST(VectorMath, SineAndCosineKeepTheirErrorBesideEveryQuarterTurn) {
  using T = TypeParam;
  for (int quarter = -5'000; quarter <= 5'000; ++quarter) {
    const T nearest = static_cast<T>(quarter * 1.570796326794896619231L);
    for (const T x : {std::nextafter(nearest, -kInfinity<T>), nearest, std::nextafter(nearest, kInfinity<T>)}) {
      const double bound = kIsFloat<T> ? 1e-7 : 3e-16;
      ASSERT_LE(std::abs(mapped_one<T>(x, kSine<T>) - std::sin(static_cast<long double>(x))), bound) << x;
      ASSERT_LE(std::abs(mapped_one<T>(x, kCosine<T>) - std::cos(static_cast<long double>(x))), bound) << x;
    }
  }
}

TYPED_TEST(VectorMath, SineAndCosineBeyondTheLimitAreNan) {
  using T = TypeParam;
  constexpr T kLimit = MathConstants<T>::kSinCosLimit;
  for (const T sign : {T(1), T(-1)}) {
    EXPECT_TRUE(std::isfinite(mapped_one<T>(sign * kLimit, kSine<T>)));
    for (const T x : {std::nextafter(kLimit, kInfinity<T>), std::numeric_limits<T>::max(), kInfinity<T>, kNan<T>}) {
      EXPECT_TRUE(std::isnan(mapped_one<T>(sign * x, kSine<T>))) << x;
      EXPECT_TRUE(std::isnan(mapped_one<T>(sign * x, kCosine<T>))) << x;
    }
  }
}

}  // namespace
}  // namespace schemamem::SCHEMAMEM_ISA
