#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "models/engine_choice.h"
#include "models/gated_delta_net/config.h"

namespace schemamem::test {

/// Sizes of a Gated DeltaNet and the path that computes it.
struct GdnCase {
  std::string name;
  GatedDeltaNetConfig config;
  EngineChoice choice;
};
inline void PrintTo(const GdnCase& made, std::ostream* out) { *out << made.name; }
inline std::string gdn_case_name(const testing::TestParamInfo<GdnCase>& made) { return made.param.name; }

/// The published sizes on both paths, on every instruction set.
inline std::vector<GdnCase> published_gdn_cases(std::size_t inputs = 7, std::size_t outputs = 3) {
  std::vector<GdnCase> cases;
  for (const Isa isa : available_isas()) {
    const GatedDeltaNetConfig config{.inputs = inputs, .outputs = outputs};
    const std::string suffix(isa_name(isa));
    cases.push_back({.name = suffix, .config = config, .choice = {.isa = isa}});
    cases.push_back({.name = "general_" + suffix, .config = config, .choice = {.isa = isa, .general = true}});
  }
  return cases;
}

/// Sizes that leave every tile a rest: odd numbers of heads, heads of one vector and of five, more gates than one block
/// of columns holds, the widest head.
inline std::vector<GatedDeltaNetConfig> other_gdn_sizes() {
  return {{.layers = 1, .width = 16, .heads = 1, .head_dim = 16, .hidden = 48},
          {.layers = 2, .width = 48, .heads = 3, .head_dim = 32, .hidden = 16},
          {.layers = 1, .width = 64, .heads = 4, .head_dim = 64, .hidden = 80},
          {.layers = 2, .width = 32, .heads = 9, .head_dim = 16, .hidden = 32},
          {.layers = 1, .width = 16, .heads = 1, .head_dim = 80, .hidden = 16},
          {.layers = 1, .width = 16, .heads = 1, .head_dim = 256, .hidden = 16}};
}

inline std::vector<GdnCase> every_gdn_case(std::size_t inputs = 7, std::size_t outputs = 3) {
  std::vector<GdnCase> cases = published_gdn_cases(inputs, outputs);
  for (const Isa isa : available_isas()) {
    for (GatedDeltaNetConfig config : other_gdn_sizes()) {
      config.inputs = inputs;
      config.outputs = outputs;
      const std::string name = "width" + std::to_string(config.width) + "_heads" + std::to_string(config.heads) + "x" +
                               std::to_string(config.head_dim) + "_" + std::string(isa_name(isa));
      cases.push_back({.name = name, .config = config, .choice = {.isa = isa}});
    }
  }
  return cases;
}

}  // namespace schemamem::test
