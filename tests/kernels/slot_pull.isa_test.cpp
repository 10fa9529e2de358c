#include "kernels/slot_pull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/kernel_case.h"

namespace schemamem::SCHEMAMEM_ISA {
namespace {

using test::Guarded;
using test::random_values;

constexpr std::size_t kRows = 11;

/// Rows that pull slots, at sizes of whole vectors. S lies anywhere on the circle.
template <class T>
struct PullCase {
  PullCase(std::size_t slots_, std::size_t width_)
      : slots(round_up_to_lanes<T>(slots_)),
        width(round_up_to_lanes<T>(width_)),
        powers(random_values<T>(kRows * slots, 1)),
        inverse(random_values<T>(kRows, 2)),
        written(random_values<T>(kRows * width, 3)),
        state(random_values<T>(slots * width, 4)),
        weights(kRows * slots),
        pending(slots * width, T(0)) {
    for (T& power : powers) power = std::abs(power);
    for (T& number : inverse) number = T(0.1) + T(0.05) * std::tanh(number);
    for (T& phase : state) phase = static_cast<T>(std::numbers::pi * (1 + std::tanh(phase)));
  }
  void run(std::size_t first, std::size_t count) {
    pull_weights<T>(powers.data() + first * slots, inverse.data() + first, count, slots,
                    weights.data() + first * slots);
    pull_forward<T>(count, slots, width,
                    {.weights = weights.data() + first * slots,
                     .written = written.data() + first * width,
                     .state = state.data(),
                     .pending = pending.data()});
  }
  /// The angle around zero that a slot is at before the first row.
  double angle(std::size_t at) const { return std::remainder(static_cast<double>(state[at]), 2 * std::numbers::pi); }

  std::size_t slots, width;
  std::vector<T> powers, inverse, written, state;
  Guarded<T> weights, pending;
};

template <class T>
class SlotPull : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(SlotPull, Scalars);

TYPED_TEST(SlotPull, MovesEverySlotByItsWeightTowardsEachRowInTurn) {
  using T = TypeParam;
  for (const std::size_t slots : {1, 13, 176}) {
    for (const std::size_t width : {2, 18, 32}) {
      PullCase<T> c(slots, width);
      c.run(0, kRows);
      for (std::size_t m = 0; m < c.slots; ++m) {
        for (std::size_t j = 0; j < c.width; ++j) {
          double at = c.angle(m * c.width + j);
          for (std::size_t t = 0; t < kRows; ++t) {
            const double weight = static_cast<double>(c.powers[t * c.slots + m]) * static_cast<double>(c.inverse[t]);
            at += weight * (static_cast<double>(c.written[t * c.width + j]) - at);
          }
          const double found = c.angle(m * c.width + j) + static_cast<double>(c.pending[m * c.width + j]);
          ASSERT_NEAR(found, at, 100 * static_cast<double>(std::numeric_limits<T>::epsilon()));
        }
      }
      ASSERT_TRUE(c.pending.intact() && c.weights.intact());
    }
  }
}

TYPED_TEST(SlotPull, HasTheSameBitsHoweverTheRowsAreCut) {
  using T = TypeParam;
  PullCase<T> whole(33, 18), cut(33, 18);
  whole.run(0, kRows);
  cut.run(0, 1);
  cut.run(1, 6);
  cut.run(7, kRows - 7);
  EXPECT_EQ(cut.pending.values(), whole.pending.values());
}

TYPED_TEST(SlotPull, ForgetsWhatASlotHeldWhenARowHasAllItsWeight) {
  using T = TypeParam;
  PullCase<T> c(5, 4);
  for (std::size_t m = 0; m < c.slots; ++m) c.powers[(kRows - 1) * c.slots + m] = 1;
  c.inverse[kRows - 1] = 1;
  c.run(0, kRows);
  for (std::size_t i = 0; i < c.slots * c.width; ++i) {
    ASSERT_NEAR(c.angle(i) + static_cast<double>(c.pending[i]),
                static_cast<double>(c.written[(kRows - 1) * c.width + i % c.width]),
                10 * static_cast<double>(std::numeric_limits<T>::epsilon()));
  }
}

}  // namespace
}  // namespace schemamem::SCHEMAMEM_ISA
