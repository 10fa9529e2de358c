#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "models/baseline/mixer_runner.h"
#include "support/golden.h"

namespace schemamem::test {

/// The golden vectors' tolerances.
template <class T>
struct Bounds;
template <>
struct Bounds<double> {
  static constexpr double output = 1e-9, state = 1e-9, angle = 1e-9, gradient = 1e-9;
};
template <>
struct Bounds<float> {
  static constexpr double output = 2e-5, state = 5e-5, angle = 1e-4, gradient = 1e-4;
};

inline constexpr ArenaPolicy kHostile{.poison = true, .guard = 64};

/// One golden layer file, run by one mixer.
template <class T>
class LayerCase {
 public:
  LayerCase(const std::string& name, std::unique_ptr<Mixer<T>> mixer)
      : golden_(name),
        mixer_(std::move(mixer)),
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
    return {values.data() + (b * tokens_ + first) * mixer_->width(), {count, mixer_->width()}};
  }
  View<T, 2> rows(std::vector<T>& values, std::size_t b, std::size_t first, std::size_t count) const {
    return {values.data() + (b * tokens_ + first) * mixer_->width(), {count, mixer_->width()}};
  }
  /// A state, or with `gradient` the gradient of one. Angles are compared on the circle.
  void expect_state(const std::vector<T>& state, const std::string& prefix, std::size_t b,
                    bool gradient = false) const {
    const std::vector<double> expected = golden_.template flat<double>(mixer_->state(), prefix, b);
    for (const TensorSpec& tensor : mixer_->state().tensors()) {
      const auto found = std::span(state).subspan(tensor.offset, tensor.size);
      const auto wanted = std::span(expected).subspan(tensor.offset, tensor.size);
      if (tensor.name == "angle" && !gradient) {
        EXPECT_LE(circle_error(found, wanted), Bounds<T>::angle) << prefix << tensor.name;
      } else {
        EXPECT_LE(golden_error(found, wanted), gradient ? Bounds<T>::gradient : Bounds<T>::state)
            << prefix << tensor.name;
      }
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
      expect_state(state, "state.", b);
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
      expect_state(state, "state.", b);
    }
    EXPECT_LE(golden_error(y, golden_.values("y")), Bounds<T>::output);
    EXPECT_TRUE(run->guards_intact());
  }

  /// Two pieces with the state carried between them, and the second piece's complete vector-Jacobian product.
  void carried() const {
    const std::size_t split = golden_.number("split");
    const auto run = runner();
    const std::size_t rest = tokens_ - split;
    std::vector<T> y(u_.size()), d_u(rest * mixer_->width()), state(mixer_->state().size());
    run->forward(rows(u_, 0, 0, split), {}, state, rows(y, 0, 0, split));
    expect_state(state, "mid.", 0);
    if (golden_.contains("dstate.recurrent") || golden_.contains("dstate.ssm")) {
      state = golden_.template flat<T>(mixer_->state(), "mid.");  // float starts from the rounded exact state
    }
    run->forward(rows(u_, 0, split, rest), state, state, rows(y, 0, split, rest));
    expect_state(state, "state.", 0);
    EXPECT_LE(golden_error(y, golden_.values("y")), Bounds<T>::output);
    if (!golden_.contains("part2.grad.u")) return;
    std::vector<T> d_state = golden_.template flat<T>(mixer_->state(), "dstate.");
    run->backward(rows(d_y_, 0, split, rest), d_state, View<T, 2>(d_u.data(), {rest, mixer_->width()}));
    EXPECT_LE(golden_error(d_u, golden_.values("part2.grad.u")), Bounds<T>::gradient);
    expect_gradients(*run, "part2.grad.");
    expect_state(d_state, "part2.grad_init.", 0, true);
    EXPECT_TRUE(run->guards_intact());
  }

 private:
  Golden golden_;
  std::unique_ptr<Mixer<T>> mixer_;
  std::size_t batch_, tokens_;
  std::vector<T> u_, d_y_, weights_;
};

}  // namespace schemamem::test
