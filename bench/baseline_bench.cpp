// Training step and streaming step of the baselines: checks against the plain reference, then times.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/threads.h"
#include "kernels/isa.h"
#include "models/baseline/mixer_runner.h"
#include "models/gated_delta_net/mixer.h"
#include "models/gated_delta_net/model.h"
#include "support/gated_delta_net.h"

namespace schemamem {
namespace {

constexpr std::size_t kBatch = 64, kTokens = 400, kShards = 16;

double seconds(const std::function<void()>& work, int repeats) {
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// The mixer's outputs and gradients on a short random piece against the recurrent equations in double.
double reference_error(const Mixer<float>& mixer) {
  constexpr std::size_t kPiece = 100;
  std::vector<float> weights(mixer.parameters().size());
  mixer.initialise("ours", 3, 0, view_of(std::span(weights)));
  Rng rng = Rng::stream(3, Purpose::kBenchmark, 0);
  std::vector<float> u(kPiece * kModelWidth), d_y(u.size()), y(u.size()), d_u(u.size()), d_weights(weights.size());
  for (float& value : u) value = static_cast<float>(rng.normal());
  for (float& value : d_y) value = static_cast<float>(rng.normal());
  MixerRunner<float> runner(mixer, kPiece);
  runner.set_weights(view_of(std::span<const float>(weights)));
  runner.forward({u.data(), {kPiece, kModelWidth}}, {}, {}, {y.data(), {kPiece, kModelWidth}});
  runner.backward({d_y.data(), {kPiece, kModelWidth}}, {}, {d_u.data(), {kPiece, kModelWidth}});
  runner.gradients(view_of(std::span(d_weights)));
  const auto rows = [](const std::vector<float>& values) {
    reference::Matrix m;
    for (std::size_t t = 0; t < kPiece; ++t) {
      const auto first = values.begin() + static_cast<std::ptrdiff_t>(t * kModelWidth);
      m.emplace_back(first, first + kModelWidth);
    }
    return m;
  };
  const std::vector<double> exact(weights.begin(), weights.end());
  const reference::GatedDeltaNet reference(test::reference_weights(mixer.parameters(), exact), rows(u));
  const std::vector<double> expected = test::flatten(reference.gradients(rows(d_y)).weights);
  double off = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    off = std::max(off, std::abs(expected[i] - d_weights[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return off / largest;
}

struct Step {
  explicit Step(const SequenceModel<float>& m, int threads)
      : model(m), pool(threads), weights(m.parameters().size()), d_weights(weights.size()), folded(m.make_folded()) {
    model.initialise("ours", 1, view_of(std::span(weights)));
    for (std::size_t i = 0; i < kShards; ++i) {
      shards.push_back(model.make_shard());
      pointers.push_back(shards.back().get());
    }
    for (int i = 0; i < threads; ++i) {
      tapes.push_back(model.make_tape({.tokens = kTokens, .chunks = 1}, {}));
      logits.emplace_back(kTokens * model.config().outputs);
    }
    Rng rng = Rng::stream(1, Purpose::kBenchmark, 1);
    x.resize(kBatch * kTokens * model.config().inputs);
    d_logits.resize(kTokens * model.config().outputs);
    for (float& value : x) value = static_cast<float>(rng.below(2));
    for (float& value : d_logits) value = static_cast<float>(rng.normal());
  }
  void run() {
    const ModelConfig& c = model.config();
    model.fold(view_of(std::span<const float>(weights)), *folded);
    pool.run(kShards, [&](std::size_t shard, int thread) {
      shards[shard]->clear();
      const auto at = static_cast<std::size_t>(thread);
      for (std::size_t b = shard; b < kBatch; b += kShards) {
        const View<const float, 2> rows{x.data() + b * kTokens * c.inputs, {kTokens, c.inputs}};
        model.forward(*folded, {.x = rows}, *tapes[at], {logits[at].data(), {kTokens, c.outputs}});
        model.backward(*folded, *tapes[at], {d_logits.data(), {kTokens, c.outputs}}, *shards[shard]);
      }
    });
    model.unfold(*folded, pointers, view_of(std::span(d_weights)));
  }

  const SequenceModel<float>& model;
  ThreadPool pool;
  std::vector<float> weights, d_weights, x, d_logits;
  std::unique_ptr<Folded<float>> folded;
  std::vector<std::unique_ptr<GradientShard<float>>> shards;
  std::vector<GradientShard<float>*> pointers;
  std::vector<std::unique_ptr<Tape<float>>> tapes;
  std::vector<std::vector<float>> logits;
};

void time_training(const SequenceModel<float>& model, int threads, int repeats) {
  Step step(model, threads);
  const double best = seconds([&] { step.run(); }, repeats);
  const std::vector<std::size_t> ends{kTokens};
  const double flops = static_cast<double>(kBatch) * model.training_flops(ends);
  fmt::print(
      "  training step, {} x {} tokens, {} thread(s): {:7.2f} ms  {:6.1f} GFLOP/s of {:.2f} GFLOP  {:.0f} tokens/s\n",
      kBatch, kTokens, threads, best * 1e3, flops / best * 1e-9, flops * 1e-9,
      static_cast<double>(kBatch * kTokens) / best);
}

void time_stream(const SequenceModel<float>& model) {
  Step step(model, 1);
  model.fold(view_of(std::span<const float>(step.weights)), *step.folded);
  const auto scratch = model.make_scratch();
  StreamState<float> state = model.empty_state();
  const ModelConfig& c = model.config();
  const double best = seconds(
      [&] {
        for (std::size_t t = 0; t < kTokens; ++t) {
          model.advance(*step.folded, {step.x.data() + t * c.inputs, {1, c.inputs}}, state, *scratch,
                        {step.logits[0].data() + t * c.outputs, {1, c.outputs}});
        }
      },
      20);
  fmt::print("  one token of a stream: {:.2f} us\n", best / kTokens * 1e6);
}

}  // namespace
}  // namespace schemamem

int main(int argc, char** argv) {
  using namespace schemamem;  // NOLINT(google-build-using-namespace)
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 10;
  for (const Isa isa : available_isas()) {
    fmt::print("gdn, {}\n", isa_name(isa));
    const double error = reference_error(*make_gdn_mixer<float>(isa));
    fmt::print("  largest deviation of a gradient from the reference: {:.1e}\n", error);
    if (!(error < 1e-4)) return 1;
    const auto model = make_gated_delta_net<float>({.name = "gdn", .inputs = 7, .outputs = 3}, isa);
    for (const int threads : {1, 2}) time_training(*model, threads, repeats);
    time_stream(*model);
  }
  return 0;
}
