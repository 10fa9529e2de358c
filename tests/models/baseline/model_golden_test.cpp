#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/baseline/model_case.h"
#include "models/gated_delta_net/model.h"
#include "support/gated_delta_net_cases.h"

namespace schemamem {
namespace {

using test::golden_error;
using test::ModelCase;

template <class T>
ModelCase<T> model_case(const char* name, const test::GdnCase& made) {
  return {name, make_gated_delta_net<T>(made.config, made.choice)};
}

class GdnModel : public testing::TestWithParam<test::GdnCase> {};
INSTANTIATE_TEST_SUITE_P(Isas, GdnModel, testing::ValuesIn(test::published_gdn_cases()), test::gdn_case_name);

constexpr const char* kCases[] = {"gdn/model_t12", "gdn/model_t134"};

TEST_P(GdnModel, LogitsAndGradientsAreThoseOfThePublishedCode) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    model_case<double>(name, GetParam()).trained(1e-9, 1e-9);
    model_case<float>(name, GetParam()).trained(2e-5, 3e-4);
  }
}

TEST_P(GdnModel, AStreamGivesTheSameBitsHoweverItIsCutAndTheLogitsOfThePublishedCode) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    const auto rounded = model_case<float>(name, GetParam());
    const std::vector<float> one_by_one = rounded.streamed({1});
    EXPECT_EQ(rounded.streamed({5, 1, 40, 16, 3}), one_by_one);
    EXPECT_LE(golden_error(one_by_one, rounded.golden().values("logits")), 2e-5);
    const auto exact = model_case<double>(name, GetParam());
    EXPECT_LE(golden_error(exact.streamed({7}), exact.golden().values("logits")), 1e-9);
  }
}

TEST(GdnModelSizes, CountsTheParametersAndTheStateOfTheResourceTable) {
  const auto model = make_gated_delta_net<float>({.inputs = 7, .outputs = 3});
  EXPECT_EQ(model->parameters().size(), 55'260U);
  EXPECT_EQ(model->state().size(), 17'280U);
  EXPECT_EQ(model->persistent_elements(), 17'280U);
  EXPECT_EQ(model->empty_state().values.size(), 17'280U);
}

}  // namespace
}  // namespace schemamem
