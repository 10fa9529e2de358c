#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "models/baseline/layer_case.h"
#include "models/mamba3/mixer.h"
#include "support/mamba3.h"

namespace schemamem::test {

/// Read segments with borders at the piece's ends, inside one chunk, on a chunk's border and over several chunks; as
/// far as they fit into `tokens`.
inline std::vector<Segment> segments_within(std::size_t tokens) {
  std::vector<Segment> fitting;
  for (const Segment& segment : {Segment{0, 3}, {5, 9}, {12, 32}, {33, 70}}) {
    if (segment.begin < tokens) fitting.push_back({segment.begin, std::min(segment.end, tokens)});
  }
  return fitting;
}

/// What a piece gives: outputs and final state, and its whole vector-Jacobian product with the stillness term.
template <class T>
struct Piece {
  std::vector<T> y, end, d_u, d_weights, d_state;
  T stillness = 0;
};

/// A layer with drawn weights, inputs, state and upstream gradients, in the fast form and, in double, in the plain one.
template <class T>
struct DrawnLayer {
  DrawnLayer(const Mamba3Config& sizes, Isa isa, std::size_t count, bool general = false)
      : config(sizes),
        tokens(count),
        mixer(make_mamba3_mixer<T>(config, isa, general)),
        runner(*mixer, tokens, kHostile) {
    weights.resize(mixer->parameters().size());
    mixer->initialise("paper", 7, 0, view_of(std::span(weights)));
    Rng rng = Rng::stream(7, Purpose::kTest, 1);
    for (T& w : weights) w += static_cast<T>(0.1 * rng.normal());
    for (std::vector<T>* const values : {&u, &d_y}) {
      values->resize(tokens * config.width);
      for (T& entry : *values) entry = static_cast<T>(rng.normal());
    }
    for (std::vector<T>* const values : {&state, &d_state}) {
      values->resize(mixer->state().size());
      for (T& entry : *values) entry = static_cast<T>(rng.normal());
    }
  }
  View<const T, 2> rows(const std::vector<T>& values) const {
    return {values.data(), {values.size() / config.width, config.width}};
  }
  View<T, 2> rows(std::vector<T>& values) const {
    return {values.data(), {values.size() / config.width, config.width}};
  }

  Piece<T> run(T stillness = 0, const std::vector<Segment>& segments = {}) {
    Piece<T> piece;
    piece.y.resize(u.size());
    piece.d_u.resize(u.size());
    piece.end.resize(state.size());
    piece.d_weights.resize(weights.size());
    piece.d_state = d_state;
    runner.set_weights(view_of(std::span<const T>(weights)));
    runner.set_floor(floor);
    runner.clear();
    runner.forward(rows(u), state, piece.end, rows(piece.y));
    piece.stillness = runner.backward(rows(d_y), piece.d_state, rows(piece.d_u), stillness, segments);
    runner.gradients(view_of(std::span(piece.d_weights)));
    return piece;
  }
  /// Outputs, with the state behind them, of a stream that is fed as many rows at once as `cuts` say, over and over.
  std::vector<T> stream(const std::vector<std::size_t>& cuts) {
    runner.set_weights(view_of(std::span<const T>(weights)));
    runner.set_floor(floor);
    std::vector<T> result(u.size()), end = state;
    for (std::size_t first = 0, i = 0; first < tokens; ++i) {
      const std::size_t count = std::min(cuts[i % cuts.size()], tokens - first);
      runner.advance(rows(std::as_const(u)).slice(first, count), end, rows(result).slice(first, count));
      first += count;
    }
    result.insert(result.end(), end.begin(), end.end());
    return result;
  }

  Mamba3Config config;
  std::size_t tokens;
  std::unique_ptr<Mixer<T>> mixer;
  MixerRunner<T> runner;
  std::vector<T> weights, u, d_y, state, d_state;
  double floor = 0;
};

/// DrawnLayer::run by the plain recurrence.
template <class T>
Piece<double> plain_run(const DrawnLayer<T>& layer, double stillness = 0, const std::vector<Segment>& segments = {}) {
  const Mamba3Config& c = layer.config;
  const ref::Sizes sizes{.width = c.width, .heads = c.heads, .groups = c.groups, .value = c.head_dim, .state = c.state};
  const auto exact = [](const std::vector<T>& values) { return std::vector<double>(values.begin(), values.end()); };
  const std::vector<double> u = exact(layer.u), d_y = exact(layer.d_y);
  const Layout& parameters = layer.mixer->parameters();
  ref::Weights weights(sizes), d_weights(sizes);
  fill_weights(parameters, exact(layer.weights), weights);
  const ref::State initial = plain_state(sizes, exact(layer.state));
  ref::State d = plain_state(sizes, exact(layer.d_state));

  Piece<double> piece;
  piece.y.resize(u.size());
  piece.d_u.resize(u.size());
  const auto rows = [&](auto& values) { return View(values.data(), std::array{layer.tokens, c.width}); };
  const std::vector<ref::Token> run = ref::forward(weights, rows(u), initial, rows(piece.y), layer.floor);
  piece.end = flatten(run.back().after);
  const auto after = [&](std::size_t tokens) -> const ref::State& {
    return tokens == 0 ? initial : run[tokens - 1].after;
  };
  const auto enter = [&](std::size_t tokens) {  // the stillness term's gradient with respect to the state there
    for (const Segment& segment : segments) {
      const double sign = (segment.end == tokens ? 1.0 : 0.0) - (segment.begin == tokens ? 1.0 : 0.0);
      if (sign == 0) continue;
      const std::vector<double> end = flat(after(segment.end).ssm), begin = flat(after(segment.begin).ssm);
      const auto elements = static_cast<double>(end.size());
      std::size_t i = 0;
      for_entries(d.ssm, [&](double& entry) {
        const double change = end[i] - begin[i];
        entry += sign * 2 * stillness * change / elements;
        if (sign > 0 && stillness != 0) piece.stillness += change * change / elements;
        ++i;
      });
    }
  };
  for (std::size_t t = layer.tokens; t-- > 0;) {
    enter(t + 1);
    ref::step_backward(weights, rows(u)[t], after(t), run[t], rows(d_y)[t], d, rows(piece.d_u)[t], d_weights);
  }
  enter(0);
  piece.d_weights = flatten(parameters, d_weights);
  piece.d_state = flatten(d);
  return piece;
}

}  // namespace schemamem::test
