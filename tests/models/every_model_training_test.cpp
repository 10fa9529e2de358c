#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "support/count_allocations.h"
#include "support/every_model.h"
#include "system/threads.h"

namespace schemamem {
namespace {

using test::TestEpisode;

constexpr std::size_t kEpisodes = 12, kShards = 4, kTokens = 40;

/// A batch of episodes of different lengths, with what one step over them needs.
template <class T>
class Step {
 public:
  Step(const test::ModelCase& made, int threads, ArenaPolicy policy = {}, Mode mode = Mode::kRecurrent)
      : mode_(mode), model_(made.make<T>()), folded_(model_->make_folded()), pool_(threads) {
    weights_ = test::test_weights(*model_);
    d_weights_.resize(weights_.size());
    for (int i = 0; i < threads; ++i)
      tapes_.push_back(model_->make_tape({.tokens = kTokens + kEpisodes, .chunks = kTokens + kEpisodes}, policy));
    for (std::size_t i = 0; i < kShards; ++i) {
      shards_.push_back(model_->make_shard());
      shard_pointers_[i] = shards_.back().get();
    }
    const std::size_t outputs = model_->config().outputs;
    for (std::size_t i = 0; i < kEpisodes; ++i) {
      episodes_.emplace_back(kTokens + i, model_->config().inputs, test::test_rng(50 + i), 20);
      logits_.emplace_back(episodes_.back().tokens() * outputs);
      Rng rng = test::test_rng(80 + i);
      for (T& d : d_logits_.emplace_back(logits_.back().size())) d = static_cast<T>(rng.normal());
    }
    penalties_.resize(kEpisodes);
  }

  void run() {
    model_->fold(view_of(std::span<const T>(weights_)), *folded_);
    pool_.run(kShards, [&](std::size_t shard, int thread) {
      shards_[shard]->clear();
      for (std::size_t i = shard; i < kEpisodes; i += kShards) one(i, *tapes_[static_cast<std::size_t>(thread)], shard);
    });
    model_->unfold(*folded_, shard_pointers_, view_of(std::span(d_weights_)));
  }

  const std::vector<T>& gradient() const { return d_weights_; }
  const std::vector<std::vector<T>>& logits() const { return logits_; }
  const std::vector<T>& penalties() const { return penalties_; }
  bool guards_intact() const {
    return std::all_of(tapes_.begin(), tapes_.end(), [](const auto& tape) { return tape->guards_intact(); });
  }

 private:
  void one(std::size_t i, Tape<T>& tape, std::size_t shard) {
    const std::array<std::size_t, 2> extents{episodes_[i].tokens(), model_->config().outputs};
    model_->forward(*folded_, episodes_[i].episode(mode_, T(0.25)), tape, {logits_[i].data(), extents});
    penalties_[i] = model_->backward(*folded_, tape, {d_logits_[i].data(), extents}, *shards_[shard]);
  }

  Mode mode_;
  std::unique_ptr<SequenceModel<T>> model_;
  std::unique_ptr<Folded<T>> folded_;
  ThreadPool pool_;
  std::vector<T> weights_, d_weights_, penalties_;
  std::vector<std::unique_ptr<Tape<T>>> tapes_;
  std::vector<std::unique_ptr<GradientShard<T>>> shards_;
  std::array<GradientShard<T>*, kShards> shard_pointers_{};
  std::vector<TestEpisode<T>> episodes_;
  std::vector<std::vector<T>> logits_, d_logits_;
};

class EveryModelTraining : public testing::TestWithParam<test::ModelCase> {};
INSTANTIATE_TEST_SUITE_P(, EveryModelTraining, testing::ValuesIn(test::every_model()), test::case_name);

TEST_P(EveryModelTraining, GivesTheSameBitsForAnyNumberOfThreads) {
  Step<float> alone(GetParam(), 1);
  alone.run();
  for (const int threads : {2, 3, 4, 7, 8}) {
    Step<float> shared(GetParam(), threads);
    shared.run();
    EXPECT_EQ(shared.gradient(), alone.gradient()) << threads << " threads";
    EXPECT_EQ(shared.logits(), alone.logits()) << threads << " threads";
  }
}

TEST_P(EveryModelTraining, NeverReadsWhatItDidNotWriteNorWritesPastAnEnd) {
  std::vector<Mode> modes{Mode::kRecurrent};
  if (GetParam().commits) modes.insert(modes.end(), {Mode::kAblated, Mode::kFullHistory});
  for (const Mode mode : modes) {
    SCOPED_TRACE(mode_name(mode));
    Step<float> plain(GetParam(), 1, {}, mode), poisoned(GetParam(), 1, {.poison = true, .guard = 64}, mode);
    plain.run();
    poisoned.run();
    EXPECT_EQ(poisoned.gradient(), plain.gradient());
    EXPECT_EQ(poisoned.logits(), plain.logits());
    EXPECT_EQ(poisoned.penalties(), plain.penalties());
    EXPECT_TRUE(poisoned.guards_intact());
  }
}

TEST_P(EveryModelTraining, AllocatesNothingAndRepeatsItsBitsOnceMade) {
  Step<float> step(GetParam(), 2, {.poison = true});
  step.run();
  const std::vector<float> first = step.gradient();
  const long before = test::allocations;
  step.run();
  EXPECT_EQ(test::allocations - before, 0);
  EXPECT_GT(before, 0);
  EXPECT_EQ(step.gradient(), first);
}

TEST_P(EveryModelTraining, AStreamAllocatesNothingWhileItAdvances) {
  const auto model = GetParam().make<float>();
  const auto folded = model->make_folded();
  const std::vector<float> weights = test::test_weights(*model);
  model->fold(view_of(std::span(weights)), *folded);
  const TestEpisode<float> episode(200, model->config().inputs, test::test_rng(9), 120);
  std::vector<float> logits(200 * model->config().outputs);
  StreamState<float> state = model->empty_state();
  const auto scratch = model->make_scratch();
  model->refresh(*folded, state, *scratch);
  const std::size_t bytes = scratch->bytes();
  const long before = test::allocations;
  model->advance(*folded, episode.marked(), state, *scratch, {logits.data(), {200, model->config().outputs}});
  for (std::size_t t = 0; t < 200; ++t)
    model->advance(*folded, episode.marked(t, 1), state, *scratch, {logits.data(), {1, model->config().outputs}});
  EXPECT_EQ(test::allocations - before, 0);
  EXPECT_EQ(scratch->bytes(), bytes);
  EXPECT_EQ(state.values.size(), model->state().size());
}

}  // namespace
}  // namespace schemamem
