#include "models/example/trace_mixer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "models/baseline/model.h"

namespace schemamem {
namespace {

constexpr std::size_t kTokens = 7, kInputs = 3, kOutputs = 2;

BaselineModel<double> trace_model() {
  return {{.name = "trace", .inputs = kInputs, .outputs = kOutputs, .layers = 2},
          {.name = "trace", .sizes = {}},
          std::make_unique<TraceMixer<double>>(16),
          {}};
}

/// A model with random weights and rows, and the loss sum(logits * wanted).
struct Trial {
  BaselineModel<double> model = trace_model();
  Buffer<double> weights{model.parameters().size()}, rows{kTokens * kInputs}, wanted{kTokens * kOutputs},
      logits{kTokens * kOutputs};
  std::unique_ptr<Folded<double>> folded = model.make_folded();
  std::unique_ptr<Tape<double>> tape = model.make_tape({.tokens = kTokens, .chunks = 1}, {});

  Trial() {
    Rng rng = Rng::stream(1, Purpose::kTest, 0);
    for (Buffer<double>* const buffer : {&weights, &rows, &wanted})
      for (double& value : *buffer) value = 0.5 * rng.normal();
  }
  View<const double, 2> x() const { return {rows.data(), {kTokens, kInputs}}; }
  View<double, 2> y() { return {logits.data(), {kTokens, kOutputs}}; }
  double loss() {
    model.fold({weights.data(), {weights.size()}}, *folded);
    model.forward(*folded, {.x = x()}, *tape, y());
    double sum = 0;
    for (std::size_t i = 0; i < logits.size(); ++i) sum += logits[i] * wanted[i];
    return sum;
  }
};

TEST(ExampleModel, HasTheGradientOfItsLoss) {
  Trial trial;
  trial.loss();
  const auto shard = trial.model.make_shard();
  shard->clear();
  trial.model.backward(*trial.folded, *trial.tape, {trial.wanted.data(), {kTokens, kOutputs}}, *shard);
  Buffer<double> gradient(trial.weights.size());
  GradientShard<double>* const shards[] = {shard.get()};
  trial.model.unfold(*trial.folded, shards, {gradient.data(), {gradient.size()}});
  constexpr double kStep = 1e-6;  // central differences: an error of about step^2, and rounding of about 1e-16 / step
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double here = trial.weights[i];
    trial.weights[i] = here + kStep;
    const double above = trial.loss();
    trial.weights[i] = here - kStep;
    const double below = trial.loss();
    trial.weights[i] = here;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-7 * (1 + std::abs(gradient[i]))) << i;
  }
}

TEST(ExampleModel, StreamsWhatItsForwardPassSays) {
  Trial trial;
  trial.loss();
  StreamState<double> state = trial.model.empty_state();
  const auto scratch = trial.model.make_scratch();
  Buffer<double> streamed(kTokens * kOutputs);
  for (std::size_t t = 0; t < kTokens; ++t)
    trial.model.advance(*trial.folded, {.x = trial.x().slice(t, 1)}, state, *scratch,
                        {streamed.data() + t * kOutputs, {1, kOutputs}});
  for (std::size_t i = 0; i < streamed.size(); ++i) EXPECT_NEAR(streamed[i], trial.logits[i], 1e-12);
}

}  // namespace
}  // namespace schemamem
