#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/every_model.h"

namespace schemamem {
namespace {

using test::TestEpisode;

/// A model with weights, run as a stream or as in training.
template <class T>
class Runner {
 public:
  explicit Runner(const test::ModelCase& made)
      : model_(made.make<T>()), folded_(model_->make_folded()), scratch_(model_->make_scratch()) {
    const std::vector<T> weights = test::test_weights(*model_);
    model_->fold(view_of(std::span(weights)), *folded_);
  }

  TestEpisode<T> episode(std::size_t tokens, std::uint64_t index) const {
    return {tokens, model_->config().inputs, test::test_rng(100 + index)};
  }

  /// Logits of a stream from the empty state on, cut at `ends`; `last` is the state it is left in.
  std::vector<T> streamed(const TestEpisode<T>& episode, const std::vector<std::size_t>& ends, StreamState<T>& last) {
    std::vector<T> logits(episode.tokens() * outputs());
    model_->reset(last);
    model_->refresh(*folded_, last, *scratch_);
    std::size_t first = 0;
    for (const std::size_t end : ends) {
      model_->advance(*folded_, episode.marked(first, end - first), last, *scratch_, rows(logits, first, end));
      first = end;
    }
    return logits;
  }
  std::vector<T> streamed(const TestEpisode<T>& episode, Mode mode = Mode::kRecurrent) {
    StreamState<T> state = empty(mode);
    return streamed(episode, one_by_one(episode.tokens()), state);
  }

  std::vector<T> trained(const TestEpisode<T>& episode, Mode mode = Mode::kRecurrent, double floor = 0) const {
    const auto tape = model_->make_tape({.tokens = episode.tokens(), .chunks = episode.tokens()}, {.poison = true});
    std::vector<T> logits(episode.tokens() * outputs());
    Episode<T> run = episode.episode(mode);
    run.floor = floor;
    model_->forward(*folded_, run, *tape, rows(logits, 0, episode.tokens()));
    return logits;
  }

  StreamState<T> empty(Mode mode = Mode::kRecurrent) const {
    StreamState<T> state = model_->empty_state();
    state.mode = mode;
    return state;
  }
  const SequenceModel<T>& model() const { return *model_; }

  static std::vector<std::size_t> one_by_one(std::size_t tokens) {
    std::vector<std::size_t> ends(tokens);
    std::iota(ends.begin(), ends.end(), std::size_t{1});
    return ends;
  }

 private:
  std::size_t outputs() const { return model_->config().outputs; }
  View<T, 2> rows(std::vector<T>& logits, std::size_t first, std::size_t end) const {
    return {logits.data() + first * outputs(), {end - first, outputs()}};
  }

  std::unique_ptr<SequenceModel<T>> model_;
  std::unique_ptr<Folded<T>> folded_;
  std::unique_ptr<Tape<T>> scratch_;
};

template <class T>
bool same(const StreamState<T>& a, const StreamState<T>& b) {
  return a.mode == b.mode && a.floor == b.floor && a.counters == b.counters &&
         std::equal(a.values.begin(), a.values.end(), b.values.begin());
}

template <class T>
double largest_difference(const std::vector<T>& a, const std::vector<T>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

class EveryModelStream : public testing::TestWithParam<test::ModelCase> {};
INSTANTIATE_TEST_SUITE_P(, EveryModelStream, testing::ValuesIn(test::every_streamed_model()), test::case_name);

TEST_P(EveryModelStream, HasTheSameBitsOneByOneInRandomPiecesAndInWholeChunks) {
  Runner<float> run(GetParam());
  StreamState<float> one = run.empty(), other = run.empty();
  const std::size_t splits = test::rounds(60, 10'000), splits_an_episode = 20;
  for (std::size_t i = 0; i < splits / splits_an_episode; ++i) {
    Rng rng = test::test_rng(1'000 + i);
    const TestEpisode<float> episode = run.episode(1 + rng.below(200), i);
    const std::vector<float> expected = run.streamed(episode, Runner<float>::one_by_one(episode.tokens()), one);
    ASSERT_TRUE(std::all_of(expected.begin(), expected.end(), [](float y) { return std::isfinite(y); }));
    ASSERT_EQ(run.streamed(episode, run.model().chunk_ends(episode.episode()), other), expected);
    ASSERT_TRUE(same(other, one));
    for (std::size_t split = 0; split < splits_an_episode; ++split) {
      ASSERT_EQ(run.streamed(episode, test::random_cuts(episode.tokens(), rng), other), expected);
      ASSERT_TRUE(same(other, one));
    }
  }
}

TEST_P(EveryModelStream, EqualsTheForwardPassOfTraining) {
  Runner<float> rounded(GetParam());
  Runner<double> exact(GetParam());
  for (const std::size_t tokens : {1, 2, 7, 64, 129, 260}) {
    const TestEpisode<float> episode = rounded.episode(tokens, tokens);
    const std::vector<float> streamed = rounded.streamed(episode), trained = rounded.trained(episode);
    if (GetParam().same_bits) {
      EXPECT_EQ(streamed, trained) << tokens << " tokens";
    }
    EXPECT_LE(largest_difference(streamed, trained), 1e-4) << tokens << " tokens";
    const TestEpisode<double> precise = exact.episode(tokens, tokens);
    EXPECT_LE(largest_difference(exact.streamed(precise), exact.trained(precise)), 1e-11) << tokens << " tokens";
  }
}

TEST_P(EveryModelStream, WithAFloorEqualsTheForwardPassOfTrainingHoweverItIsCut) {
  constexpr double kFloor = 0.1;
  Runner<float> rounded(GetParam());
  Runner<double> exact(GetParam());
  const auto floored = [](auto state) {
    state.floor = kFloor;
    return state;
  };
  for (const std::size_t tokens : {1, 2, 7, 64, 129, 260}) {
    const TestEpisode<float> episode = rounded.episode(tokens, tokens);
    StreamState<float> one = floored(rounded.empty()), pieces = floored(rounded.empty());
    const auto streamed = rounded.streamed(episode, Runner<float>::one_by_one(tokens), one);
    Rng rng = test::test_rng(2'000 + tokens);
    EXPECT_EQ(rounded.streamed(episode, test::random_cuts(tokens, rng), pieces), streamed) << tokens << " tokens";
    EXPECT_TRUE(same(one, pieces));
    EXPECT_EQ(one.floor, kFloor) << "a reset leaves it alone";
    if (GetParam().same_bits) {
      EXPECT_EQ(streamed, rounded.trained(episode, Mode::kRecurrent, kFloor)) << tokens << " tokens";
    }
    if (tokens == 260) {
      EXPECT_NE(streamed, rounded.streamed(episode)) << "something was below it";
    }
    const TestEpisode<double> precise = exact.episode(tokens, tokens);
    StreamState<double> state = floored(exact.empty());
    EXPECT_LE(
        largest_difference(exact.streamed(precise, {tokens}, state), exact.trained(precise, Mode::kRecurrent, kFloor)),
        1e-11)
        << tokens << " tokens";
  }
}

TEST_P(EveryModelStream, RefusesAFloorThatIsNone) {
  Runner<float> run(GetParam());
  const TestEpisode<float> episode = run.episode(3, 1);
  for (const double floor : {-0.001, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    StreamState<float> state = run.empty();
    state.floor = floor;
    EXPECT_THAT(run.model().fault(state).value_or(""), testing::HasSubstr("expected at least 0 and below 1"));
    EXPECT_THROW(run.trained(episode, Mode::kRecurrent, floor), ContractViolation);
  }
}

TEST_P(EveryModelStream, AblatedEqualsTheAblatedForwardPassOfTraining) {
  Runner<float> run(GetParam());
  if (!GetParam().commits) {
    EXPECT_TRUE(run.model().fault(run.empty(Mode::kAblated)).has_value());
    return;
  }
  const TestEpisode<float> episode = run.episode(230, 3);
  const std::vector<float> ablated = run.streamed(episode, Mode::kAblated);
  EXPECT_EQ(ablated, run.trained(episode, Mode::kAblated));
  EXPECT_NE(ablated, run.streamed(episode));
}

TEST_P(EveryModelStream, TakesAnyNumberButZeroForASetValidityBitAsTrainingDoes) {
  Runner<double> run(GetParam());
  Rng rng = test::test_rng(8);
  const TestEpisode<double> bits = run.episode(60, 8);
  const TestEpisode<double> episode = bits.with_validity([&] { return 0.5 + rng.uniform(); });
  EXPECT_TRUE(std::ranges::equal(episode.marks(), bits.marks()));
  EXPECT_LE(largest_difference(run.streamed(episode), run.trained(episode)), 1e-11);
}

TEST_P(EveryModelStream, CountsItsTokensAndIsAlwaysInAStateWithoutFault) {
  Runner<float> run(GetParam());
  ASSERT_EQ(run.model().counter_names().front(), "tokens");
  StreamState<float> state = run.empty();
  EXPECT_EQ(run.model().fault(state), std::nullopt);
  for (const std::size_t tokens : {1, 2, 5, 95, 96, 97, 200}) {
    const TestEpisode<float> episode = run.episode(tokens, tokens);
    run.streamed(episode, Runner<float>::one_by_one(tokens), state);
    EXPECT_EQ(state.counters[0], static_cast<std::int64_t>(tokens));
    EXPECT_EQ(run.model().fault(state), std::nullopt) << tokens;
  }
}

}  // namespace
}  // namespace schemamem
