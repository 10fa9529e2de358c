#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/baseline/layer_case.h"
#include "models/gated_delta_net/mixer.h"
#include "support/gated_delta_net_cases.h"

namespace schemamem {
namespace {

using test::LayerCase;

class GdnLayer : public testing::TestWithParam<test::GdnCase> {
 protected:
  template <class T>
  static LayerCase<T> layer(const std::string& golden) {
    return {golden, make_gdn_mixer<T>(GetParam().config, GetParam().choice)};
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, GdnLayer, testing::ValuesIn(test::published_gdn_cases()), test::gdn_case_name);

const std::vector<std::string> kCases{"gdn/t7", "gdn/t24_tiny", "gdn/carry_t140_s37", "gdn/carry_t9_s2"};

TEST_P(GdnLayer, OutputsStatesAndGradientsAreThoseOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    layer<double>(name).one_shot();
    layer<float>(name).one_shot();
  }
}

TEST_P(GdnLayer, AStreamGivesTheOutputsOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    layer<double>(name).streamed({1, 17, 3});
    layer<float>(name).streamed({1});
  }
}

TEST_P(GdnLayer, ACarriedStateContinuesTheSequenceAndCarriesTheGradientBack) {
  for (const char* name : {"gdn/carry_t140_s37", "gdn/carry_t9_s2"}) {
    SCOPED_TRACE(name);
    layer<double>(name).carried();
    layer<float>(name).carried();
  }
}

}  // namespace
}  // namespace schemamem
