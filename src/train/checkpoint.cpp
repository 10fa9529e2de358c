#include "train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/parse.h"
#include "base/sha256.h"
#include "base/text.h"
#include "models/model_file.h"
#include "record/tensor_files.h"
#include "train/run_record.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* kFolder = "checkpoints";
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
      {"hash", memory.hash},
      {"last_check",
       memory.last_check.empty() ? Json() : parse_json(memory.last_check, "the last check").value().raw()}};
  return state.dump(1) + "\n";
}

Result<CheckpointState> read_state(const fs::path& path, FileSystem& files) {
  const auto text = read_text_file(path, JsonLimits{}.bytes, files);
  if (!text) return text.error();
  return parse_checkpoint_state(*text, path.string());
}

/// What a state must be besides well-formed: that of its folder, and of the run that asks for it.
Status check_state(const CheckpointState& state, std::int64_t step, std::string_view hash, const fs::path& path) {
  if (state.saved.position.step != step) {
    return Error(ErrorKind::kBadData, fmt::format("{}: expected step {}, as the folder is called, found {}",
                                                  path.string(), step, state.saved.position.step));
  }
  const std::string& found = state.memory.hash;
  if (hash.empty() || found.empty() || found == hash) return Done{};
  return Error(ErrorKind::kBadData,
               fmt::format("{} is of the run {}, expected {}: the checkpoint belongs to another run. Move it away, or "
                           "continue the run it is of.",
                           path.string(), printable(found), hash));
}

/// What was there a moment ago and cannot be opened is no missing input.
Error as_input_output(const Error& error) {
  return error.kind() == ErrorKind::kMissingInput ? Error(ErrorKind::kInputOutput, error.message()) : error;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

Result<CheckpointState> parse_checkpoint_state(std::string_view text, const std::string& what) {
  const auto json = parse_json_object(text, what);
  if (!json) return json.error();
  CheckpointState state{
      .saved = {.position = {.step = json->count("step"),
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
  if (const auto hash = json->find("hash")) state.memory.hash = hash->text();
  if (const JsonField check = json->at("last_check"); !check.is_null()) state.memory.last_check = check.raw().dump();
  if (const Status read = json->status(); !read) return read.error();
  return state;
}

Result<std::map<std::string, std::string>> parse_checkpoint_marker(std::string_view text, const std::string& what) {
  const auto json = parse_json_object(text, what);
  if (!json) return json.error();
  std::map<std::string, std::string> hashes;
  for (const char* part : kParts) hashes[part] = json->text(part);
  if (const Status read = json->status(); !read) return read.error();
  return hashes;
}

fs::path Checkpoints::all() const { return run_ / kFolder; }
fs::path Checkpoints::folder(std::int64_t step) const { return all() / fmt::format("{}{:09}", kPrefix, step); }

/// By falling step. What is called like a checkpoint and is no folder is refused: nothing is read or removed through a
/// link.
Result<std::vector<std::int64_t>> Checkpoints::present() const {
  std::vector<std::int64_t> steps;
  if (is_absent(all())) return steps;
  const auto check = [](const fs::path& path) -> Status {
    std::error_code unknown;
    const fs::file_status status = fs::symlink_status(path, unknown);
    if (fs::is_directory(status)) return Done{};
    if (unknown) return file_error(ErrorKind::kInputOutput, "look at", path, -unknown.value());
    return Error(ErrorKind::kBadData,
                 path.string() + ": expected a folder of checkpoints, found a link or a file; move it away");
  };
  if (const Status fit = check(all()); !fit) return fit.error();
  const auto names = list_directory(all());
  if (!names) return Error(ErrorKind::kInputOutput, names.error().message());
  for (const std::string& name : *names) {
    if (!name.starts_with(kPrefix)) continue;
    const auto step = parse_integer(std::string_view(name).substr(kPrefix.size()), "step", 0, kMostJsonCount);
    if (!step || folder(*step).filename() != name) continue;
    if (const Status fit = check(all() / name); !fit) return fit.error();
    steps.push_back(*step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

Result<Checkpoints::Judgement> Checkpoints::judge(std::int64_t step) const {
  const fs::path marker = folder(step) / kMarker;
  if (is_absent(marker)) return Judgement{};
  // What can be read and is wrong is damage; what cannot be read may be whole.
  const auto verdict = [](const Error& error) -> Result<Judgement> {
    if (error.kind() == ErrorKind::kBadData) return Judgement{Condition::kDamaged, error.message()};
    return as_input_output(error);
  };
  const auto text = read_text_file(marker, JsonLimits{}.bytes, files_);
  if (!text) return verdict(text.error());
  const auto hashes = parse_checkpoint_marker(*text, marker.string());
  if (!hashes) return verdict(hashes.error());
  for (const char* part : kParts) {
    const fs::path path = folder(step) / part;
    if (is_absent(path)) return Judgement{Condition::kDamaged, path.string() + " is missing"};
    const auto bytes = path.extension() == ".json" ? read_file(path, kLargestState, files_)
                                                   : read_tensor_file(path, kLargestTensorFile, files_);
    if (!bytes) return verdict(bytes.error());
    const std::string& expected = hashes->at(part);
    const std::string found = sha256_hex(bytes->span());
    if (found != expected) {
      return Judgement{Condition::kDamaged,
                       fmt::format("{}: expected the SHA-256 {}, found {}", path.string(), printable(expected), found)};
    }
  }
  return Judgement{Condition::kWhole};
}

std::vector<std::int64_t> Checkpoints::complete() const {
  const auto all = present();
  std::vector<std::int64_t> steps = all ? *all : std::vector<std::int64_t>();
  std::erase_if(steps, [&](std::int64_t step) {
    const auto found = judge(step);
    return !found || found->condition != Condition::kWhole;
  });
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

  const fs::path into = folder(snapshot.step);
  if (const Status made = make_directories_in(run_, into.lexically_relative(run_), files_); !made) return made;
  const Result<std::uint64_t> room = free_space(into, files_);
  if (!room) return room.error();
  const std::uint64_t needed = kRoomFactor * (snapshot.model.size() + snapshot.optimizer.size());
  if (*room < needed) {
    return Error(ErrorKind::kInputOutput,
                 fmt::format("{}: a checkpoint needs {} bytes of free space, found {}. Earlier checkpoints are intact: "
                             "make room and run the same command again.",
                             into.string(), needed, *room));
  }
  const auto earlier = judge(snapshot.step);
  if (!earlier) return earlier.error();
  if (earlier->condition == Condition::kWhole) return Done{};  // saved already: the same numbers
  Json hashes;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (const Status written = write_file_atomically(into / kParts[i], parts[i], files_); !written) return written;
    hashes[kParts[i]] = sha256_hex(parts[i]);
  }
  if (const Status marked = write_file_atomically(into / kMarker, hashes.dump(1) + "\n", files_); !marked)
    return marked;

  remove_old(snapshot.step);
  return Done{};
}

/// Newer ones stay, whatever they are, unless they were never finished: a run that goes on from an older one says why.
void Checkpoints::remove_old(std::int64_t saved) {
  const auto steps = present();
  if (!steps) return;
  std::size_t kept = 0;
  for (const std::int64_t step : *steps) {
    const bool unfinished = is_absent(folder(step) / kMarker);
    if (unfinished || (step <= saved && kept++ >= kKept)) remove(step);
  }
}

/// A checkpoint that cannot be removed does no harm: nothing is reported. The marker goes first, and while it stays so
/// do the others: a marker without them would look like damage. What a link leads to is not this run's to remove.
void Checkpoints::remove(std::int64_t step) {
  std::error_code unknown;
  if (std::filesystem::is_symlink(folder(step), unknown)) return;
  const FileSystem::Outcome unmarked = files_.remove(folder(step) / kMarker);
  if (unmarked < 0 && unmarked != -ENOENT) return;
  for (const char* part : kParts) files_.remove(folder(step) / part);
  static_cast<void>(remove_temporaries(folder(step), files_));
  files_.remove(folder(step));
}

Status Checkpoints::remove_leftovers() {
  const auto steps = present();
  if (!steps) return steps.error();
  for (const std::int64_t step : *steps) {
    if (const Status removed = remove_temporaries(folder(step), files_); !removed) return removed;
  }
  return Done{};
}

Result<std::string> Checkpoints::set_aside(std::int64_t step, const std::string& damage) {
  fs::path aside = all() / fmt::format("damaged-{}{:09}", kPrefix, step);
  for (int i = 2; !is_absent(aside); ++i) aside = all() / fmt::format("damaged-{}{:09}-{}", kPrefix, step, i);
  const FileSystem::Outcome renamed = files_.rename(folder(step), aside);
  if (renamed < 0)
    return file_error(ErrorKind::kInputOutput, "set aside the damaged checkpoint", folder(step), renamed);
  if (const Status synced = sync_directory(all(), files_); !synced) return synced.error();
  return fmt::format(
      "The checkpoint of step {} is damaged ({}). It is kept as {}; the run goes on from the one before it "
      "and will come to the same result.",
      step, damage, aside.string());
}

Result<Checkpoints::Loaded> Checkpoints::load(Trainer& trainer, std::string_view hash) {
  const auto steps = present();
  if (!steps) return steps.error();
  std::vector<std::pair<std::int64_t, std::string>> damaged;
  for (const std::int64_t step : *steps) {
    const auto found = judge(step);
    if (!found) return found.error();
    if (found->condition == Condition::kDamaged) damaged.emplace_back(step, found->damage);
    if (found->condition != Condition::kWhole) continue;
    const Result<CheckpointState> state = read_state(folder(step) / "state.json", files_);
    if (!state) return as_input_output(state.error());
    if (const Status fits = check_state(*state, step, hash, folder(step) / "state.json"); !fits) return fits.error();
    const Result<TensorFile> optimizer =
        load_tensors(folder(step) / "optimizer.safetensors", kLargestTensorFile, files_);
    if (!optimizer) return as_input_output(optimizer.error());
    if (const Status restored = trainer.restore(*optimizer, state->saved); !restored) return restored.error();
    Loaded loaded{.memory = state->memory};
    for (const auto& [newer, damage] : damaged) {
      const auto told = set_aside(newer, damage);
      if (!told) return told.error();
      loaded.set_aside.push_back(*told);
    }
    return loaded;
  }
  if (damaged.empty()) return Loaded{};
  return Error(
      ErrorKind::kBadData,
      fmt::format("Every checkpoint of the run is damaged; of the newest: {}. Nothing was changed. Bring back an "
                  "intact copy of {}, or move {} away to train from the beginning.",
                  damaged.front().second, folder(damaged.front().first).string(), all().string()));
}

}  // namespace schemamem
