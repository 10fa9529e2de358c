// What the options cost that are off by default, on one core: the live writer, the pulling commit and the floor. Both
// sides take turns, episode by episode, and are timed by the processor time of the thread, so that other work on the
// machine hurts little.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "models/registry.h"

namespace {

using namespace schemamem;

constexpr std::size_t kTokens = 400, kTurns = 300;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// One model with drawn weights and an episode: 8 writes, 384 reads, 8 questions.
class Side {
 public:
  Side(const std::string& choice, double floor)
      : model_(make_model<float>(resolve_model(parse_model_choice(choice).value(), {.inputs = 7, .outputs = 3}).value())
                   .value()),
        folded_(model_->make_folded()),
        tape_(model_->make_tape({.tokens = kTokens, .chunks = 16}, {})),
        shard_(model_->make_shard()),
        floor_(floor),
        x_(kTokens * 7),
        logits_(kTokens * 3),
        d_logits_(kTokens * 3) {
    std::vector<float> weights(model_->parameters().size());
    model_->initialise("ours", 1, view_of(std::span(weights)));
    model_->fold(view_of(std::span(std::as_const(weights))), *folded_);
    Rng rng = Rng::stream(1, Purpose::kTest, 1);
    for (float& bit : x_) bit = static_cast<float>(rng.below(2));
    for (std::size_t t = 0; t < kTokens; ++t) x_[t * 7 + 6] = t < 8 ? 1.F : 0.F;
    for (float& d : d_logits_) d = static_cast<float>(rng.normal());
    marks_ = validity_marks<float>(rows());
  }

  /// Processor time of one forward and backward pass.
  double step() {
    const double begin = seconds();
    model_->forward(*folded_, {.x = rows(), .marks = marks_, .floor = floor_}, *tape_, {logits_.data(), {kTokens, 3}});
    model_->backward(*folded_, *tape_, {d_logits_.data(), {kTokens, 3}}, *shard_);
    return seconds() - begin;
  }
  const std::vector<float>& logits() const { return logits_; }
  bool finite() const {
    return std::all_of(logits_.begin(), logits_.end(), [](float y) { return std::isfinite(y); });
  }

 private:
  View<const float, 2> rows() const { return {x_.data(), {kTokens, 7}}; }

  std::unique_ptr<SequenceModel<float>> model_;
  std::unique_ptr<Folded<float>> folded_;
  std::unique_ptr<Tape<float>> tape_;
  std::unique_ptr<GradientShard<float>> shard_;
  double floor_;
  std::vector<float> x_, logits_, d_logits_;
  std::vector<RowMark> marks_;
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

bool compare(const std::string& what, Side plain, Side option, bool same) {
  plain.step();
  option.step();
  if (!plain.finite() || !option.finite() || (plain.logits() == option.logits()) != same) {
    fmt::print(stderr, "{}: the outputs are not as they should be\n", what);
    return false;
  }
  std::vector<double> without, with, ratios;
  for (std::size_t i = 0; i < kTurns; ++i) {
    without.push_back(plain.step());
    with.push_back(option.step());
    ratios.push_back(with.back() / without.back());
  }
  fmt::print("{:<34} {:>9.3f} {:>9.3f} {:>8.3f}\n", what, 1e3 * median(without), 1e3 * median(with), median(ratios));
  return true;
}

}  // namespace

int main() {
  fmt::print("forward and backward of an episode of {} tokens, medians of {} turns\n{:<34} {:>9} {:>9} {:>8}\n",
             kTokens, kTurns, "", "off ms", "on ms", "ratio");
  const std::string live = "schemamem:writer=live";
  bool good = compare("schemamem against itself", {"schemamem", 0}, {"schemamem", 0}, true) &&
              compare("schemamem, writer live", {"schemamem", 0}, {live, 0}, false) &&
              compare("schemamem, commit pull", {"schemamem", 0}, {"schemamem:commit=pull", 0}, false) &&
              compare("schemamem live, floor 0.1", {live, 0}, {live, 0.1}, false);
  for (const std::string& model : model_names())
    good = good && compare(model + ", floor 0.1", {model, 0}, {model, 0.1}, false);
  return good ? 0 : 1;
}
