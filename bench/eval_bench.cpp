// Evaluation of every model on all scenarios at the paper's five delays, beside the engine's own forward pass over the
// same episodes or over those of `schemamem bench step`, whichever is faster, encoded ahead and on the same threads.
// Both have to give the same answers before anything is timed.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>
#include <vector>

#include "check_only.h"
#include "eval/evaluator.h"
#include "task/batch.h"

namespace {

using namespace schemamem;
using Clock = std::chrono::steady_clock;

constexpr Setting kSetting{3, 3};
constexpr std::size_t kEpisodes = 16;
constexpr int kRepeats = 5;
/// Share of the forward pass's speed that an evaluation of SchemaMem is held to.
constexpr double kTarget = 0.60;

/// Episodes of 400 tokens, as `schemamem bench step` has them.
const std::vector<TaskCase> kSteps(4, {.setting = kSetting, .scenario = Scenario::kRetention, .delay = 388});

std::vector<TaskCase> all_cases() {
  std::vector<TaskCase> cases{{.setting = kSetting, .scenario = Scenario::kImmediate}};
  for (const Scenario scenario : {Scenario::kRetention, Scenario::kInterference, Scenario::kOverwrite}) {
    for (const std::size_t delay : {96, 192, 384, 768, 1536})
      cases.push_back({.setting = kSetting, .scenario = scenario, .delay = delay});
  }
  return cases;
}

/// Episodes encoded ahead, and the forward pass of training over them.
class Forward {
 public:
  Forward(const LoadedModel<float>& model, const std::vector<TaskCase>& cases, int threads)
      : model_(model), pool_(threads) {
    std::size_t longest = 0;
    for (const TaskCase& request : cases) {
      EvaluationEpisodes source(request, {.episodes = kEpisodes});
      for (auto tokens = source.next(); !tokens.empty(); tokens = source.next()) {
        episodes_.push_back({tokens.begin(), tokens.end()});
        inputs_.emplace_back(tokens.size() * kSetting.input_width());
        const View<float, 2> rows(inputs_.back().data(), {tokens.size(), kSetting.input_width()});
        encode_inputs(kSetting, tokens, rows);
        marks_.push_back(validity_marks<float>(rows));
        tokens_ += static_cast<std::int64_t>(tokens.size());
        longest = std::max(longest, tokens.size());
      }
    }
    for (int i = 0; i < threads; ++i) {
      tapes_.push_back(model.model().make_tape({longest, longest / 96 + 8}, {}));
      logits_.emplace_back(longest * kSetting.output_width());
    }
  }

  void run() {
    right_.assign(episodes_.size(), 0);
    pool_.run(episodes_.size(), [&](std::size_t i, int thread) {
      const std::size_t length = episodes_[i].size();
      Buffer<float>& out = logits_[static_cast<std::size_t>(thread)];
      const View<float, 2> logits(out.data(), {length, kSetting.output_width()});
      const View<const float, 2> x(inputs_[i].data(), {length, kSetting.input_width()});
      model_.model().forward(model_.folded(), {.x = x, .marks = marks_[i]}, *tapes_[static_cast<std::size_t>(thread)],
                             logits);
      for (std::size_t t = 0; t < length; ++t) {
        if (!episodes_[i][t].final) continue;
        std::int32_t answer = 0;
        for (std::size_t j = 0; j < kSetting.output_width(); ++j) answer |= (logits(t, j) >= 0 ? 1 : 0) << j;
        if (answer == episodes_[i][t].label) ++right_[i];
      }
    });
  }
  std::int64_t tokens() const { return tokens_; }
  std::int64_t right() const { return std::accumulate(right_.begin(), right_.end(), std::int64_t{0}); }

 private:
  const LoadedModel<float>& model_;
  ThreadPool pool_;
  std::vector<std::vector<Token>> episodes_;
  std::vector<Buffer<float>> inputs_, logits_;
  std::vector<std::vector<RowMark>> marks_;
  std::vector<std::unique_ptr<Tape<float>>> tapes_;
  std::vector<std::int64_t> right_;
  std::int64_t tokens_ = 0;
};

std::int64_t evaluate(Evaluator& evaluator) {
  const StopFlag never{false};
  EvaluationObserver nobody;
  std::int64_t right = 0;
  for (const TaskCase& request : all_cases()) {
    const auto cells =
        evaluator.table(episode_case(request.scenario, request.delay), {.episodes = kEpisodes}, never, nobody);
    for (const EvaluationCell& cell : cells.value()) right += cell.right;
  }
  return right;
}

template <class Work>
double seconds_of(Work&& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  const bool only_checks = checks_only(argc, argv);
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // a line at a time, also into a file
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  fmt::print("{} episodes of each scenario and delay, best of {}\n", kEpisodes, kRepeats);
  fmt::print("{:<10} {:>7} {:>18} {:>18} {:>7} {:>7}\n", "model", "threads", "forward, tokens/s", "eval, tokens/s",
             "ratio", "target");
  for (const std::string& name : model_names()) {
    const ModelSpec spec = published_spec(name, kSetting.input_width(), kSetting.output_width()).value();
    const auto made = make_model<float>(spec).value();
    std::vector<float> weights(made->parameters().size());
    made->initialise("ours", 1, {weights.data(), {weights.size()}});
    const auto model = LoadedModel<float>::make(spec, weights).value();
    for (int threads = 1; threads <= cores; threads *= 2) {
      Forward forward(*model, all_cases(), threads), step(*model, kSteps, threads);
      Evaluator evaluator(model, std::make_shared<AddressValueTask>(kSetting), Mode::kRecurrent, {.threads = threads});
      forward.run();
      const std::int64_t expected = forward.right(), found = evaluate(evaluator);
      // The baselines train with chunked forms of their recurrences: a logit near zero may round to the other side.
      const std::int64_t allowed = name == "schemamem" ? 0 : expected / 100;
      if (std::abs(found - expected) > allowed) {
        fmt::print(stderr, "{}: {} right answers, expected {}: nothing is timed\n", name, found, expected);
        return 1;
      }
      if (only_checks) continue;
      // Tokens a second, the best of all repetitions; the forward pass may choose its kind of episodes.
      double quick = 0, ours = 0;
      for (int i = 0; i < kRepeats; ++i) {
        for (Forward* one : {&forward, &step})
          quick = std::max(quick, static_cast<double>(one->tokens()) / seconds_of([&] { one->run(); }));
        ours = std::max(ours, static_cast<double>(forward.tokens()) / seconds_of([&] { evaluate(evaluator); }));
      }
      fmt::print("{:<10} {:>7} {:>18.0f} {:>18.0f} {:>6.1f}% {:>7}\n", name, threads, quick, ours, 100 * ours / quick,
                 name == "schemamem" ? fmt::format("{:.0f}%", 100 * kTarget) : "");
    }
  }
  return 0;
}
