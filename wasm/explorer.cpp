#include "explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/c_call.h"
#include "inside.h"
#include "memory/interventions.h"
#include "models/registry.h"
#include "stream/file_spec.h"
#include "task/episode_stream.h"
#include "task/scenarios.h"

using namespace schemamem;
using impl::bytes_at;
using impl::c_call;
using impl::hand_out;
using impl::needed;
using impl::with_memory;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostModelBytes = std::size_t{16} << 20;
constexpr std::size_t kMostLayers = 16;
constexpr std::uint64_t kMostOfTwo = std::uint64_t{1} << 18, kMostOfThree = std::uint64_t{1} << 22;
constexpr std::size_t kMostSteps = 100'000;

/// Every buffer of a model and its memories is a product of two or three sizes, times the layers: with these bounds no
/// sum of them passes 32 bits, whatever the file says.
Status small_enough(const ModelSpec& spec, const std::string& what) {
  std::vector<std::uint64_t> sizes{1, 1, 1};
  std::uint64_t layers = 0;
  for (const auto& [name, size] : spec.sizes) {
    if (name == "layers") layers = size;
    if (name != "layers") sizes.push_back(std::min<std::uint64_t>(size, std::uint64_t{1} << 20));
  }
  std::sort(sizes.rbegin(), sizes.rend());
  if (layers <= kMostLayers && sizes[0] * sizes[1] <= kMostOfTwo && sizes[0] * sizes[1] * sizes[2] <= kMostOfThree)
    return Done{};
  return Error(ErrorKind::kBadData,
               fmt::format("{}: a model of {} layers with sizes up to {}, {} and {}; what is explored has at most {} "
                           "layers, and the product of its two largest sizes is at most {}, of three {}",
                           what, layers, sizes[0], sizes[1], sizes[2], kMostLayers, kMostOfTwo, kMostOfThree));
}

/// A text that a function gives away and keeps until its next call.
Status give(std::string& kept, const Json& json, const char** text) {
  kept = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  *text = kept.c_str();
  return Done{};
}

Json described(const InsidePlan& plan) {
  Json layers = Json::array();
  for (const InsideLayer& layer : plan.layers()) {
    Json parts = Json::array();
    for (const InsidePart& part : layer.parts) {
      parts.push_back({{"name", part.name},
                       {"rows", part.rows},
                       {"columns", part.columns},
                       {"phase", part.phase},
                       {"constant", part.from == InsidePart::From::kWeights},
                       {"at", part.at},
                       {"increment", part.increment ? Json(*part.increment) : Json()}});
    }
    layers.push_back({{"name", layer.name},
                      {"parts", std::move(parts)},
                      {"slots", layer.slots},
                      {"read", layer.read ? Json(*layer.read) : Json()},
                      {"write", layer.write ? Json(*layer.write) : Json()}});
  }
  return layers;
}

/// What the model gives the bit it says: 0.5 to 1.
float sureness(float logit) { return 1 / (1 + std::exp(-std::abs(logit))); }

/// The setting of a model that is a memory.
Result<Setting> setting_of(const sm_model* model) {
  if (const Status there = needed(model, "model"); !there) return there.error();
  const auto memory = AddressMemory::make(model->loaded);
  if (!memory) return memory.error();
  return memory->setting();
}

Json step_of(const Token& token) {
  if (token.is_write()) return {{"do", "write"}, {"address", token.address}, {"value", token.value}};
  return {{"do", "ask"}, {"address", token.address}};
}

}  // namespace

int sm_explore_model(const void* bytes, size_t size, sm_model** model) {
  return c_call([&]() -> Status {
    if (const Status there = needed(model, "model"); !there) return there;
    *model = nullptr;
    if (const Status there = needed(bytes, "bytes"); !there) return there;
    const std::string what = "the model";
    if (size > kMostModelBytes) {
      return Error(ErrorKind::kBadData,
                   fmt::format("{} has {} bytes; at most {} are explored", what, size, kMostModelBytes));
    }
    const auto file = TensorFile::parse(bytes_at(bytes, size), what);
    if (!file) return file.error();
    const auto spec = read_spec(*file);
    if (!spec) return spec.error();
    if (const Status fits = small_enough(*spec, what); !fits) return fits;
    return hand_out(LoadedModel<float>::parse(*file), model);
  });
}

int sm_describe(const sm_model* model, const char** json) {
  static std::string kept;
  return c_call([&]() -> Status {
    if (const Status there = needed(json, "json"); !there) return there;
    const auto setting = setting_of(model);
    if (!setting) return setting.error();
    const LoadedModel<float>& loaded = *model->loaded;
    const auto entry = model_entry(loaded.spec().name);
    if (!entry) return entry.error();
    Json options = Json::object();
    for (const auto& [name, number] : loaded.spec().sizes) options[name] = number;
    for (const auto& [name, word] : loaded.spec().options) options[name] = word;
    Json counters = Json::array();
    for (const std::string_view name : loaded.model().counter_names()) counters.push_back(name);
    const InsidePlan plan(loaded);
    return give(kept,
                {{"kind", entry->name},
                 {"title", entry->title},
                 {"fingerprint", loaded.fingerprint()},
                 {"notes", loaded.notes()},
                 {"task",
                  {{"name", AddressValueTask::kName},
                   {"setting", setting->name()},
                   {"addresses", setting->addresses()},
                   {"values", setting->values()},
                   {"bits", setting->output_width()},
                   {"row", setting->input_width()}}},
                 {"parameters", loaded.model().parameters().size()},
                 {"persistent", loaded.model().persistent_elements()},
                 {"options", std::move(options)},
                 {"counters", std::move(counters)},
                 {"layers", described(plan)},
                 {"numbers", plan.size()}},
                json);
  });
}

int sm_scenarios(const sm_model* model, const char** json) {
  static std::string kept;
  return c_call([&]() -> Status {
    if (const Status there = needed(json, "json"); !there) return there;
    const auto setting = setting_of(model);
    if (!setting) return setting.error();
    Json scenarios = Json::array();
    for (const ScenarioInfo& one : all_scenarios()) {
      if (one.segments.empty()) continue;  // rounds are no script
      scenarios.push_back({{"name", one.name},
                           {"summary", one.summary},
                           {"delay", one.takes_delay()},
                           {"paper", one.paper_index.has_value()}});
    }
    return give(kept, scenarios, json);
  });
}

int sm_scenario(const sm_model* model, const char* name, uint64_t seed, uint64_t delay, const char** json) {
  static std::string kept;
  return c_call([&]() -> Status {
    if (const Status there = needed(json, "json"); !there) return there;
    if (const Status there = needed(name, "name"); !there) return there;
    const auto setting = setting_of(model);
    if (!setting) return setting.error();
    const auto scenario = parse_scenario(name);
    if (!scenario) return scenario.error();
    const ScenarioInfo& about = info(*scenario);
    if (about.segments.empty())
      return Error(ErrorKind::kUsage,
                   fmt::format("the scenario {} is no script; it has no end of its own", about.name));
    // The delay itself is the memory's own waiting: the episode is laid out without one, and a wait takes its place.
    const TaskCase request{.setting = *setting, .scenario = *scenario, .delay = 0};
    const EpisodeSize size = episode_size(request);
    if (size.tokens() > kMostSteps) {
      return Error(ErrorKind::kUsage,
                   fmt::format("an episode of {} steps; at most {} are scripted", size.tokens(), kMostSteps));
    }
    std::vector<Token> tokens(size.tokens());
    EpisodeMaker(*setting).make(request, {.seed = seed, .purpose = Purpose::kEvaluationEpisode, .index = 0}, tokens);
    Json steps = Json::array();
    bool waited = !about.takes_delay();
    for (const Token& token : tokens) {
      if (token.final && !waited) steps.push_back({{"do", "wait"}, {"count", delay}});
      waited = waited || token.final;
      steps.push_back(step_of(token));
    }
    return give(kept, {{"name", about.name}, {"summary", about.summary}, {"steps", std::move(steps)}}, json);
  });
}

int sm_explore_memory(const sm_model* model, sm_memory** memory) {
  if (const int code = sm_memory_new(model, memory)) return code;
  (*memory)->memory.watch();
  return SM_OK;
}

int sm_sure(const sm_memory* memory, float* bits) {
  return with_memory(memory, [&](const AddressMemory& one) -> Status {
    if (const Status there = needed(bits, "bits"); !there) return there;
    for (const float logit : one.logits()) *bits++ = sureness(logit);
    return Done{};
  });
}

int sm_ask_all(const sm_memory* memory, int32_t* values, float* sure) {
  return with_memory(memory, [&](const AddressMemory& one) -> Status {
    if (const Status there = needed(values, "values"); !there) return there;
    if (const Status there = needed(sure, "sure"); !there) return there;
    AddressMemory fork = one.fork();
    for (std::size_t address = 0; address < fork.addresses(); ++address) {
      const auto answer = fork.ask(address);
      if (!answer) return answer.error();
      *values++ = static_cast<int32_t>(answer->value);
      for (const float logit : fork.logits()) *sure++ = sureness(logit);
    }
    return Done{};
  });
}

int64_t sm_commits(const sm_memory* memory) {
  return memory == nullptr || !memory->memory.watched() ? 0 : memory->memory.watched()->commits();
}

size_t sm_inside_size(const sm_memory* memory) {
  std::size_t size = 0;
  with_memory(memory, [&](const AddressMemory& one) -> Status {
    size = InsidePlan(*one.model()).size();
    return Done{};
  });
  return size;
}

int sm_inside_get(const sm_memory* memory, float* numbers, size_t count) {
  return with_memory(memory, [&](const AddressMemory& one) -> Status {
    if (const Status there = needed(numbers, "numbers"); !there) return there;
    const InsidePlan plan(*one.model());
    if (count < plan.size()) {
      return Error(ErrorKind::kUsage,
                   fmt::format("there are {} numbers to be seen; there is room for {}", plan.size(), count));
    }
    plan.fill(one, {numbers, plan.size()});
    return Done{};
  });
}

int sm_zero(sm_memory* memory, int layer) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    if (layer < -1) return Error(ErrorKind::kUsage, fmt::format("there is no layer {}; -1 means all of them", layer));
    return clear_memory(one, layer < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(layer)));
  });
}

int sm_freeze(sm_memory* memory, int frozen) {
  return with_memory(memory, [&](AddressMemory& one) -> Status {
    one.freeze(frozen != 0);
    return Done{};
  });
}

int sm_noise(sm_memory* memory, double amount, uint64_t seed) {
  return with_memory(memory, [&](AddressMemory& one) { return add_noise(one, amount, seed); });
}
