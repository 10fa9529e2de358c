#include "models/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "models/registry.h"

namespace schemamem {
namespace {

using Roles = std::map<std::string, Role>;

/// The roles of the tensors of a model of one layer, without the names' first part inside the layer.
Roles roles_of(const std::string& name) {
  const auto spec = resolve_model({.name = name, .set = {{"layers", "1"}}}, {.inputs = 7, .outputs = 3}).value();
  const auto model = make_model<float>(spec).value();
  Roles roles;
  for (const TensorSpec& tensor : model->parameters().tensors()) {
    const std::string prefix = "layers.0.";
    roles.emplace(tensor.name.starts_with(prefix) ? tensor.name.substr(prefix.size()) : tensor.name, tensor.role);
  }
  return roles;
}

Roles with_frame(Roles roles) {
  roles.merge(Roles{{"in_proj.weight", Role::kEdge},
                    {"in_proj.bias", Role::kVector},
                    {"final_norm.weight", Role::kVector},
                    {"out_proj.weight", Role::kEdge}});
  return roles;
}

TEST(Roles, OfSchemaMem) {
  Roles expected{{"norm1.weight", Role::kVector}, {"norm2.weight", Role::kVector}, {"schema", Role::kBank}};
  for (const char* const name : {"w_k", "w_v", "w_r", "w_w", "w_delta", "w_f", "attn.w_q", "attn.w_o", "attn.w_k",
                                 "attn.w_v", "mlp.w_gate", "mlp.w_up", "mlp.w_down"})
    expected.emplace(name, Role::kMatrix);
  EXPECT_EQ(roles_of("schemamem"), with_frame(expected));
}

TEST(Roles, OfMamba3) {
  EXPECT_EQ(roles_of("mamba3"), with_frame({{"norm1.weight", Role::kVector},
                                            {"mixer.dt_bias", Role::kVector},
                                            {"mixer.B_bias", Role::kFilter},
                                            {"mixer.C_bias", Role::kFilter},
                                            {"mixer.D", Role::kVector},
                                            {"mixer.in_proj.weight", Role::kMatrix},
                                            {"mixer.B_norm.weight", Role::kVector},
                                            {"mixer.C_norm.weight", Role::kVector},
                                            {"mixer.out_proj.weight", Role::kMatrix}}));
}

TEST(Roles, OfGatedDeltaNet) {
  Roles expected{{"norm1.weight", Role::kVector},          {"norm2.weight", Role::kVector},
                 {"mixer.A_log", Role::kVector},           {"mixer.dt_bias", Role::kVector},
                 {"mixer.o_norm.weight", Role::kVector},   {"mixer.q_conv1d.weight", Role::kFilter},
                 {"mixer.k_conv1d.weight", Role::kFilter}, {"mixer.v_conv1d.weight", Role::kFilter}};
  for (const char* const name : {"q", "k", "v", "a", "b", "g", "o"})
    expected.emplace("mixer." + std::string(name) + "_proj.weight", Role::kMatrix);
  for (const char* const name : {"mlp.w_gate", "mlp.w_up", "mlp.w_down"}) expected.emplace(name, Role::kMatrix);
  EXPECT_EQ(roles_of("gdn"), with_frame(expected));
}

TEST(Roles, OfStatesTellAnglesOfSlotsFromTheRest) {
  for (const std::string& name : model_names()) {
    const auto model = make_model<float>(name, 7, 3).value();
    for (const TensorSpec& tensor : model->state().tensors())
      EXPECT_EQ(tensor.role, tensor.name.ends_with(".phase") ? Role::kPhases : Role::kState) << tensor.name;
  }
}

TEST(Layout, OfABareStackIsThatOfTheModelWithoutItsMaps) {
  for (const std::string& name : model_names()) {
    const auto bare = resolve_model({.name = name, .set = {{"maps", "none"}}}, {.inputs = 32, .outputs = 32}).value();
    const auto stack = make_model<float>(bare).value();
    const auto whole = make_model<float>(name, 7, 3).value();
    EXPECT_FALSE(stack->config().maps);
    std::vector<std::string> expected, found;
    for (const TensorSpec& tensor : whole->parameters().tensors()) {
      if (tensor.name.starts_with("layers.")) expected.push_back(tensor.name);
    }
    for (const TensorSpec& tensor : stack->parameters().tensors()) found.push_back(tensor.name);
    EXPECT_EQ(found, expected) << name;
    EXPECT_EQ(stack->parameters().size(), whole->parameters().size() - (7 + 1) * 32 - 32 - 32 * 3);
    EXPECT_EQ(stack->carried().size(), whole->carried().size());
  }
}

}  // namespace
}  // namespace schemamem
