// Arbitrary bytes through the C interface: the first one says whether as a model, over the state of a memory, or as the
// state of a stream and then its rows. Nothing is thrown, a refusal has a code and a sentence and leaves the state as
// it was.
#include <schemamem/c.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "small_model.h"
#include "support.h"

namespace {

using schemamem::fuzz::must;

sm_model* small_model() {
  const auto bytes = schemamem::fuzz::small_model()->encode();
  sm_model* model = nullptr;
  must(sm_model_from_bytes(bytes.data(), bytes.size(), &model) == SM_OK);
  return model;
}

/// A memory that has been written to once, and its state.
struct World {
  World() {
    must(sm_memory_new(model, &memory) == SM_OK && sm_write(memory, 5, 3) == SM_OK);
    state.resize(sm_state_size(memory));
    must(sm_state_get(memory, state.data(), state.size()) == SM_OK);
  }
  bool is_as_before() const {
    std::vector<std::byte> now(state.size());
    return sm_state_get(memory, now.data(), now.size()) == SM_OK && now == state;
  }

  sm_model* model = small_model();
  sm_memory* memory = nullptr;
  std::vector<std::byte> state;
};

void refused(int code) { must(code != SM_OK && sm_last_error()[0] != '\0'); }

void take_model(const std::uint8_t* data, std::size_t size) {
  sm_model* model = nullptr;
  if (const int code = sm_model_from_bytes(data, size, &model); code != SM_OK) {
    refused(code);
    must(model == nullptr);
  }
  sm_model_free(model);
}

/// The bytes are laid over a true state, from a place that the first two of them name: most stay readable.
void take_memory(World& world, const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> state = world.state;
  if (size > 2) {
    const std::size_t place = (data[0] + 256U * data[1]) % state.size();
    std::memcpy(&state[place], data + 2, std::min(size - 2, state.size() - place));
  }
  if (const int code = sm_state_set(world.memory, state.data(), state.size()); code != SM_OK) {
    refused(code);
    must(world.is_as_before());
    return;
  }
  int value = -1;
  float sure = -1;
  must(sm_ask(world.memory, 5, &value, &sure) == SM_OK && value >= 0 && value < sm_values(world.memory));
  must(sm_state_set(world.memory, world.state.data(), world.state.size()) == SM_OK);
}

void take_stream(const World& world, const std::uint8_t* data, std::size_t size) {
  sm_stream* stream = nullptr;
  must(sm_stream_new(world.model, &stream) == SM_OK);
  if (const int code = sm_stream_state_set(stream, data, size); code != SM_OK) refused(code);
  std::vector<float> rows(size / sizeof(float)), outputs;
  if (!rows.empty()) std::memcpy(rows.data(), data, rows.size() * sizeof(float));
  const std::size_t count = rows.size() / sm_model_row_width(world.model);
  outputs.resize(count * sm_model_outputs(world.model) + 1);
  if (const int code = sm_stream_push(stream, rows.data(), count, outputs.data()); code != SM_OK) refused(code);
  sm_stream_free(stream);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0) return 0;
  const int way = data[0] % 3;
  if (way == 0) take_model(data + 1, size - 1);
  if (way == 1) take_memory(world, data + 1, size - 1);
  if (way == 2) take_stream(world, data + 1, size - 1);
  return 0;
}
