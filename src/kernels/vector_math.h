#pragma once

#include "kernels/simd.h"

namespace schemamem::SCHEMAMEM_ISA {

/// Minimax coefficients and range reductions, one set for each scalar type (errors are those of the polynomials):
///   2^f - 1 = f P(f)              |f| <= 1/2,    9.4e-8 and 3.5e-18
///   sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2)      |r| <= pi/4,   relative 4e-9 and 4e-18
template <class T>
struct MathConstants;

template <>
struct MathConstants<float> {
  static constexpr float kExp2[] = {0.6931472153272747731F, 0.24022231280708634879F, 0.055503075357735097087F,
                                    0.0096720907650104768281F, 0.0013407555811465305864F};
  static constexpr float kSin[] = {-0.16666654932016259472F, 0.0083321762620520809141F, -0.00019516949980226596331F};
  static constexpr float kCos[] = {0.041666647002007027827F, -0.0013887371846464178653F, 0.000024438759794582752177F};
  static constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it leaves the nearest integer in the low bits
  static constexpr int kMantissaBits = 23;
  static constexpr float kExp2Min = -126.0F, kExp2Max = 127.0F;
  static constexpr float kLog2eHigh = 1.4426950216293334961F, kLog2eLow = 1.9259629911266174681e-8F;
  static constexpr float kTwoOverPi = 0.63661977236758134308F;
  static constexpr float kHalfPi[] = {1.5703125F, 0.0004837512969970703125F, 7.5497894158615963534e-8F};
  static constexpr float kSinCosLimit = 8192.0F;  // the three parts of pi/2 are exact up to here
};

template <>
struct MathConstants<double> {
  static constexpr double kExp2[] = {0.69314718055994530801,     0.24022650695910134477,   0.055504108664821744764,
                                     0.0096181291075927670065,   0.0013333558146378310072, 0.00015403530458858447924,
                                     0.000015252733868233820199, 1.3215434400453695255e-6, 1.0178046175906935245e-7,
                                     7.0739359900934918973e-9,   4.4574297344168822999e-10};
  static constexpr double kSin[] = {-0.16666666666666632409,  0.0083333333333224563631,  -0.00019841269829817061183,
                                    2.7557313689176409555e-6, -2.5050756987113420916e-8, 1.589669808011316429e-10};
  static constexpr double kCos[] = {0.041666666666666612538,   -0.0013888888888875999067, 0.000024801587290486426183,
                                    -2.7557314606908675283e-7, 2.0875754143205123925e-9,  -1.1361091350249295068e-11};
  static constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int kMantissaBits = 52;
  static constexpr double kExp2Min = -1022.0, kExp2Max = 1023.0;
  static constexpr double kLog2eHigh = 1.442695040888963387004651, kLog2eLow = 2.035527374093103204955509e-17;
  static constexpr double kTwoOverPi = 0.63661977236758134308;
  static constexpr double kHalfPi[] = {1.57079632673412561416626, 6.077100506303965976595549e-11,
                                       2.022266248795950631541144e-21};
  static constexpr double kSinCosLimit = 1048576.0;
};

/// c[0] + c[1] x + ... by Horner's rule.
template <class T, std::size_t N>
[[gnu::always_inline]] inline Vec<T> polynomial(const T (&c)[N], Vec<T> x) {
  Vec<T> sum = broadcast<T>(c[N - 1]);
#pragma GCC unroll 16
  for (std::size_t i = 2; i <= N; ++i) sum = multiply_add<T>(sum, x, broadcast<T>(c[N - i]));
  return sum;
}

/// value * 2^n, where n sits in the low bits of `shifted` (see kRound) and the result is a normal number.
template <class T>
[[gnu::always_inline]] inline Vec<T> scale_by_power(Vec<T> value, Vec<T> shifted) {
  return reinterpret_cast<Vec<T>>(reinterpret_cast<VecInt<T>>(value) +
                                  (reinterpret_cast<VecInt<T>>(shifted) << MathConstants<T>::kMantissaBits));
}

/// 2^x for |x| <= 125 (float) or 1021 (double); the caller knows the bound. Relative error 2.5e-7 / 3e-16.
template <class T>
[[gnu::always_inline]] inline Vec<T> exp2_bounded(Vec<T> x) {
  using C = MathConstants<T>;
  const Vec<T> shifted = x + C::kRound;
  const Vec<T> fraction = x - (shifted - C::kRound);
  return scale_by_power<T>(multiply_add<T>(polynomial<T>(C::kExp2, fraction), fraction, broadcast<T>(1)), shifted);
}

/// 2^x for x below the overflow threshold; what would underflow becomes 2^-126 (float) or 2^-1022 (double). NaN stays
/// NaN.
template <class T>
[[gnu::always_inline]] inline Vec<T> exp2_clamped(Vec<T> x) {
  using C = MathConstants<T>;
  const Vec<T> low = broadcast<T>(C::kExp2Min);
  const Vec<T> high = broadcast<T>(C::kExp2Max);
  Vec<T> clamped = x < low ? low : x;
  clamped = clamped > high ? high : clamped;
  return exp2_bounded<T>(clamped);
}

/// e^x, saturating at both ends of the range. Relative error 2.5e-7 / 3e-16 with a fused multiply-add, and |x| eps / 2
/// more without one.
template <class T>
[[gnu::always_inline]] inline Vec<T> exponential(Vec<T> x) {
  using C = MathConstants<T>;
  const Vec<T> low = broadcast<T>(C::kExp2Min * T(0.6931471805599453));
  const Vec<T> high = broadcast<T>(C::kExp2Max * T(0.6931471805599453));
  Vec<T> clamped = x < low ? low : x;
  clamped = clamped > high ? high : clamped;
  const Vec<T> shifted = multiply_add<T>(clamped, broadcast<T>(C::kLog2eHigh), broadcast<T>(C::kRound));
  const Vec<T> whole = shifted - C::kRound;
  const Vec<T> fraction = multiply_add<T>(clamped, broadcast<T>(C::kLog2eLow),
                                          multiply_add<T>(clamped, broadcast<T>(C::kLog2eHigh), -whole));
  return scale_by_power<T>(multiply_add<T>(polynomial<T>(C::kExp2, fraction), fraction, broadcast<T>(1)), shifted);
}

/// 1 / (1 + e^-x). Relative error 3e-7 / 4e-16, and |x| eps / 2 more without a fused multiply-add.
template <class T>
[[gnu::always_inline]] inline Vec<T> sigmoid(Vec<T> x) {
  return T(1) / (T(1) + exponential<T>(-x));
}

/// tanh x = e / (e + 2) with e = exp(2x) - 1, whose small values keep their relative precision: 2^n f P(f) + (2^n - 1).
/// Relative error 1.2e-6 / 6e-16 (the polynomial's, where tanh is small), absolute error 1.8e-7 / 4e-16.
template <class T>
[[gnu::always_inline]] inline Vec<T> hyperbolic_tangent(Vec<T> x) {
  using C = MathConstants<T>;
  const T limit = sizeof(T) == 4 ? T(10) : T(22);  // beyond it tanh rounds to one
  Vec<T> clamped = x < -limit ? broadcast<T>(-limit) : x;
  clamped = clamped > limit ? broadcast<T>(limit) : clamped;
  const Vec<T> scale = broadcast<T>(T(2) * C::kLog2eHigh);
  const Vec<T> shifted = multiply_add<T>(clamped, scale, broadcast<T>(C::kRound));
  const Vec<T> fraction = multiply_add<T>(clamped, scale, C::kRound - shifted);
  const Vec<T> one = broadcast<T>(1);
  const Vec<T> power = scale_by_power<T>(one, shifted);
  const Vec<T> small = polynomial<T>(C::kExp2, fraction) * fraction;
  const Vec<T> e = multiply_add<T>(power, small, power - one);
  return e / (e + T(2));
}

template <class T>
struct SinCos {
  Vec<T> sin, cos;
};
/// Sine and cosine for |x| <= kSinCosLimit, absolute error 1e-7 / 3e-16. Larger and non-finite arguments give NaN, so
/// that a run that has left the rails is noticed.
template <class T>
[[gnu::always_inline]] inline SinCos<T> sincos(Vec<T> x) {
  using C = MathConstants<T>;
  const Vec<T> shifted = multiply_add<T>(x, broadcast<T>(C::kTwoOverPi), broadcast<T>(C::kRound));
  const Vec<T> quarter_turns = shifted - C::kRound;
  const VecInt<T> quadrant = reinterpret_cast<VecInt<T>>(shifted);
  Vec<T> r = multiply_add<T>(quarter_turns, broadcast<T>(-C::kHalfPi[0]), x);
  r = multiply_add<T>(quarter_turns, broadcast<T>(-C::kHalfPi[1]), r);
  r = multiply_add<T>(quarter_turns, broadcast<T>(-C::kHalfPi[2]), r);
  const Vec<T> z = r * r;
  const Vec<T> s = multiply_add<T>(polynomial<T>(C::kSin, z) * z, r, r);
  const Vec<T> c =
      multiply_add<T>(polynomial<T>(C::kCos, z), z * z, multiply_add<T>(z, broadcast<T>(T(-0.5)), broadcast<T>(1)));
  const VecInt<T> swap = (quadrant & 1) != 0;
  const Vec<T> sin_part = swap ? c : s;
  const Vec<T> cos_part = swap ? s : c;
  constexpr int kSignShift = static_cast<int>(sizeof(T)) * 8 - 2;  // moves bit 1 to the sign bit
  const VecInt<T> sin_sign = (quadrant & 2) << kSignShift;
  const VecInt<T> cos_sign = ((quadrant + 1) & 2) << kSignShift;
  const VecInt<T> valid = absolute<T>(x) <= C::kSinCosLimit;
  return {reinterpret_cast<Vec<T>>((reinterpret_cast<VecInt<T>>(sin_part) ^ sin_sign) | ~valid),
          reinterpret_cast<Vec<T>>((reinterpret_cast<VecInt<T>>(cos_part) ^ cos_sign) | ~valid)};
}

}  // namespace schemamem::SCHEMAMEM_ISA
