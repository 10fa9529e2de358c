#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/isa.h"
#include "models/baseline/layer_case.h"
#include "models/gated_delta_net/mixer.h"

namespace schemamem {
namespace {

using test::LayerCase;

class GdnLayer : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, GdnLayer, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

const std::vector<std::string> kCases{"gdn/t7", "gdn/t24_tiny", "gdn/carry_t140_s37", "gdn/carry_t9_s2"};

TEST_P(GdnLayer, OutputsStatesAndGradientsAreThoseOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_gdn_mixer<double>(GetParam())).one_shot();
    LayerCase<float>(name, make_gdn_mixer<float>(GetParam())).one_shot();
  }
}

TEST_P(GdnLayer, AStreamGivesTheOutputsOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_gdn_mixer<double>(GetParam())).streamed({1, 17, 3});
    LayerCase<float>(name, make_gdn_mixer<float>(GetParam())).streamed({1});
  }
}

TEST_P(GdnLayer, ACarriedStateContinuesTheSequenceAndCarriesTheGradientBack) {
  for (const char* name : {"gdn/carry_t140_s37", "gdn/carry_t9_s2"}) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, make_gdn_mixer<double>(GetParam())).carried();
    LayerCase<float>(name, make_gdn_mixer<float>(GetParam())).carried();
  }
}

}  // namespace
}  // namespace schemamem
