#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kernels/isa.h"
#include "models/baseline/mixer_runner.h"
#include "models/gated_delta_net/mixer.h"
#include "support/golden.h"

namespace schemamem {
namespace {

using test::Golden;
using test::golden_error;

template <class T>
struct Bounds;
template <>
struct Bounds<double> {
  static constexpr double output = 1e-9, state = 1e-9, gradient = 1e-9;
};
template <>
struct Bounds<float> {
  static constexpr double output = 2e-5, state = 5e-5, gradient = 1e-4;
};

constexpr ArenaPolicy kHostile{.poison = true, .guard = 64};

/// One golden layer file, run by one mixer.
template <class T>
class LayerCase {
 public:
  LayerCase(const std::string& name, Isa isa)
      : golden_(name),
        mixer_(make_gdn_mixer<T>(isa)),
        batch_(golden_.shape("u")[0]),
        tokens_(golden_.shape("u")[1]),
        u_(golden_.values_as<T>("u")),
        d_y_(golden_.values_as<T>("dy")),
        weights_(golden_.flat<T>(mixer_->parameters(), "param.")) {}

  std::unique_ptr<MixerRunner<T>> runner() const {
    auto made = std::make_unique<MixerRunner<T>>(*mixer_, tokens_, kHostile);
    made->set_weights(view_of(std::span(weights_)));
    return made;
  }
  View<const T, 2> rows(const std::vector<T>& values, std::size_t b, std::size_t first, std::size_t count) const {
    return {values.data() + (b * tokens_ + first) * kModelWidth, {count, kModelWidth}};
  }
  View<T, 2> rows(std::vector<T>& values, std::size_t b, std::size_t first, std::size_t count) const {
    return {values.data() + (b * tokens_ + first) * kModelWidth, {count, kModelWidth}};
  }
  void expect_state(const std::vector<T>& state, const std::string& prefix, std::size_t b, double bound) const {
    const std::vector<double> expected = golden_.template flat<double>(mixer_->state(), prefix, b);
    for (const TensorSpec& tensor : mixer_->state().tensors()) {
      EXPECT_LE(golden_error(std::span(state).subspan(tensor.offset, tensor.size),
                             std::span(expected).subspan(tensor.offset, tensor.size)),
                bound)
          << prefix << tensor.name;
    }
  }
  void expect_gradients(const MixerRunner<T>& runner, const std::string& prefix) const {
    std::vector<T> d_weights(mixer_->parameters().size());
    runner.gradients(view_of(std::span(d_weights)));
    for (const TensorSpec& tensor : mixer_->parameters().tensors()) {
      const std::vector<double> expected = golden_.values(prefix + tensor.name);
      EXPECT_LE(golden_error(std::span<const T>(d_weights).subspan(tensor.offset, tensor.size),
                             std::span<const double>(expected)),
                Bounds<T>::gradient)
          << prefix << tensor.name;
    }
  }

  void one_shot() const {
    const auto run = runner();
    std::vector<T> y(u_.size()), d_u(u_.size()), state(mixer_->state().size());
    for (std::size_t b = 0; b < batch_; ++b) {
      run->forward(rows(u_, b, 0, tokens_), {}, state, rows(y, b, 0, tokens_));
      run->backward(rows(d_y_, b, 0, tokens_), {}, rows(d_u, b, 0, tokens_));
      expect_state(state, "state.", b, Bounds<T>::state);
    }
    EXPECT_LE(golden_error(y, golden_.values("y")), Bounds<T>::output);
    EXPECT_LE(golden_error(d_u, golden_.values("grad.u")), Bounds<T>::gradient);
    expect_gradients(*run, "grad.");
    EXPECT_TRUE(run->guards_intact());
  }

  void streamed(const std::vector<std::size_t>& cuts) const {
    const auto run = runner();
    std::vector<T> y(u_.size());
    for (std::size_t b = 0; b < batch_; ++b) {
      std::vector<T> state(mixer_->state().size(), T(0));
      std::size_t first = 0;
      for (std::size_t i = 0; first < tokens_; ++i) {
        const std::size_t count = std::min(cuts[i % cuts.size()], tokens_ - first);
        run->advance(rows(u_, b, first, count), state, rows(y, b, first, count));
        first += count;
      }
      expect_state(state, "state.", b, Bounds<T>::state);
    }
    EXPECT_LE(golden_error(y, golden_.values("y")), Bounds<T>::output);
    EXPECT_TRUE(run->guards_intact());
  }

  /// Two pieces with the state carried between them, and the second piece's complete vector-Jacobian product.
  void carried() const {
    const std::size_t split = golden_.number("split");
    const auto run = runner();
    const std::size_t rest = tokens_ - split;
    std::vector<T> y(u_.size()), d_u(rest * kModelWidth), state(mixer_->state().size());
    run->forward(rows(u_, 0, 0, split), {}, state, rows(y, 0, 0, split));
    expect_state(state, "mid.", 0, Bounds<T>::state);
    if (golden_.contains("dstate.recurrent") || golden_.contains("dstate.ssm")) {
      state = golden_.template flat<T>(mixer_->state(), "mid.");  // float starts from the rounded exact state
    }
    run->forward(rows(u_, 0, split, rest), state, state, rows(y, 0, split, rest));
    expect_state(state, "state.", 0, Bounds<T>::state);
    EXPECT_LE(golden_error(y, golden_.values("y")), Bounds<T>::output);
    if (!golden_.contains("part2.grad.u")) return;
    std::vector<T> d_state = golden_.template flat<T>(mixer_->state(), "dstate.");
    run->backward(rows(d_y_, 0, split, rest), d_state, View<T, 2>(d_u.data(), {rest, kModelWidth}));
    EXPECT_LE(golden_error(d_u, golden_.values("part2.grad.u")), Bounds<T>::gradient);
    expect_gradients(*run, "part2.grad.");
    expect_state(d_state, "part2.grad_init.", 0, Bounds<T>::gradient);
    EXPECT_TRUE(run->guards_intact());
  }

 private:
  Golden golden_;
  std::unique_ptr<Mixer<T>> mixer_;
  std::size_t batch_, tokens_;
  std::vector<T> u_, d_y_, weights_;
};

class GdnLayer : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, GdnLayer, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

const std::vector<std::string> kCases{"gdn/t7", "gdn/t24_tiny", "gdn/carry_t140_s37", "gdn/carry_t9_s2"};

TEST_P(GdnLayer, OutputsStatesAndGradientsAreThoseOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, GetParam()).one_shot();
    LayerCase<float>(name, GetParam()).one_shot();
  }
}

TEST_P(GdnLayer, AStreamGivesTheOutputsOfThePublishedCode) {
  for (const std::string& name : kCases) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, GetParam()).streamed({1, 17, 3});
    LayerCase<float>(name, GetParam()).streamed({1});
  }
}

TEST_P(GdnLayer, ACarriedStateContinuesTheSequenceAndCarriesTheGradientBack) {
  for (const char* name : {"gdn/carry_t140_s37", "gdn/carry_t9_s2"}) {
    SCOPED_TRACE(name);
    LayerCase<double>(name, GetParam()).carried();
    LayerCase<float>(name, GetParam()).carried();
  }
}

}  // namespace
}  // namespace schemamem
