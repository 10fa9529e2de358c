// e^x of a float as glibc gives it, bit for bit: one of the models derives a number for each head from its weights with
// it, and the C library of the module rounds a few of them the other way. In double, x = (k + r) ln 2 / 32 with |r| <=
// 1/2, and e^x = 2^(k / 32) 2^(r / 32): a table, an exponent and a polynomial of degree three.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace {

constexpr int kSteps = 32;
constexpr std::array<double, kSteps> kPowers{
    // 2^(i / 32)
    0x1.0000000000000p+0, 0x1.059b0d3158574p+0, 0x1.0b5586cf9890fp+0, 0x1.11301d0125b51p+0, 0x1.172b83c7d517bp+0,
    0x1.1d4873168b9aap+0, 0x1.2387a6e756238p+0, 0x1.29e9df51fdee1p+0, 0x1.306fe0a31b715p+0, 0x1.371a7373aa9cbp+0,
    0x1.3dea64c123422p+0, 0x1.44e086061892dp+0, 0x1.4bfdad5362a27p+0, 0x1.5342b569d4f82p+0, 0x1.5ab07dd485429p+0,
    0x1.6247eb03a5585p+0, 0x1.6a09e667f3bcdp+0, 0x1.71f75e8ec5f74p+0, 0x1.7a11473eb0187p+0, 0x1.82589994cce13p+0,
    0x1.8ace5422aa0dbp+0, 0x1.93737b0cdc5e5p+0, 0x1.9c49182a3f090p+0, 0x1.a5503b23e255dp+0, 0x1.ae89f995ad3adp+0,
    0x1.b7f76f2fb5e47p+0, 0x1.c199bdd85529cp+0, 0x1.cb720dcef9069p+0, 0x1.d5818dcfba487p+0, 0x1.dfc97337b9b5fp+0,
    0x1.ea4afa2a490dap+0, 0x1.f50765b6e4540p+0,
};
constexpr double kPerStep = 0x1.71547652b82fep+0 * kSteps;  // 32 / ln 2
constexpr double kLinear = 0x1.62e42ff0c52d6p-1 / kSteps, kSquare = 0x1.ebfce50fac4f3p-3 / kSteps / kSteps,
                 kCube = 0x1.c6af84b912394p-5 / kSteps / kSteps / kSteps;

}  // namespace

extern "C" float expf(float x) {
  if (std::isnan(x)) return x;
  if (x > 0x1.62e42ep6F) return std::numeric_limits<float>::infinity();
  if (x < -0x1.9fe368p6F) return 0;
  const double steps = kPerStep * static_cast<double>(x), whole = std::nearbyint(steps), rest = steps - whole;
  const auto step = static_cast<std::int64_t>(whole);
  const auto place = static_cast<std::size_t>(step & (kSteps - 1));
  const double power = std::bit_cast<double>(std::bit_cast<std::int64_t>(kPowers[place]) + ((step >> 5) << 52));
  const double square = rest * rest;
  return static_cast<float>(((kCube * rest + kSquare) * square + (kLinear * rest + 1)) * power);
}
