#include "stream/stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <thread>
#include <vector>

#include "support/count_allocations.h"
#include "support/loaded_models.h"

namespace schemamem {
namespace {

using test::TestEpisode;

class EveryStream : public testing::TestWithParam<test::ModelCase> {
 protected:
  std::shared_ptr<const LoadedModel<float>> model_ = test::loaded<float>(GetParam().spec, GetParam().choice);
  std::size_t outputs_ = model_->model().config().outputs;

  TestEpisode<float> episode(std::size_t tokens, std::uint64_t index = 0) const {
    return {tokens, model_->model().config().inputs, test::test_rng(300 + index)};
  }
};
INSTANTIATE_TEST_SUITE_P(, EveryStream, testing::ValuesIn(test::every_model()), test::case_name);

std::vector<float> push_all(Stream<float>& stream, const TestEpisode<float>& episode, std::size_t first = 0) {
  std::vector<float> logits;
  for (std::size_t t = first; t < episode.tokens(); ++t) {
    const std::span<const float> row = stream.push(episode.row(t));
    logits.insert(logits.end(), row.begin(), row.end());
  }
  return logits;
}

/// The logits from token `first` on.
std::vector<float> tail(const std::vector<float>& logits, std::size_t first, std::size_t outputs) {
  return {logits.begin() + static_cast<std::ptrdiff_t>(first * outputs), logits.end()};
}

bool same_state(const StreamState<float>& a, const StreamState<float>& b) {
  return a.mode == b.mode && a.counters == b.counters && a.values.size() == b.values.size() &&
         std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

TEST_P(EveryStream, ReadsManyRowsAsItReadsOne) {
  const TestEpisode<float> read = episode(150);
  Stream<float> one(model_), many(model_);
  const std::vector<float> expected = push_all(one, read);
  std::vector<float> logits(expected.size());
  many.push(read.rows(), {logits.data(), {150, outputs_}});
  EXPECT_EQ(logits, expected);
  EXPECT_EQ(one.tokens(), 150);
  EXPECT_TRUE(same_state(one.state(), many.state()));
}

TEST_P(EveryStream, GoesOnWithTheSameBitsFromTheStateOfAnyToken) {
  const TestEpisode<float> read = episode(110);
  Stream<float> whole(model_);
  const std::vector<float> expected = push_all(whole, read);
  Stream<float> walker(model_), other(model_);
  const std::size_t stride = test::rounds(5, 1);
  for (std::size_t t = 0; t < read.tokens(); ++t) {
    if (t % stride == 0 || t < 10) {
      other.set_state(walker.state());
      ASSERT_EQ(push_all(other, read, t), tail(expected, t, outputs_)) << "from token " << t;
      ASSERT_TRUE(same_state(other.state(), whole.state()));
    }
    walker.push(read.row(t));
  }
}

/// States are written in the same way for every instruction set.
class EverySavedStream : public EveryStream {};
INSTANTIATE_TEST_SUITE_P(, EverySavedStream, testing::ValuesIn(test::every_streamed_model({best_isa()})),
                         test::case_name);

TEST_P(EverySavedStream, GoesOnWithTheSameBitsAfterBeingSavedAndRestoredAtEveryToken) {
  const TestEpisode<float> read = episode(110);
  Stream<float> whole(model_), saved(model_);
  const std::vector<float> expected = push_all(whole, read);
  std::vector<float> logits;
  for (std::size_t t = 0; t < read.tokens(); ++t) {
    Result<Stream<float>> opened = Stream<float>::open(saved.encode().span(), model_);
    ASSERT_TRUE(opened) << opened.error().message();
    ASSERT_TRUE(same_state(opened->state(), saved.state())) << "token " << t;
    saved = std::move(opened).value();
    const std::span<const float> row = saved.push(read.row(t));
    logits.insert(logits.end(), row.begin(), row.end());
  }
  EXPECT_EQ(logits, expected);
  EXPECT_TRUE(same_state(saved.state(), whole.state()));
}

TEST_P(EveryStream, AForkAndItsOriginalDoNotTouchEachOther) {
  const TestEpisode<float> past = episode(101), one = episode(60, 1), other = episode(60, 2);
  Stream<float> original(model_);
  push_all(original, past);
  Stream<float> expected_one = original.fork(), expected_other = original.fork();
  const std::vector<float> logits_one = push_all(expected_one, one), logits_other = push_all(expected_other, other);
  Stream<float> fork = original.fork();
  EXPECT_EQ(fork.tokens(), 101);
  for (std::size_t t = 0; t < 60; ++t) {  // interleaved
    const std::span<const float> a = original.push(one.row(t)), b = fork.push(other.row(t));
    for (std::size_t j = 0; j < outputs_; ++j) {
      ASSERT_EQ(a[j], logits_one[t * outputs_ + j]);
      ASSERT_EQ(b[j], logits_other[t * outputs_ + j]);
    }
  }
}

TEST_P(EveryStream, IsAsNewAfterAReset) {
  const TestEpisode<float> read = episode(120);
  Stream<float> stream(model_), fresh(model_);
  const std::vector<float> expected = push_all(fresh, read);
  push_all(stream, episode(77, 5));
  stream.reset();
  EXPECT_EQ(stream.tokens(), 0);
  EXPECT_TRUE(same_state(stream.state(), Stream<float>(model_).state()));
  EXPECT_EQ(push_all(stream, read), expected);
}

TEST_P(EveryStream, KeepsItsSizeAndAllocatesNothingHoweverLongItGets) {
  const TestEpisode<float> read = episode(200);
  Stream<float> stream(model_);
  for (std::size_t t = 0; t < 200; ++t) stream.push(read.row(t));
  const std::size_t bytes = stream.memory_bytes();
  const long before = test::allocations;
  for (std::size_t round = 0; round < 4; ++round) {
    for (std::size_t t = 0; t < 200; ++t) stream.push(read.row(t));
  }
  EXPECT_EQ(test::allocations - before, 0);
  EXPECT_EQ(stream.memory_bytes(), bytes);
}

TEST_P(EveryStream, SharesItsModelWithStreamsOnOtherThreads) {
  const TestEpisode<float> one = episode(150, 1), other = episode(150, 2);
  Stream<float> first(model_), second(model_);
  const std::vector<float> expected_one = push_all(first, one), expected_other = push_all(second, other);
  std::vector<float> logits_one, logits_other;
  std::thread worker([&] {
    Stream<float> stream(model_);
    logits_one = push_all(stream, one);
  });
  Stream<float> stream(model_);
  logits_other = push_all(stream, other);
  worker.join();
  EXPECT_EQ(logits_one, expected_one);
  EXPECT_EQ(logits_other, expected_other);
}

TEST(Stream, RefusesRowsThatWouldStayInItsMemoryForGood) {
  Stream<float> stream(test::loaded<float>(test::odd_spec()));
  EXPECT_THROW(stream.push(std::vector<float>{0, 1, 0, std::numeric_limits<float>::quiet_NaN(), 1}), ContractViolation);
  EXPECT_THROW(stream.push(std::vector<float>{0, 1, 0, std::numeric_limits<float>::infinity(), 1}), ContractViolation);
  EXPECT_THROW(stream.push(std::vector<float>{0, 1, 0, 1}), ContractViolation);
  EXPECT_EQ(stream.tokens(), 0);
}

TEST(Stream, HasOnlyTheModesThatAModelStreamsIn) {
  const auto ours = test::loaded<float>(test::odd_spec());
  EXPECT_EQ(Stream<float>(ours, Mode::kAblated).state().mode, Mode::kAblated);
  EXPECT_THROW(Stream<float>(ours, Mode::kFullHistory), ContractViolation);
  const auto gdn = test::loaded<float>(published_spec("gdn", 7, 3).value());
  EXPECT_THROW(Stream<float>(gdn, Mode::kAblated), ContractViolation);
  EXPECT_THROW(Stream<float>(nullptr), ContractViolation);
}

TEST(Stream, AnAblatedStreamIsStillAblatedWhenRestored) {
  const auto model = test::loaded<float>(test::odd_spec());
  const TestEpisode<float> past(40, 5, test::test_rng(1), 9), future(40, 5, test::test_rng(2), 9);
  Stream<float> ablated(model, Mode::kAblated), loaded(model);
  push_all(ablated, past);
  ASSERT_TRUE(loaded.restore(ablated.encode().span()));
  EXPECT_EQ(push_all(loaded, future), push_all(ablated, future));
  EXPECT_EQ(loaded.state().mode, Mode::kAblated);
}

TEST(Stream, WorksInDoubleAsWell) {
  const auto model = test::loaded<double>(test::odd_spec());
  const TestEpisode<double> read(40, 5, test::test_rng(1), 9);
  Stream<double> stream(model);
  for (std::size_t t = 0; t < 30; ++t) stream.push(read.row(t));
  Stream<double> loaded = Stream<double>::open(stream.encode().span(), model).value();
  for (std::size_t t = 30; t < 40; ++t) {
    const auto expected = stream.push(read.row(t)), found = loaded.push(read.row(t));
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin()));
  }
}

constexpr float kTurn = 2 * std::numbers::pi_v<float>;

/// Every phase of a SchemaMem stream.
std::vector<float> phases(const Stream<float>& stream) {
  std::vector<float> all;
  for (const TensorSpec& tensor : stream.model()->model().state().tensors()) {
    if (!tensor.name.ends_with(".phase")) continue;
    const auto values = stream.state().values.span().subspan(tensor.offset, tensor.size);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST(Stream, ACommitMayRoundToExactlyOneTurnWhichSurvivesBeingSaved) {
  for (const ModelSpec& spec : {test::odd_spec(), published_spec("schemamem", 7, 3).value()}) {
    // Given writes that turn every phase back by less than a float near 2 pi can tell
    const auto model = test::loaded<float>(spec);
    const TestEpisode<float> read(100, spec.sizes.at("inputs"), test::test_rng(4), 9);
    std::vector<float> row(spec.sizes.at("inputs"));
    Stream<float> stream(model);
    stream.push(row);
    StreamState<float> state = stream.state();
    for (const TensorSpec& tensor : model->model().state().tensors()) {
      if (!tensor.name.ends_with(".pending")) continue;
      for (float& angle : state.values.span().subspan(tensor.offset, tensor.size)) angle = -1e-9F;
    }
    stream.set_state(state);
    // when the segment ends
    row.back() = 1;
    stream.push(row);
    // then they are at exactly float(2 pi), and bytes carry them there.
    EXPECT_EQ(phases(stream), std::vector<float>(phases(stream).size(), kTurn));
    Result<Stream<float>> loaded = Stream<float>::open(stream.encode().span(), model);
    ASSERT_TRUE(loaded) << loaded.error().message();
    EXPECT_EQ(push_all(loaded.value(), read), push_all(stream, read));
  }
}

TEST(Stream, PhasesStayWithinOneTurnOverAHundredThousandTokens) {
  Stream<float> stream(test::loaded<float>(test::odd_spec()));
  const TestEpisode<float> read(1'000, 5, test::test_rng(6), 30);
  std::vector<float> logits(1'000 * 2);
  for (int round = 0; round < 100; ++round) {
    stream.push(read.rows(), {logits.data(), {1'000, 2}});
    for (const float phase : phases(stream)) ASSERT_TRUE(phase >= 0 && phase <= kTurn) << phase;
  }
  EXPECT_EQ(stream.tokens(), 100'000);
  EXPECT_EQ(stream.model()->model().fault(stream.state()), std::nullopt);
}

}  // namespace
}  // namespace schemamem
