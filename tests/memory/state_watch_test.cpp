#include "memory/state_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "memory/address_memory.h"
#include "memory/interventions.h"
#include "stream/state_view.h"
#include "support/every_model.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

/// A memory of a model with weights of a test: it knows nothing, and moves at every row.
AddressMemory memory_of(const std::string& name) {
  const Setting setting{.address_bits = 3, .value_bits = 3};
  const ModelSpec spec = published_spec(name, setting.input_width(), setting.output_width()).value();
  const auto weights = test::test_weights(*make_model<float>(spec).value(), 1);
  return AddressMemory::make(LoadedModel<float>::make(spec, weights, {}, {{"setting", setting.name()}}).value())
      .value();
}

std::vector<float> held(const AddressMemory& memory) {
  std::vector<float> numbers;
  for (const TensorSpec* tensor : held_tensors(memory.model()->model().state())) {
    const auto part = memory.state().values.span().subspan(tensor->offset, tensor->size);
    numbers.insert(numbers.end(), part.begin(), part.end());
  }
  return numbers;
}

std::vector<std::byte> bytes_of(const AddressMemory& memory) {
  const Buffer<std::byte> bytes = memory.encode();
  return {bytes.begin(), bytes.end()};
}

/// Writes, questions and waits of all kinds; more rows than any chunk.
void live(AddressMemory& memory) {
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(memory.write(i, 7 - i));
    ASSERT_TRUE(memory.write(i + 1, i));
    memory.wait(150 + i);
    ASSERT_TRUE(memory.ask(i));
  }
}

class EveryMemory : public testing::TestWithParam<std::string> {};

TEST_P(EveryMemory, ReadsTheSameBitsWhetherItIsWatchedOrNot) {
  AddressMemory alone = memory_of(GetParam()), watched = memory_of(GetParam());
  watched.watch();
  live(alone);
  live(watched);
  EXPECT_EQ(bytes_of(alone), bytes_of(watched));
}

TEST_P(EveryMemory, StaysAsItIsWhileItIsFrozenAndMovesOnBehindIt) {
  AddressMemory memory = memory_of(GetParam());
  live(memory);
  const std::vector<float> before = held(memory);
  memory.freeze(true);
  live(memory);
  EXPECT_EQ(held(memory), before);
  memory.freeze(false);
  live(memory);
  EXPECT_NE(held(memory), before);
}

TEST_P(EveryMemory, LosesOneLayerOrAllOfThem) {
  AddressMemory memory = memory_of(GetParam());
  live(memory);
  const std::vector<float> before = held(memory);
  const std::size_t layers = held_tensors(memory.model()->model().state()).size(), one = before.size() / layers;
  ASSERT_TRUE(clear_memory(memory, 1));
  std::vector<float> expected = before;
  std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(one), one, 0.0F);
  EXPECT_EQ(held(memory), expected);
  ASSERT_TRUE(clear_memory(memory, std::nullopt));
  EXPECT_EQ(held(memory), std::vector<float>(before.size()));
  const Status none = clear_memory(memory, layers);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), HasSubstr("numbered from 0 to"));
}

TEST_P(EveryMemory, TakesTheSameNoiseFromTheSameSeed) {
  AddressMemory memory = memory_of(GetParam());
  live(memory);
  AddressMemory same = memory.fork(), other = memory.fork(), untouched = memory.fork();
  ASSERT_TRUE(add_noise(memory, 0.1, 5));
  ASSERT_TRUE(add_noise(same, 0.1, 5));
  ASSERT_TRUE(add_noise(other, 0.1, 6));
  ASSERT_TRUE(add_noise(untouched, 0, 5));
  EXPECT_EQ(held(memory), held(same));
  EXPECT_NE(held(memory), held(other));
  EXPECT_NE(held(memory), held(untouched));
  live(memory);  // and goes on
  EXPECT_FALSE(add_noise(memory, -1, 5));
  EXPECT_FALSE(add_noise(memory, NAN, 5));
}

INSTANTIATE_TEST_SUITE_P(Models, EveryMemory, testing::ValuesIn(model_names()),
                         [](const auto& one) { return one.param; });

TEST(StateWatch, CountsACommitAtEveryChangeOfKindAndWheneverAChunkIsFull) {
  AddressMemory memory = memory_of("schemamem");
  memory.watch();
  const auto commits = [&] { return memory.watched()->commits(); };
  ASSERT_TRUE(memory.write(5, 3));
  EXPECT_EQ(commits(), 0) << "nothing was before the first row";
  EXPECT_TRUE(memory.watched()->before().empty());
  ASSERT_TRUE(memory.ask(5));
  EXPECT_EQ(commits(), 1);
  memory.wait(95);
  EXPECT_EQ(commits(), 1) << "96 questions are one chunk";
  memory.wait(1);
  EXPECT_EQ(commits(), 2);
  memory.wait(96 * 5);
  EXPECT_EQ(commits(), 7);
  EXPECT_EQ(memory.fork().watched()->commits(), 7);
  memory.reset();
  EXPECT_EQ(commits(), 0);
}

TEST(StateWatch, KeepsWhatTheMemoryWasBeforeItsLastCommit) {
  AddressMemory memory = memory_of("schemamem");
  memory.watch();
  ASSERT_TRUE(memory.write(5, 3));
  ASSERT_TRUE(memory.ask(5));
  const std::vector<float> first = held(memory);
  memory.wait(96);
  EXPECT_EQ(std::vector<float>(memory.watched()->before().begin(), memory.watched()->before().end()), first);
  EXPECT_NE(held(memory), first);
}

TEST(Interventions, NoiseNeedsSomethingThatWasCommitted) {
  AddressMemory memory = memory_of("schemamem");
  ASSERT_TRUE(memory.write(5, 3));
  const Status refused = add_noise(memory, 0.1, 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message(), HasSubstr("write something and ask once"));
}

TEST(PlaceWeights, OfTheLastRowSumToOneInEveryLayer) {
  AddressMemory memory = memory_of("schemamem");
  EXPECT_TRUE(memory.place_weights(0).read.empty()) << "nothing was read";
  live(memory);
  for (std::size_t layer = 0; layer < 3; ++layer) {
    const PlaceWeights<float> last = memory.place_weights(layer);
    for (const auto weights : {last.read, last.write}) {
      ASSERT_EQ(weights.size(), 176U);
      double sum = 0;
      for (const float one : weights) sum += static_cast<double>(one);
      EXPECT_NEAR(sum, 1, 176 * 2 * std::numeric_limits<float>::epsilon());
    }
  }
}

}  // namespace
}  // namespace schemamem
