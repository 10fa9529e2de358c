#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/parse.h"
#include "base/sha256.h"
#include "models/model_file.h"
#include "record/tensor_files.h"
#include "train/run_record.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPrefix = "step-";
constexpr const char* kMarker = "complete.json";
constexpr std::array kParts{"model.safetensors", "optimizer.safetensors", "state.json"};
constexpr std::uint64_t kLargestState = 1 << 20;
constexpr std::uint64_t kRoomFactor = 2;  // of a checkpoint's size must be free

std::string state_json(const Trainer& trainer, const RunMemory& memory) {
  const Position& at = trainer.position();
  Json passed = Json::array();
  for (const PassedStage& stage : trainer.passed())
    passed.push_back({{"name", stage.name}, {"step", stage.step}, {"lowest", stage.lowest}});
  const Json state{
      {"format", 1},
      {"step", at.step},
      {"stage", at.stage},
      {"stage_step", at.stage_step},
      {"phase_step", at.phase_step},
      {"passes", at.passes},
      {"checked_at", at.checked_at},
      {"gave_up", at.gave_up},
      {"fell_back", at.fell_back},
      {"passed", passed},
      {"optimizer_steps", trainer.optimizer_steps()},
      {"metrics_bytes", memory.metrics_bytes},
      {"seconds", memory.seconds},
      {"last_check",
       memory.last_check.empty() ? Json() : parse_json(memory.last_check, "the last check").value().raw()}};
  return state.dump(1) + "\n";
}

struct State {
  Trainer::Saved saved;
  RunMemory memory;
};

Result<State> read_state(const std::filesystem::path& path) {
  const Result<std::string> text = read_text_file(path, kLargestState);
  if (!text) return text.error();
  const Result<JsonField> json = parse_json_object(*text, path.string());
  if (!json) return json.error();
  State state{.saved = {.position = {.step = json->count("step"),
                                     .stage = static_cast<std::size_t>(json->count("stage")),
                                     .stage_step = json->count("stage_step"),
                                     .phase_step = json->count("phase_step"),
                                     .passes = json->count("passes"),
                                     .checked_at = json->count("checked_at"),
                                     .gave_up = json->flag("gave_up"),
                                     .fell_back = json->flag("fell_back")},
                        .passed = read_passed(*json),
                        .optimizer_steps = json->count("optimizer_steps")},
              .memory = {.metrics_bytes = json->natural("metrics_bytes"), .seconds = json->number("seconds")}};
  if (const JsonField check = json->at("last_check"); !check.is_null()) state.memory.last_check = check.raw().dump();
  if (const Status read = json->status(); !read) return read.error();
  return state;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

std::filesystem::path Checkpoints::folder(std::int64_t step) const {
  return folder_ / fmt::format("{}{:09}", kPrefix, step);
}

std::vector<std::int64_t> Checkpoints::present() const {
  std::vector<std::int64_t> steps;
  const auto names = list_directory(folder_);
  if (!names) return steps;
  for (const std::string& name : *names) {
    if (!name.starts_with(kPrefix)) continue;
    const auto step = parse_integer(std::string_view(name).substr(kPrefix.size()), "step", 0, INT64_MAX);
    if (step && folder(*step).filename() == name) steps.push_back(*step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

bool Checkpoints::is_complete(std::int64_t step) const {
  const Result<std::string> marker = read_text_file(folder(step) / kMarker, kLargestState);
  if (!marker) return false;
  const Result<JsonField> hashes = parse_json_object(*marker, (folder(step) / kMarker).string());
  if (!hashes) return false;
  return std::all_of(kParts.begin(), kParts.end(), [&](const char* part) {
    const auto bytes = read_file(folder(step) / part, kLargestTensorFile);
    return bytes && hashes->text(part) == sha256_hex(bytes->span());
  });
}

std::vector<std::int64_t> Checkpoints::complete() const {
  std::vector<std::int64_t> steps = present();
  std::erase_if(steps, [&](std::int64_t step) { return !is_complete(step); });
  return steps;
}

std::map<std::string, std::string> checkpoint_notes(const Trainer& trainer) {
  return {{std::string(kMarksNote), std::string(mark_rule_name(trainer.setup().task->shape().marks))},
          {"task", std::string(trainer.setup().task->name())},
          {"setting", trainer.setup().task->setting()},
          {"seed", std::to_string(trainer.setup().seed)},
          {"step", std::to_string(trainer.position().step)}};
}

Snapshot take_snapshot(const Trainer& trainer, const RunMemory& memory,
                       const std::map<std::string, std::string>& notes) {
  std::map<std::string, std::string> all = checkpoint_notes(trainer);
  all.insert(notes.begin(), notes.end());
  const std::map<std::string, std::string> optimizer{{"model", trainer.model().config().name},
                                                     {"setting", trainer.setup().task->setting()},
                                                     {"step", std::to_string(trainer.position().step)}};
  return {.step = trainer.position().step,
          .model = encode_tensors(trainer.model_tensors(), model_file_metadata(trainer.model().spec(), all)),
          .optimizer = encode_tensors(trainer.optimizer_tensors(), optimizer),
          .state = state_json(trainer, memory)};
}

Status Checkpoints::save(const Snapshot& snapshot) {
  const std::array<std::span<const std::byte>, kParts.size()> parts{snapshot.model.span(), snapshot.optimizer.span(),
                                                                    bytes_of(snapshot.state)};

  const std::filesystem::path into = folder(snapshot.step);
  if (const Status made = make_directories(into, files_); !made) return made;
  const Result<std::uint64_t> room = free_space(into, files_);
  if (!room) return room.error();
  const std::uint64_t needed = kRoomFactor * (snapshot.model.size() + snapshot.optimizer.size());
  if (*room < needed) {
    return Error(ErrorKind::kInputOutput,
                 fmt::format("{}: a checkpoint needs {} bytes of free space, found {}. Earlier checkpoints are intact: "
                             "make room and run the same command again.",
                             into.string(), needed, *room));
  }
  if (is_complete(snapshot.step)) return Done{};  // saved already: the same numbers
  Json hashes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const Status written = write_file_atomically(into / kParts[i], parts[i], files_); !written) return written;
    hashes[kParts[i]] = sha256_hex(parts[i]);
  }
  if (const Status marked = write_file_atomically(into / kMarker, hashes.dump(1) + "\n", files_); !marked)
    return marked;

  std::size_t kept = 0;
  for (const std::int64_t step : present()) {
    const bool whole = std::filesystem::exists(folder(step) / kMarker);
    if (step > snapshot.step || !whole || kept++ >= kKept) remove(step);
  }
  return Done{};
}

/// A checkpoint that cannot be removed does no harm: nothing is reported. The marker goes first.
void Checkpoints::remove(std::int64_t step) {
  files_.remove(folder(step) / kMarker);
  for (const char* part : kParts) files_.remove(folder(step) / part);
  static_cast<void>(remove_temporaries(folder(step), files_));
  files_.remove(folder(step));
}

Result<std::optional<RunMemory>> Checkpoints::load(Trainer& trainer) const {
  for (const std::int64_t step : present()) {
    if (!is_complete(step)) continue;
    const Result<State> state = read_state(folder(step) / "state.json");
    if (!state) return state.error();
    const Result<TensorFile> optimizer = load_tensors(folder(step) / "optimizer.safetensors");
    if (!optimizer) return optimizer.error();
    if (const Status restored = trainer.restore(*optimizer, state->saved); !restored) return restored.error();
    return std::optional(state->memory);
  }
  return std::optional<RunMemory>();
}

}  // namespace schemamem
