#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <schemamem/memory.h>
#include <schemamem/stream.h>

#include <filesystem>
#include <fstream>

#include "api/models.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

class MemoryOfEachModel : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Memory, MemoryOfEachModel, testing::Values("schemamem", "mamba3", "gdn"));

TEST_P(MemoryOfEachModel, AnswersWhatWasWrittenAndTheDefaultElsewhere) {
  Memory memory(published_model("A3V3", GetParam()));
  ASSERT_EQ(memory.addresses(), 8U);
  ASSERT_EQ(memory.values(), 8U);
  EXPECT_TRUE(memory.write(5, 3));
  EXPECT_TRUE(memory.write(1, 7));
  memory.wait(300);
  EXPECT_EQ(memory.tokens(), 302);
  const Answer answer = memory.ask(5);
  EXPECT_EQ(answer.value, 3U);
  EXPECT_GT(answer.confidence, 0.5F);
  EXPECT_LE(answer.confidence, 1.0F);
  EXPECT_EQ(memory.ask(1).value, 7U);
  EXPECT_EQ(memory.ask(2).value, 2U) << "never written: the address itself";
}

TEST_P(MemoryOfEachModel, GoesOnWithTheSameBitsAfterBytesAndForks) {
  Memory memory(published_model("A3V3", GetParam()));
  memory.write(5, 3);
  memory.wait(10);
  Memory fork = memory.fork(), restored(memory.model());
  ASSERT_TRUE(restored.restore(memory.bytes()));
  for (Memory* one : {&memory, &fork, &restored}) one->wait(50);
  const Answer answer = memory.ask(5);
  for (Memory* one : {&fork, &restored}) {
    EXPECT_EQ(one->ask(5).confidence, answer.confidence);
    EXPECT_EQ(one->tokens(), memory.tokens());
    EXPECT_EQ(one->written(5), 3U) << "the account of what was written travels too";
  }
  fork.reset();
  EXPECT_EQ(fork.tokens(), 0);
  EXPECT_EQ(fork.written(5), std::nullopt);
  EXPECT_EQ(fork.ask(5).value, 5U);
}

TEST(Memory, IsWrittenToAFileAndOpenedAgain) {
  const Model model = published_model("A3V3");
  Memory memory(model);
  memory.write(6, 1);
  const std::string path = testing::TempDir() + "memory_test.state";
  ASSERT_TRUE(memory.save(path));
  auto opened = Memory::open(path, model);
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(opened->ask(6).value, 1U);
  EXPECT_TRUE(Stream::open(path, model)) << "a memory is a stream with an address book";
}

TEST(Memory, CarriesItsFloorThroughForksBytesAndResets) {
  const Model model = published_model("A3V3");
  Memory memory(model);
  EXPECT_EQ(memory.floor(), 0);
  memory.set_floor(0.001);
  ASSERT_TRUE(memory.write(1, 2));
  EXPECT_EQ(memory.fork().floor(), 0.001);
  Memory other(model);
  ASSERT_TRUE(other.restore(memory.bytes()));
  EXPECT_EQ(other.floor(), 0.001);
  memory.reset();
  EXPECT_EQ(memory.floor(), 0.001);
  EXPECT_THROW(memory.set_floor(1), std::invalid_argument);
  EXPECT_THROW(Stream(model).set_floor(-1), std::invalid_argument);
}

TEST(Memory, TakesUpTheStateOfAPlainStream) {
  const Model model = published_model("A3V3");
  Stream stream(model);
  const std::vector<float> writes_three_to_five{1, 0, 1, 1, 1, 0, 1};
  stream.push(writes_three_to_five);
  Memory memory(model);
  ASSERT_TRUE(memory.restore(stream.bytes()));
  EXPECT_EQ(memory.written(5), std::nullopt);
  EXPECT_EQ(memory.ask(5).value, 3U);
}

TEST(Memory, RefusesAddressesAndValuesThatDoNotExist) {
  Memory memory(published_model("A3V4"));
  const Status address = memory.write(8, 0), value = memory.write(0, 16);
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().kind(), ErrorKind::kUsage);
  EXPECT_THAT(address.error().message(), HasSubstr("no address 8; they are numbered from 0 to 7"));
  ASSERT_FALSE(value);
  EXPECT_THAT(value.error().message(), HasSubstr("no value 16; they are numbered from 0 to 15"));
  EXPECT_THROW(memory.ask(8), std::out_of_range);
  EXPECT_THROW(memory.written(8), std::out_of_range);
  EXPECT_EQ(memory.tokens(), 0) << "nothing was read";
}

TEST(Memory, StaysAsItWasWhenAStateIsNotItsOwn) {
  Memory memory(published_model("A3V3")), other(published_model("A3V3", "gdn"));
  memory.write(5, 3);
  const Status restored = memory.restore(other.bytes());
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().kind(), ErrorKind::kBadData);
  EXPECT_EQ(memory.ask(5).value, 3U);
  const Status absent = memory.load("/no/such.state");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind(), ErrorKind::kMissingInput);
}

TEST(Memory, RefusesADamagedAccountOfWhatWasWritten) {
  Memory memory(published_model("A3V3"));
  memory.write(5, 3);
  std::vector<std::byte> bytes = memory.bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t account = text.find("5=3");
  ASSERT_NE(account, std::string_view::npos);
  bytes[account + 2] = std::byte{'9'};  // there are eight values
  const Status restored = memory.restore(bytes);
  ASSERT_FALSE(restored);
  EXPECT_THAT(restored.error().message(), HasSubstr("5=9"));
}

TEST(Memory, WaitsAlsoWhenEveryAddressWasWritten) {
  Memory memory(published_model("A3V3"));
  for (std::size_t address = 0; address < 8; ++address) memory.write(address, address ^ 1);
  memory.wait(100);
  EXPECT_EQ(memory.tokens(), 108);
}

TEST(Stream, DoesNotDependOnHowRowsAreCutIntoCalls) {
  const Model model = published_model("A3V3");
  Stream whole(model), cut(model);
  std::vector<float> rows(20 * model.row_width());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i % 3 == 0 ? 1.F : 0.F;
  const std::vector<float> outputs = whole.push(rows);
  std::vector<float> pieces;
  for (std::size_t t = 0; t < 20; ++t) {
    for (const float number : cut.push(std::span(rows).subspan(t * model.row_width(), model.row_width())))
      pieces.push_back(number);
  }
  EXPECT_EQ(outputs, pieces);
  EXPECT_EQ(whole.bytes(), cut.bytes());
}

TEST(Stream, TakesMarksAndRefusesWhatDoesNotFit) {
  const Model model = published_model("A3V3");
  Stream stream(model);
  const std::vector<float> rows(2 * model.row_width(), 1.F);
  const std::vector<Mark> marks{Mark::kNone, Mark::kEndsChunk};
  EXPECT_EQ(stream.push(rows, marks).size(), 2 * model.outputs());
  EXPECT_THROW(stream.push(rows, std::vector<Mark>(1)), std::invalid_argument);
  EXPECT_THROW(stream.push(std::vector<float>(3)), std::invalid_argument);
  std::vector<float> room(2 * model.outputs());
  stream.reset();
  stream.push(rows, marks, room);
  stream.reset();
  EXPECT_EQ(room, stream.push(rows, marks));
  stream.reset();
  stream.push(rows, room);
  stream.reset();
  EXPECT_EQ(room, stream.push(rows));
  EXPECT_THROW(stream.push(rows, std::span(room).first(1)), std::invalid_argument);
  EXPECT_THROW(stream.push(std::vector<float>(model.row_width(), std::numeric_limits<float>::infinity())),
               std::invalid_argument);
  EXPECT_EQ(stream.tokens(), 2);
}

}  // namespace
}  // namespace schemamem
