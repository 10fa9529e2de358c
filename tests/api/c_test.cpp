#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <schemamem/c.h>
#include <schemamem/memory.h>

#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "api/models.h"

namespace schemamem {
namespace {

using testing::HasSubstr;

struct Free {
  void operator()(sm_model* one) const { sm_model_free(one); }
  void operator()(sm_memory* one) const { sm_memory_free(one); }
  void operator()(sm_stream* one) const { sm_stream_free(one); }
};
template <class T>
using Handle = std::unique_ptr<T, Free>;

Handle<sm_model> c_model(const Model& model) {
  const auto bytes = model.bytes();
  sm_model* made = nullptr;
  EXPECT_EQ(sm_model_from_bytes(bytes.data(), bytes.size(), &made), SM_OK) << sm_last_error();
  return Handle<sm_model>(made);
}

Handle<sm_memory> c_memory(const sm_model* model) {
  sm_memory* made = nullptr;
  EXPECT_EQ(sm_memory_new(model, &made), SM_OK) << sm_last_error();
  return Handle<sm_memory>(made);
}

std::vector<std::byte> c_state(const sm_memory* memory) {
  std::vector<std::byte> bytes(sm_state_size(memory));
  EXPECT_EQ(sm_state_get(memory, bytes.data(), bytes.size()), SM_OK) << sm_last_error();
  return bytes;
}

TEST(CInterface, GivesTheAnswersOfTheCppInterfaceAndTheSameStates) {
  const Model model = published_model("A3V3");
  const auto same = c_model(model);
  EXPECT_EQ(sm_model_fingerprint(same.get()), model.fingerprint());
  EXPECT_EQ(sm_model_parameters(same.get()), model.parameters());
  EXPECT_STREQ(sm_model_note(same.get(), "setting"), "A3V3");
  EXPECT_EQ(sm_model_note(same.get(), "nothing"), nullptr);
  Memory there(model);
  const auto here = c_memory(same.get());
  ASSERT_TRUE(there.write(5, 3));
  ASSERT_EQ(sm_write(here.get(), 5, 3), SM_OK);
  there.wait(100);
  ASSERT_EQ(sm_wait(here.get(), 100), SM_OK);
  int value = -1;
  float sure = 0;
  ASSERT_EQ(sm_ask(here.get(), 5, &value, &sure), SM_OK);
  const Answer answer = there.ask(5);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(sure, answer.confidence) << "the same bits";
  EXPECT_EQ(c_state(here.get()), there.bytes());
  ASSERT_EQ(sm_written(here.get(), 5, &value), SM_OK);
  EXPECT_EQ(value, 3);
  ASSERT_EQ(sm_written(here.get(), 4, &value), SM_OK);
  EXPECT_EQ(value, -1);
}

TEST(CInterface, HasTheFloorOfTheCppInterface) {
  const Model model = published_model("A3V3");
  const auto same = c_model(model);
  Memory there(model);
  const auto here = c_memory(same.get());
  EXPECT_EQ(sm_floor(here.get()), 0);
  there.set_floor(0.001);
  ASSERT_EQ(sm_set_floor(here.get(), 0.001), SM_OK);
  there.wait(200);
  ASSERT_EQ(sm_wait(here.get(), 200), SM_OK);
  EXPECT_EQ(c_state(here.get()), there.bytes());
  EXPECT_EQ(sm_set_floor(here.get(), 1), SM_USAGE);
  EXPECT_EQ(sm_set_floor(nullptr, 0), SM_USAGE);
  EXPECT_EQ(sm_floor(here.get()), 0.001);
  sm_stream* stream = nullptr;
  ASSERT_EQ(sm_stream_new(same.get(), &stream), SM_OK);
  EXPECT_EQ(sm_stream_set_floor(stream, 0.5), SM_OK);
  EXPECT_EQ(sm_stream_floor(stream), 0.5);
  sm_stream_free(stream);
}

TEST(CInterface, ForksSavesAndRestores) {
  const auto model = c_model(published_model("A3V3", "gdn"));
  auto memory = c_memory(model.get());
  ASSERT_EQ(sm_write(memory.get(), 1, 7), SM_OK);
  sm_memory* fork = nullptr;
  ASSERT_EQ(sm_fork(memory.get(), &fork), SM_OK);
  const Handle<sm_memory> other(fork);
  const auto before = c_state(memory.get());
  ASSERT_EQ(sm_reset(other.get()), SM_OK);
  EXPECT_EQ(sm_tokens(other.get()), 0);
  EXPECT_EQ(c_state(memory.get()), before) << "a fork has a future of its own";
  const std::string path = testing::TempDir() + "c_test.state";
  ASSERT_EQ(sm_save(memory.get(), path.c_str()), SM_OK) << sm_last_error();
  ASSERT_EQ(sm_load(other.get(), path.c_str()), SM_OK) << sm_last_error();
  EXPECT_EQ(c_state(other.get()), before);
}

TEST(CInterface, TellsWhatIsWrongByACodeAndASentenceAndChangesNothing) {
  const auto model = c_model(published_model("A3V3"));
  const auto memory = c_memory(model.get());
  ASSERT_EQ(sm_write(memory.get(), 5, 3), SM_OK);
  const auto before = c_state(memory.get());
  EXPECT_EQ(sm_write(memory.get(), 8, 0), SM_USAGE);
  EXPECT_THAT(sm_last_error(), HasSubstr("no address 8; they are numbered from 0 to 7"));
  EXPECT_EQ(sm_write(memory.get(), 0, -1), SM_USAGE);
  EXPECT_THAT(sm_last_error(), HasSubstr("no value -1"));
  EXPECT_EQ(sm_ask(nullptr, 0, nullptr, nullptr), SM_USAGE);
  EXPECT_THAT(sm_last_error(), HasSubstr("memory is NULL"));
  std::byte small[8];
  EXPECT_EQ(sm_state_get(memory.get(), small, sizeof small), SM_USAGE);
  EXPECT_EQ(sm_state_set(memory.get(), small, sizeof small), SM_BAD_DATA);
  EXPECT_EQ(sm_load(memory.get(), "/no/such.state"), SM_MISSING_INPUT);
  EXPECT_EQ(sm_save(memory.get(), "/no/such/folder/x.state"), SM_CANNOT_CREATE);
  EXPECT_EQ(c_state(memory.get()), before);
  sm_model* none = model.get();
  EXPECT_EQ(sm_model_load("/no/such.safetensors", &none), SM_MISSING_INPUT);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(sm_model_load(nullptr, nullptr), SM_USAGE);
}

TEST(CInterface, KeepsTheLastErrorOfEachThreadApart) {
  ASSERT_EQ(sm_ask(nullptr, 0, nullptr, nullptr), SM_USAGE);
  std::string elsewhere = "not asked";
  std::thread([&] { elsewhere = sm_last_error(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_THAT(sm_last_error(), HasSubstr("NULL"));
}

TEST(CInterface, ReadsRowsAndRefusesWhatIsNotFinite) {
  const auto model = c_model(published_model("A3V3", "mamba3"));
  sm_stream* made = nullptr;
  ASSERT_EQ(sm_stream_new(model.get(), &made), SM_OK);
  const Handle<sm_stream> stream(made);
  std::vector<float> rows(2 * sm_model_row_width(model.get())), outputs(2 * sm_model_outputs(model.get()));
  EXPECT_EQ(sm_stream_push(stream.get(), rows.data(), 2, outputs.data()), SM_OK) << sm_last_error();
  const std::vector<std::uint8_t> marks{SM_MARK_READS, SM_MARK_ENDS_CHUNK}, wrong{0, 4};
  EXPECT_EQ(sm_stream_push_marked(stream.get(), rows.data(), marks.data(), 2, outputs.data()), SM_OK);
  EXPECT_EQ(sm_stream_push_marked(stream.get(), rows.data(), wrong.data(), 2, outputs.data()), SM_USAGE);
  EXPECT_EQ(sm_stream_push(stream.get(), rows.data(), SIZE_MAX, outputs.data()), SM_USAGE);
  rows[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(sm_stream_push(stream.get(), rows.data(), 2, outputs.data()), SM_USAGE);
  EXPECT_EQ(sm_stream_tokens(stream.get()), 4);
  EXPECT_EQ(sm_stream_push(stream.get(), nullptr, 0, nullptr), SM_OK) << "no rows are no rows";
}

TEST(CInterface, ListsThePublishedNames) {
  sm_names* names = nullptr;
  ASSERT_EQ(sm_published(&names), SM_OK);
  EXPECT_EQ(sm_names_count(names), Model::published().size());
  EXPECT_EQ(sm_names_at(names, sm_names_count(names)), nullptr);
  sm_names_free(names);
  EXPECT_EQ(sm_names_count(nullptr), 0U);
}

}  // namespace
}  // namespace schemamem
