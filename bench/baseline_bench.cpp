// Training step and streaming step of the baselines: checks against the plain reference, then times.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/rng.h"
#include "check_only.h"
#include "kernels/isa.h"
#include "models/baseline/mixer_runner.h"
#include "models/gated_delta_net/mixer.h"
#include "models/gated_delta_net/model.h"
#include "models/mamba3/mixer.h"
#include "models/mamba3/model.h"
#include "support/gated_delta_net.h"
#include "support/mamba3.h"
#include "system/threads.h"

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

/// Gradients of the weights by the recurrent equations in double: u and d_y are [tokens, D].
using ReferenceGradients = std::vector<double> (*)(const Mixer<float>& mixer, const std::vector<double>& weights,
                                                   const std::vector<double>& u, const std::vector<double>& d_y);

std::vector<double> gated_delta_net_gradients(const Mixer<float>& mixer, const std::vector<double>& weights,
                                              const std::vector<double>& u, const std::vector<double>& d_y) {
  const auto width = static_cast<std::ptrdiff_t>(mixer.width());
  const auto rows = [width](const std::vector<double>& values) {
    reference::Matrix m;
    for (auto first = values.begin(); first != values.end(); first += width) m.emplace_back(first, first + width);
    return m;
  };
  const reference::GatedDeltaNet reference(test::reference_weights(mixer.parameters(), weights), rows(u));
  return test::flatten(reference.gradients(rows(d_y)).weights);
}

std::vector<double> mamba3_gradients(const Mixer<float>& mixer, const std::vector<double>& weights,
                                     const std::vector<double>& u, const std::vector<double>& d_y) {
  const auto rows = [&](auto& values) {
    return View(values.data(), std::array{values.size() / mixer.width(), mixer.width()});
  };
  test::ref::Weights plain, d_plain;
  test::fill_weights(mixer.parameters(), weights, plain);
  std::vector<double> y(u.size()), d_u(u.size());
  const test::ref::State empty;
  test::ref::State d_state;
  const std::vector<test::ref::Token> run = test::ref::forward(plain, rows(u), empty, rows(y));
  test::ref::backward(plain, rows(u), empty, run, rows(d_y), d_state, rows(d_u), d_plain);
  return test::flatten(mixer.parameters(), d_plain);
}

/// The mixer's gradients on a short random piece against the recurrent equations in double.
double reference_error(const Mixer<float>& mixer, ReferenceGradients reference_gradients) {
  constexpr std::size_t kPiece = 100;
  std::vector<float> weights(mixer.parameters().size());
  mixer.initialise("ours", 3, 0, view_of(std::span(weights)));
  Rng rng = Rng::stream(3, Purpose::kBenchmark, 0);
  const std::array<std::size_t, 2> shape{kPiece, mixer.width()};
  std::vector<float> u(kPiece * mixer.width()), d_y(u.size()), y(u.size()), d_u(u.size()), d_weights(weights.size());
  for (float& value : u) value = static_cast<float>(rng.normal());
  for (float& value : d_y) value = static_cast<float>(rng.normal());
  MixerRunner<float> runner(mixer, kPiece);
  runner.set_weights(view_of(std::span<const float>(weights)));
  runner.forward({u.data(), shape}, {}, {}, {y.data(), shape});
  runner.backward({d_y.data(), shape}, {}, {d_u.data(), shape});
  runner.gradients(view_of(std::span(d_weights)));
  const auto exact = [](const std::vector<float>& values) { return std::vector<double>(values.begin(), values.end()); };
  const std::vector<double> expected = reference_gradients(mixer, exact(weights), exact(u), exact(d_y));
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
          const View<const float, 2> row(step.x.data() + t * c.inputs, {1, c.inputs});
          model.advance(*step.folded, {row}, state, *scratch, {step.logits[0].data() + t * c.outputs, {1, c.outputs}});
        }
      },
      20);
  fmt::print("  one token of a stream: {:.2f} us\n", best / kTokens * 1e6);
}

struct Baseline {
  const char* name;
  std::unique_ptr<Mixer<float>> (*mixer)(Isa);
  std::unique_ptr<SequenceModel<float>> (*model)(Isa);
  ReferenceGradients reference;
};
constexpr Baseline kBaselines[] = {
    {"gdn", [](Isa isa) { return make_gdn_mixer<float>({}, {.isa = isa}); },
     [](Isa isa) { return make_gated_delta_net<float>({}, {.isa = isa}); }, gated_delta_net_gradients},
    {"mamba3", [](Isa isa) { return make_mamba3_mixer<float>({}, isa); },
     [](Isa isa) { return make_mamba3<float>({}, {.isa = isa}); }, mamba3_gradients}};

bool run(const Baseline& baseline, Isa isa, int repeats) {
  fmt::print("{}, {}\n", baseline.name, isa_name(isa));
  const double error = reference_error(*baseline.mixer(isa), baseline.reference);
  fmt::print("  largest deviation of a gradient from the reference: {:.1e}\n", error);
  if (!(error < 1e-4)) return false;
  if (repeats == 0) return true;  // only checked
  const auto model = baseline.model(isa);
  for (const int threads : {1, 2}) time_training(*model, threads, repeats);
  time_stream(*model);
  return true;
}

}  // namespace
}  // namespace schemamem

/// baseline_bench [repeats] [gdn|mamba3] [instruction set]
int main(int argc, char** argv) {
  using namespace schemamem;  // NOLINT(google-build-using-namespace)
  const int repeats = checks_only(argc, argv) ? 0 : argc > 1 ? std::atoi(argv[1]) : 10;
  const std::string only = argc > 2 ? argv[2] : "", only_isa = argc > 3 ? argv[3] : "";
  for (const Baseline& baseline : kBaselines) {
    if (!only.empty() && only != baseline.name) continue;
    for (const Isa isa : available_isas()) {
      if (!only_isa.empty() && only_isa != isa_name(isa)) continue;
      if (!run(baseline, isa, repeats)) return 1;
    }
  }
  return 0;
}
