#include "base/rng.h"

#include <cmath>

namespace schemamem {
namespace {

/// Natural logarithm of a normal positive number, with an error of a few units in the last place:
///   x = m 2^e, m in [sqrt(1/2), sqrt(2)),   ln x = e ln 2 + 2 atanh(r),   r = (m-1)/(m+1)
/// and atanh by its series, whose terms fall by r^2 < 0.0295. It lives in a source file so that it is always compiled
/// without contraction (cmake/Rooms.cmake) and gives the same bits on every machine.
double portable_log(double x) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  constexpr double kSqrt2 = 0x1.6a09e667f3bcdp+0;
  int exponent = 0;
  double m = 2 * std::frexp(x, &exponent);
  --exponent;
  if (m >= kSqrt2) {
    m /= 2;
    ++exponent;
  }
  const double r = (m - 1) / (m + 1);
  const double r2 = r * r;
  double series = 0;
  for (int k = 25; k >= 1; k -= 2) series = series * r2 + 1.0 / k;
  return exponent * kLn2 + 2 * r * series;
}

}  // namespace

double Rng::normal() {
  for (;;) {
    const double u = 2 * uniform() - 1;
    const double v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    // The second number of the pair is dropped: an Rng carries nothing but its 256 bits.
    if (s > 0 && s < 1) return u * std::sqrt(-2 * portable_log(s) / s);
  }
}

}  // namespace schemamem
