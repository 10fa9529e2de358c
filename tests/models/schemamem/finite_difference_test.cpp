#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "models/schemamem/model.h"
#include "support/every_model.h"

namespace schemamem {
namespace {

using test::TestEpisode;

/// loss(w) = sum(logits * d_logits) + stillness * (change of S over read segments), in double.
class Loss {
 public:
  Loss(const SchemaMemConfig& config, EngineChoice choice, Mode mode, double stillness, std::size_t tokens)
      : model_(make_schemamem<double>(config, choice)),
        folded_(model_->make_folded()),
        tape_(model_->make_tape({.tokens = tokens, .chunks = tokens}, {.poison = true, .guard = 64})),
        shard_(model_->make_shard()),
        // Reads are long enough for a chunk of `commit_every`, and some tokens remain for what follows.
        x_(tokens, config.inputs, test::test_rng(config.commit_every), config.commit_every + 3),
        logits_(tokens * config.outputs),
        d_logits_(logits_.size()),
        episode_(x_.episode(mode, stillness)),
        live_(config.live) {
    Rng rng = test::test_rng(7);
    for (double& d : d_logits_) d = rng.normal();
  }

  double at(const std::vector<double>& weights) {
    model_->fold(view_of(std::span(weights)), *folded_);
    model_->forward(*folded_, episode_, *tape_, {logits_.data(), extents()});
    double sum = 0;
    for (std::size_t i = 0; i < logits_.size(); ++i) sum += logits_[i] * d_logits_[i];
    if (episode_.stillness == 0) return sum;
    shard_->clear();
    return sum + episode_.stillness * backward();
  }

  std::vector<double> gradient(const std::vector<double>& weights) {
    model_->fold(view_of(std::span(weights)), *folded_);
    model_->forward(*folded_, episode_, *tape_, {logits_.data(), extents()});
    shard_->clear();
    backward();
    std::vector<double> d_weights(weights.size(), std::numeric_limits<double>::quiet_NaN());
    GradientShard<double>* const shards[] = {shard_.get()};
    model_->unfold(*folded_, shards, view_of(std::span(d_weights)));
    EXPECT_TRUE(tape_->guards_intact());
    return d_weights;
  }

  /// A live writer, whose commits feed on each other, is curved the most.
  double step() const { return live_ ? 4e-6 : 1e-4; }
  std::size_t chunks() const { return model_->chunk_ends(episode_).size(); }
  const SequenceModel<double>& model() const { return *model_; }

 private:
  std::array<std::size_t, 2> extents() const { return {x_.tokens(), model_->config().outputs}; }
  double backward() { return model_->backward(*folded_, *tape_, {d_logits_.data(), extents()}, *shard_); }

  std::unique_ptr<SequenceModel<double>> model_;
  std::unique_ptr<Folded<double>> folded_;
  std::unique_ptr<Tape<double>> tape_;
  std::unique_ptr<GradientShard<double>> shard_;
  TestEpisode<double> x_;
  std::vector<double> logits_, d_logits_;
  Episode<double> episode_;
  bool live_;
};

/// The slope along a random direction of each tensor, against five-point differences. Their own error, about
/// h^4 / 30 of the fifth derivative and 1e-15 |loss| / h of rounding, is far below the bound for this step. Episodes
/// with many commits are so curved that a step of 1e-3 is too long.
void expect_slopes(Loss& loss, std::uint64_t seed) {
  const std::vector<double> weights = test::test_weights(loss.model(), seed);
  const std::vector<double> gradient = loss.gradient(weights);
  std::vector<double> moved = weights;
  Rng rng = test::test_rng(seed + 500);
  for (const TensorSpec& tensor : loss.model().parameters().tensors()) {
    const auto count = static_cast<double>(tensor.size);
    const double unit = 1 / std::sqrt(count), step = loss.step();
    std::vector<double> direction(tensor.size);
    double slope = 0, squares = 0;
    for (std::size_t i = 0; i < tensor.size; ++i) {
      direction[i] = rng.below(2) == 0 ? unit : -unit;
      slope += direction[i] * gradient[tensor.offset + i];
      squares += gradient[tensor.offset + i] * gradient[tensor.offset + i];
    }
    const auto move = [&](double distance) {
      for (std::size_t i = 0; i < tensor.size; ++i)
        moved[tensor.offset + i] = weights[tensor.offset + i] + distance * direction[i];
    };
    const auto at = [&](double distance) {
      move(distance);
      return loss.at(moved);
    };
    const double near = at(step) - at(-step), far = at(2 * step) - at(-2 * step);
    move(0);
    const double scale = std::sqrt(squares / count);  // of one element
    EXPECT_NEAR(slope, (8 * near - far) / (12 * step), 1e-6 * scale + 1e-8) << tensor.name;
  }
}

class FiniteDifferences : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(Isas, FiniteDifferences, testing::ValuesIn(available_isas()),
                         [](const auto& made) { return std::string(isa_name(made.param)); });

const std::vector<SchemaMemConfig> kOddSizes{
    {.inputs = 5, .outputs = 2, .layers = 2, .width = 6, .slots = 5, .heads = 3, .head_dim = 2, .hidden = 3},
    {.inputs = 6, .outputs = 3, .layers = 2, .width = 10, .slots = 13, .heads = 1, .head_dim = 10, .hidden = 5},
    {.inputs = 5,
     .outputs = 2,
     .layers = 2,
     .width = 6,
     .slots = 5,
     .heads = 3,
     .head_dim = 2,
     .hidden = 3,
     .live = true},
    {.inputs = 5,
     .outputs = 2,
     .layers = 2,
     .width = 6,
     .slots = 5,
     .heads = 3,
     .head_dim = 2,
     .hidden = 3,
     .pulls = true},
};

TEST_P(FiniteDifferences, AreTheGradientsAtOddSizesForEveryModeAndChunkLength) {
  for (SchemaMemConfig config : kOddSizes) {
    for (const std::size_t length : {1, 2, 7, 95, 96, 97}) {
      config.commit_every = length;
      for (const Mode mode : {Mode::kRecurrent, Mode::kFullHistory, Mode::kAblated}) {
        SCOPED_TRACE(std::string(mode_name(mode)) + ", width " + std::to_string(config.width) + ", chunks of " +
                     std::to_string(length));
        Loss loss(config, {.isa = GetParam()}, mode, 0, length < 10 ? 25 : length + 15);
        EXPECT_EQ(loss.chunks() >= 2, mode != Mode::kFullHistory);
        expect_slopes(loss, length);
      }
    }
  }
}

TEST_P(FiniteDifferences, AreTheGradientsOfTheStillnessTerm) {
  for (SchemaMemConfig config : kOddSizes) {
    for (const std::size_t length : {1, 7}) {
      config.commit_every = length;
      SCOPED_TRACE("width " + std::to_string(config.width) + ", chunks of " + std::to_string(length));
      Loss loss(config, {.isa = GetParam()}, Mode::kRecurrent, 0.7, 25);
      expect_slopes(loss, 30 + length);
    }
  }
}

TEST_P(FiniteDifferences, AreTheGradientsAtTheSizesOfThePaper) {
  const SchemaMemConfig paper{.layers = 2, .commit_every = 20};
  for (const bool general : {false, true}) {
    Loss loss(paper, {.isa = GetParam(), .general = general}, Mode::kRecurrent, 0, 45);
    EXPECT_GE(loss.chunks(), 3U);
    expect_slopes(loss, 3);
  }
}

}  // namespace
}  // namespace schemamem
