#include "kernels/reference/mamba3.h"

#include <gtest/gtest.h>

#include <span>

#include "support/golden.h"
#include "support/mamba3.h"

namespace schemamem::test {
namespace {

constexpr double kTolerance = 1e-9;
constexpr std::size_t kWidth = 32;

template <class Tensor>
double error_of(const Tensor& found, const std::vector<double>& expected) {
  return golden_error(flat(found), expected);
}
template <class Tensor>
double angle_error_of(const Tensor& found, const std::vector<double>& expected) {
  return circle_error<double, double>(flat(found), expected);
}

ref::State state(const Golden& golden, const std::string& prefix, std::size_t batch) {
  ref::State result;
  fill(result.angle, golden.entry(prefix + "angle", batch));
  fill(result.ssm, golden.entry(prefix + "ssm", batch));
  fill(result.k, golden.entry(prefix + "k", batch));
  fill(result.v, golden.entry(prefix + "v", batch));
  return result;
}

void expect_state(const ref::State& found, const Golden& golden, const std::string& prefix, std::size_t batch) {
  EXPECT_LE(angle_error_of(found.angle, golden.entry(prefix + "angle", batch)), kTolerance) << prefix;
  EXPECT_LE(error_of(found.ssm, golden.entry(prefix + "ssm", batch)), kTolerance) << prefix;
  EXPECT_LE(error_of(found.k, golden.entry(prefix + "k", batch)), kTolerance) << prefix;
  EXPECT_LE(error_of(found.v, golden.entry(prefix + "v", batch)), kTolerance) << prefix;
}

struct Layer {
  explicit Layer(const std::string& name) : golden("mamba3/" + name) {
    for_weights(weights,
                [&](const char* tensor, auto& values) { fill(values, golden.values(std::string("param.") + tensor)); });
  }
  Golden golden;
  ref::Weights weights;
};

class Mamba3ReferenceLayer : public testing::TestWithParam<const char*> {};

TEST_P(Mamba3ReferenceLayer, AgreesWithThePublishedLayer) {
  const Layer layer(GetParam());
  const Golden& golden = layer.golden;
  const ref::Weights& weights = layer.weights;
  const std::size_t tokens = golden.number("T");
  ref::Weights d_weights;
  for (std::size_t batch = 0; batch < golden.number("B"); ++batch) {
    const std::vector<double> u = golden.entry("u", batch), d_y = golden.entry("dy", batch);
    std::vector<double> y(u.size()), d_u(u.size());
    const View<const double, 2> inputs(u.data(), {tokens, kWidth});
    const std::vector<ref::Token> run = ref::forward(weights, inputs, ref::State(), {y.data(), {tokens, kWidth}});
    ref::State d_state;
    ref::backward(weights, inputs, ref::State(), run, {d_y.data(), {tokens, kWidth}}, d_state,
                  {d_u.data(), {tokens, kWidth}}, d_weights);

    EXPECT_LE(golden_error(y, golden.entry("y", batch)), kTolerance);
    EXPECT_LE(golden_error(d_u, golden.entry("grad.u", batch)), kTolerance);
    expect_state(run.back().after, golden, "state.", batch);
  }
  for_weights(d_weights, [&](const char* name, auto& tensor) {
    EXPECT_LE(error_of(tensor, golden.values(std::string("grad.") + name)), kTolerance) << name;
  });
}

TEST(Mamba3Reference, AgreesOnEveryPublishedInternal) {
  const Layer layer("t7");
  const Golden& golden = layer.golden;
  const ref::Weights& weights = layer.weights;
  const std::size_t tokens = golden.number("T");
  const std::vector<double> u = golden.entry("u", 0);
  std::vector<double> y(u.size());
  std::vector<ref::Token> run =
      ref::forward(weights, {u.data(), {tokens, kWidth}}, ref::State(), {y.data(), {tokens, kWidth}});
  for (std::size_t t = 0; t < tokens; ++t) {
    ref::Token& token = run[t];
    std::vector<double> a_dt(token.a.size());
    for (std::size_t h = 0; h < a_dt.size(); ++h) a_dt[h] = token.a[h] * token.dt[h];
    const auto expect = [&](const char* name, auto& tensor) {
      EXPECT_LE(error_of(tensor, golden.entry(std::string("inter.") + name, t)), kTolerance) << name;
    };
    expect("z", token.raw.z);
    expect("x", token.raw.x);
    expect("B_normed", token.b_normed);
    expect("C_normed", token.c_normed);
    expect("dt", token.dt);
    expect("adt", a_dt);
    expect("lambda", token.lambda);
    expect("gated", token.gated);
    expect("k_rot", token.after.k);
    EXPECT_LE(angle_error_of(token.after.angle, golden.entry("inter.angle", t)), kTolerance);
    if (t < 3) expect("ssm", token.after.ssm);
  }
}

TEST(Mamba3Reference, CarriesStateAndItsGradientAcrossACut) {
  const Layer layer("carry_t140_s37");
  const Golden& golden = layer.golden;
  const ref::Weights& weights = layer.weights;
  const std::size_t tokens = golden.number("T"), split = golden.number("split"), rest = tokens - split;
  const std::vector<double> u = golden.entry("u", 0), d_y = golden.entry("dy", 0);
  std::vector<double> y(u.size()), d_u(rest * kWidth);
  const View<const double, 2> inputs(u.data(), {tokens, kWidth});
  const View<double, 2> outputs(y.data(), {tokens, kWidth});
  const std::vector<ref::Token> first =
      ref::forward(weights, inputs.slice(0, split), ref::State(), outputs.slice(0, split));
  expect_state(first.back().after, golden, "mid.", 0);

  const ref::State initial = state(golden, "mid.", 0);
  const std::vector<ref::Token> second =
      ref::forward(weights, inputs.slice(split, rest), initial, outputs.slice(split, rest));
  ref::State d_state = state(golden, "dstate.", 0);
  ref::Weights d_weights;
  ref::backward(weights, inputs.slice(split, rest), initial, second,
                View<const double, 2>(d_y.data(), {tokens, kWidth}).slice(split, rest), d_state,
                {d_u.data(), {rest, kWidth}}, d_weights);
  EXPECT_LE(golden_error(y, golden.entry("y", 0)), kTolerance);
  expect_state(second.back().after, golden, "state.", 0);
  EXPECT_LE(golden_error(d_u, golden.entry("part2.grad.u", 0)), kTolerance);
  EXPECT_LE(error_of(d_state.angle, golden.entry("part2.grad_init.angle", 0)), kTolerance);
  EXPECT_LE(error_of(d_state.ssm, golden.entry("part2.grad_init.ssm", 0)), kTolerance);
  EXPECT_LE(error_of(d_state.k, golden.entry("part2.grad_init.k", 0)), kTolerance);
  EXPECT_LE(error_of(d_state.v, golden.entry("part2.grad_init.v", 0)), kTolerance);
  for_weights(d_weights, [&](const char* name, auto& tensor) {
    EXPECT_LE(error_of(tensor, golden.values(std::string("part2.grad.") + name)), kTolerance) << name;
  });
}

INSTANTIATE_TEST_SUITE_P(Golden, Mamba3ReferenceLayer, testing::Values("t7", "t24_tiny", "t96_floor", "carry_t140_s37"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace schemamem::test
