#include "models/mamba3/model.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/baseline/model_case.h"

namespace schemamem {
namespace {

using test::golden_error;
using test::ModelCase;

template <class T>
ModelCase<T> model_case(const char* name, Isa isa) {
  return {name, make_mamba3<T>({.inputs = 7, .outputs = 3}, {.isa = isa})};
}

class Mamba3Model : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, Mamba3Model, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

constexpr const char* kCases[] = {"mamba3/model_t12", "mamba3/model_t134"};

TEST_P(Mamba3Model, LogitsAndGradientsAreThoseOfThePublishedCode) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    model_case<double>(name, GetParam()).trained(1e-9, 1e-9);
    model_case<float>(name, GetParam()).trained(2e-5, 3e-4);
  }
}

TEST_P(Mamba3Model, AStreamGivesTheSameBitsHoweverItIsCutAndTheLogitsOfThePublishedCode) {
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

TEST(Mamba3ModelSizes, CountsTheParametersAndTheStateOfTheResourceTable) {
  const auto model = make_mamba3<float>({.inputs = 7, .outputs = 3}, {});
  EXPECT_EQ(model->parameters().size(), 55'128U);
  EXPECT_EQ(model->state().size(), 16'752U);
  EXPECT_EQ(model->persistent_elements(), 16'752U);
  EXPECT_EQ(model->empty_state().values.size(), 16'752U);
}

}  // namespace
}  // namespace schemamem
