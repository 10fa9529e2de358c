#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "models/model.h"
#include "support/every_model.h"

namespace schemamem::test {

/// Every model of the suite, and the bare stacks of some of them.
inline std::vector<ModelCase> every_part() {
  std::vector<ModelCase> cases = every_model();
  for (const ModelCase& whole : every_model()) {
    ModelCase bare = whole;
    bare.name += "_bare";
    bare.spec.sizes["inputs"] = bare.spec.sizes["outputs"] = bare.spec.sizes.at("width");
    bare.spec.options["maps"] = "none";
    cases.push_back(bare);
  }
  return cases;
}

template <class T>
std::vector<T> normal_numbers(std::size_t count, std::uint64_t index, double scale = 1) {
  Rng rng = test_rng(index);
  std::vector<T> numbers(count);
  for (T& number : numbers) number = static_cast<T>(scale * rng.normal());
  return numbers;
}

/// What a piece is a function of.
template <class T>
struct PieceInputs {
  std::vector<T> weights, x, initial;  // an empty `initial`: from the empty memory
};
/// Its values, and its gradients of sum(y * d_y) + sum(final * d_final) + stillness * penalty.
template <class T>
struct PieceOutcome {
  std::vector<T> y, final;
  T penalty = 0;
  std::vector<T> d_weights, d_x, d_state;
};
/// What is asked of a piece.
template <class T>
struct PieceRequest {
  bool final = true;
  T stillness = 0;
  double floor = 0;
};

/// A model with weights that runs pieces of up to so many rows.
template <class T>
class PartRun {
 public:
  PartRun(const ModelCase& made, std::size_t tokens)
      : model_(made.make<T>()),
        folded_(model_->make_folded()),
        tape_(model_->make_tape({.tokens = tokens, .chunks = tokens}, {.poison = true, .guard = 64})),
        shard_(model_->make_shard()),
        rhythm_(tokens, 2, test_rng(40), 20) {}

  const SequenceModel<T>& model() const { return *model_; }
  const Folded<T>& folded() const { return *folded_; }
  RowMarks marks() const { return rhythm_.marks(); }
  std::size_t inputs() const { return model_->config().row_width(); }
  std::size_t outputs() const { return model_->config().outputs; }

  /// Weights, rows of normal numbers and a state of small numbers; angles are within one turn.
  PieceInputs<T> drawn(std::size_t tokens) const {
    PieceInputs<T> drawn{.weights = test_weights(*model_),
                         .x = normal_numbers<T>(tokens * inputs(), 3),
                         .initial = normal_numbers<T>(model_->carried().size(), 4, 0.3)};
    for (T& number : drawn.initial) number = std::abs(number);
    return drawn;
  }
  void set_weights(const std::vector<T>& weights) { model_->fold(view_of(std::span(weights)), *folded_); }

  /// One piece of all rows, forward and backward.
  PieceOutcome<T> run(const PieceInputs<T>& in, const PieceRequest<T>& request = {}) {
    set_weights(in.weights);
    shard_->clear();
    const std::size_t tokens = in.x.size() / inputs();
    std::vector<T> d_state = request.final ? d_final() : std::vector<T>(model_->carried().size());
    PieceOutcome<T> out = piece(in.x, 0, tokens, in.initial, request, d_state);
    out.d_weights = gradient();
    return out;
  }

  /// The same without gradients.
  PieceOutcome<T> values(const PieceInputs<T>& in, const PieceRequest<T>& request) {
    set_weights(in.weights);
    return values(in.x, 0, in.x.size() / inputs(), in.initial, request);
  }

  /// One piece; adds to the shard. `d_state` is the final state's gradient and becomes the first one's.
  PieceOutcome<T> piece(const std::vector<T>& x, std::size_t first, std::size_t count, const std::vector<T>& initial,
                        const PieceRequest<T>& request, std::vector<T>& d_state) {
    constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
    PieceOutcome<T> out = values(x, first, count, initial, request);
    out.d_x.assign(count * inputs(), kNan);
    const std::vector<T> d_y = normal_numbers<T>((first + count) * outputs(), 5);
    out.penalty = model_->backward(*folded_, *tape_, {d_y.data() + first * outputs(), {count, outputs()}}, *shard_,
                                   {.x = {out.d_x.data(), {count, inputs()}}, .state = d_state});
    out.d_state = d_state;
    EXPECT_TRUE(tape_->guards_intact());
    return out;
  }
  PieceOutcome<T> values(const std::vector<T>& x, std::size_t first, std::size_t count, const std::vector<T>& initial,
                         const PieceRequest<T>& request) {
    PieceOutcome<T> out;
    out.y.assign(count * outputs(), std::numeric_limits<T>::quiet_NaN());
    if (request.final) out.final.assign(model_->carried().size(), std::numeric_limits<T>::quiet_NaN());
    model_->forward(*folded_,
                    {.x = {x.data() + first * inputs(), {count, inputs()}},
                     .marks = marks().subspan(first, count),
                     .stillness = request.stillness,
                     .floor = request.floor,
                     .initial = initial,
                     .final = out.final},
                    *tape_, {out.y.data(), {count, outputs()}});
    return out;
  }

  GradientShard<T>& shard() { return *shard_; }
  std::vector<T> gradient() const {
    std::vector<T> d_weights(model_->parameters().size(), std::numeric_limits<T>::quiet_NaN());
    GradientShard<T>* const shards[] = {shard_.get()};
    model_->unfold(*folded_, shards, view_of(std::span(d_weights)));
    return d_weights;
  }
  std::vector<T> d_final() const { return normal_numbers<T>(model_->carried().size(), 6); }

  /// The loss of `b` less that of `a`. States are compared on the circle, where angles live; other differences are far
  /// smaller than a turn.
  double difference(const PieceOutcome<T>& a, const PieceOutcome<T>& b, const PieceRequest<T>& request) const {
    double sum = static_cast<double>(request.stillness) * (static_cast<double>(b.penalty) - a.penalty);
    const std::vector<T> d_y = normal_numbers<T>(a.y.size(), 5), d_end = d_final();
    for (std::size_t i = 0; i < a.y.size(); ++i) sum += d_y[i] * (b.y[i] - a.y[i]);
    for (std::size_t i = 0; i < a.final.size(); ++i)
      sum += d_end[i] * std::remainder(b.final[i] - a.final[i], 2 * std::numbers::pi);
    return sum;
  }

 private:
  std::unique_ptr<SequenceModel<T>> model_;
  std::unique_ptr<Folded<T>> folded_;
  std::unique_ptr<Tape<T>> tape_;
  std::unique_ptr<GradientShard<T>> shard_;
  TestEpisode<T> rhythm_;  // its marks go with rows of any numbers
};

}  // namespace schemamem::test
