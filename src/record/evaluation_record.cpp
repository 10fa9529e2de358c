#include "record/evaluation_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>
#include <utility>

#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "system/locked_files.h"

namespace schemamem {
namespace {

using Json = nlohmann::json;  // keeps its keys sorted
namespace fs = std::filesystem;

constexpr std::string_view kFormat = "schemamem evaluation";
constexpr int kVersion = 1;
/// A hundred times a record of the paper's delays with 10,000 episodes.
constexpr std::size_t kLargestRecord = std::size_t{1} << 26;
/// With another process that saves a record, which takes milliseconds.
constexpr std::chrono::seconds kPatience{30};

constexpr std::string_view kWrites = "writes";
constexpr std::array<std::string_view, 5> kScenarios{"immediate", "retention", "interference", "overwrite", "rounds"};
constexpr std::array<std::string_view, 4> kGroups{"retained", "updated", "default", "rewritten"};
constexpr std::array<std::string_view, 3> kKinds{"table", "curve", kWrites};
constexpr std::array<std::string_view, 2> kModes{"recurrent", "ablated"};

std::size_t rank(std::span<const std::string_view> names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}
bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return rank(names, name) < names.size();
}

auto place(std::string_view scenario, std::int64_t delay, std::string_view group) {
  return std::tuple(rank(kScenarios, scenario), scenario, delay, rank(kGroups, group), group);
}
auto place(const EvaluationCell& cell) { return place(cell.scenario, cell.delay, cell.group); }

Json cell_json(const EvaluationCell& cell) {
  return {{"scenario", cell.scenario},
          {"delay", cell.delay},
          {"group", cell.group},
          {"asked", cell.asked},
          {"right", cell.right},
          {"bits", cell.bits},
          {"bits_right", cell.bits_right},
          {"cross_entropy", cell.cross_entropy ? Json(*cell.cross_entropy) : Json()},
          {"right_by_episode", cell.right_by_episode}};
}

std::string text_of(const JsonField& object, const char* key, std::span<const std::string_view> names) {
  std::string found = object.text(key);
  object.at(key).expect(is_one_of(names, found),
                        fmt::format("must be one of {}, found {}", fmt::join(names, ", "), quote(found)));
  return found;
}

std::string name_of(const JsonField& object, const char* key) {
  std::string found = object.text(key);
  const Status named = check_name(found, "the name");
  object.at(key).expect(static_cast<bool>(named), named ? "" : named.error().message());
  return found;
}
/// Weights that no run of ours has made say nothing of it.
std::string name_if_any(const JsonField& object, const char* key) {
  return object.text(key).empty() ? std::string() : name_of(object, key);
}

EvaluatedCheckpoint read_checkpoint(const JsonField& json) {
  json.allow_only({"sha256", "model", "task", "setting", "seed", "recipe", "hash"});
  EvaluatedCheckpoint checkpoint{.sha256 = json.text("sha256"),
                                 .model = name_of(json, "model"),
                                 .task = json.has("task") ? name_of(json, "task") : std::string(kFirstTask),
                                 .setting = name_of(json, "setting"),
                                 .seed = {},
                                 .recipe = name_if_any(json, "recipe"),
                                 .hash = name_if_any(json, "hash")};
  if (const JsonField seed = json.at("seed"); !seed.is_null()) checkpoint.seed = seed.natural();
  const std::string& digits = checkpoint.sha256;
  json.at("sha256").expect(digits.size() == 64 && digits.find_first_not_of("0123456789abcdef") == std::string::npos,
                           "must be 64 hexadecimal digits, found " + quote(digits));
  return checkpoint;
}

EvaluationProtocol read_protocol(const JsonField& json) {
  json.allow_only({"kind", "mode", "eval_seed", "episodes", "isa", "rounds", "floor"});
  EvaluationProtocol protocol{.kind = text_of(json, "kind", kKinds),
                              .mode = text_of(json, "mode", kModes),
                              .eval_seed = json.natural("eval_seed"),
                              .episodes = json.count("episodes"),
                              .isa = name_of(json, "isa"),
                              .rounds = json.has("rounds") ? name_of(json, "rounds") : "",
                              .floor = json.has("floor") ? json.number("floor") : 0};
  if (json.has("floor")) {
    json.at("floor").expect(protocol.floor > 0 && protocol.floor < 1,
                            fmt::format("must be above 0 and below 1, found {}", protocol.floor));
  }
  json.expect((protocol.kind == kWrites) == !protocol.rounds.empty(),
              "\"rounds\" belongs to the kind \"writes\" and to no other");
  json.at("episodes").expect(protocol.episodes > 0, "must be positive, found 0");
  return protocol;
}

/// Without a sum that could overflow: no part of it exceeds the whole.
bool add_up_to(const std::vector<std::int64_t>& counts, std::int64_t whole) {
  for (const std::int64_t count : counts) {
    if (count > whole) return false;
    whole -= count;
  }
  return whole == 0;
}

/// Scenarios and groups of the first task are known; those of others are words.
EvaluationCell read_cell(const JsonField& json, std::string_view task, std::int64_t episodes) {
  const bool first = task == kFirstTask;
  json.allow_only(
      {"scenario", "delay", "group", "asked", "right", "bits", "bits_right", "cross_entropy", "right_by_episode"});
  EvaluationCell cell{.scenario = first ? text_of(json, "scenario", kScenarios) : name_of(json, "scenario"),
                      .delay = json.count("delay"),
                      .group = first ? text_of(json, "group", kGroups) : name_of(json, "group"),
                      .asked = json.count("asked"),
                      .right = json.count("right"),
                      .bits = json.count("bits"),
                      .bits_right = json.count("bits_right"),
                      .cross_entropy = {},
                      .right_by_episode = json.at("right_by_episode").counts()};
  if (const JsonField loss = json.at("cross_entropy"); !loss.is_null()) cell.cross_entropy = loss.number();
  json.at("cross_entropy").expect(cell.cross_entropy.value_or(0) >= 0, "must not be negative");
  json.expect(cell.asked > 0 && cell.bits >= cell.asked && cell.right <= cell.asked && cell.bits_right <= cell.bits,
              "\"right\" and \"bits_right\" must not exceed \"asked\" and \"bits\", of which there must be some");
  const auto& counts = cell.right_by_episode;
  json.at("right_by_episode")
      .expect(std::cmp_equal(counts.size(), episodes),
              fmt::format("must have {} numbers, found {}", episodes, counts.size()));
  json.at("right_by_episode").expect(add_up_to(counts, cell.right), "does not add up to \"right\"");
  return cell;
}

}  // namespace

const EvaluationCell* EvaluationRecord::find(std::string_view scenario, std::int64_t delay,
                                             std::string_view group) const {
  const auto at = std::find_if(cells.begin(), cells.end(), [&](const EvaluationCell& cell) {
    return cell.delay == delay && cell.scenario == scenario && cell.group == group;
  });
  return at == cells.end() ? nullptr : &*at;
}

void EvaluationRecord::put(EvaluationCell cell) {
  const auto at = std::lower_bound(cells.begin(), cells.end(), cell,
                                   [](const auto& a, const auto& b) { return place(a) < place(b); });
  if (at != cells.end() && place(*at) == place(cell)) {
    *at = std::move(cell);
  } else {
    cells.insert(at, std::move(cell));
  }
}

std::vector<NamedColumn> named_columns() {
  return {{"retained_r", "Retained-R", "retention", "retained"},
          {"retained_i", "Retained-I", "interference", "retained"},
          {"updated", "Updated", "overwrite", "updated"},
          {"default", "Default", "overwrite", "default"}};
}

std::string encode_evaluation(const EvaluationRecord& record) {
  const EvaluatedCheckpoint& c = record.checkpoint;
  const EvaluationProtocol& p = record.protocol;
  Json checkpoint{{"sha256", c.sha256},   {"model", c.model},
                  {"setting", c.setting}, {"seed", c.seed ? Json(*c.seed) : Json()},
                  {"recipe", c.recipe},   {"hash", c.hash}};
  if (c.task != kFirstTask) checkpoint["task"] = c.task;
  Json protocol{
      {"kind", p.kind}, {"mode", p.mode}, {"eval_seed", p.eval_seed}, {"episodes", p.episodes}, {"isa", p.isa}};
  if (!p.rounds.empty()) protocol["rounds"] = p.rounds;
  if (p.floor > 0) protocol["floor"] = p.floor;
  std::string text = "{\"cells\":[";
  const char* separator = "\n";
  for (const EvaluationCell& cell : record.cells) {
    text += separator + cell_json(cell).dump();
    separator = ",\n";
  }
  return text + fmt::format("\n],\n\"checkpoint\":{},\n\"format\":\"{}\",\n\"protocol\":{},\n\"version\":{}}}\n",
                            checkpoint.dump(), kFormat, protocol.dump(), kVersion);
}

Result<EvaluationRecord> parse_evaluation(std::string_view text, const std::string& what) {
  const Result<JsonField> json = parse_json_object(text, what, {.bytes = kLargestRecord});
  if (!json) return json.error();
  json->allow_only({"cells", "checkpoint", "format", "protocol", "version"});
  const std::string format = json->text("format");
  json->at("format").expect(format == kFormat, fmt::format("expected \"{}\", found {}", kFormat, quote(format)));
  const std::int64_t version = json->count("version");
  json->at("version").expect(version == kVersion, fmt::format("expected {}, found {}", kVersion, version));
  EvaluationRecord record{.checkpoint = read_checkpoint(json->at("checkpoint")),
                          .protocol = read_protocol(json->at("protocol"))};
  for (const JsonField& field : json->items("cells")) {
    EvaluationCell cell = read_cell(field, record.checkpoint.task, record.protocol.episodes);
    field.expect(record.cells.empty() || place(record.cells.back()) < place(cell),
                 "is not behind the one before it, by scenario, delay and group");
    if (const Status read = json->status(); !read) return read.error();
    record.cells.push_back(std::move(cell));
  }
  if (const Status read = json->status(); !read) return read.error();
  return record;
}

namespace {

/// Records lie in a folder of their own beside the weights, which are there.
Status make_folder_of(const fs::path& record, FileSystem& files) {
  const fs::path folder = record.parent_path();
  return make_directories_in(folder.parent_path(), folder.filename(), files);
}

}  // namespace

std::string evaluation_file_name(const EvaluationProtocol& protocol) {
  const std::string rounds = protocol.rounds.empty() ? "" : protocol.rounds + "-";
  const std::string floor = protocol.floor > 0 ? fmt::format("-floor{}", protocol.floor) : "";
  return fmt::format("{}-{}{}{}-{}-{}.json", protocol.kind, rounds, protocol.mode, floor, protocol.eval_seed,
                     protocol.episodes);
}

Result<EvaluationRecord> load_evaluation(const fs::path& path) {
  const Result<std::string> text = read_text_file(path, kLargestRecord);
  if (!text) return text.error();
  return parse_evaluation(*text, path.string());
}

Status save_evaluation(const fs::path& path, const EvaluationRecord& record, FileSystem& files) {
  if (const Status made = make_folder_of(path, files); !made) return made;
  return write_file_atomically(path, encode_evaluation(record), files);
}

Status add_to_evaluation(const fs::path& path, EvaluationRecord& record, std::vector<EvaluationCell> cells,
                         FileSystem& files) {
  if (const Status made = make_folder_of(path, files); !made) return made;
  const Result<FileLock> alone = FileLock::acquire(path.parent_path() / "lock", kPatience);
  if (!alone) return alone.error();
  LockedFiles locked(files, *alone);
  if (const Status cleaned = remove_temporaries(path.parent_path(), locked); !cleaned) return cleaned;
  Result<EvaluationRecord> found = load_evaluation(path);
  // Damage is replaced, by who was told of it; what cannot be read may hold the work of hours.
  if (!found && found.error().kind() != ErrorKind::kBadData && !is_absent(path)) return found.error();
  if (found && found->checkpoint == record.checkpoint && found->protocol == record.protocol)
    record = std::move(found).value();
  for (EvaluationCell& cell : cells) record.put(std::move(cell));
  return save_evaluation(path, record, locked);
}

fs::path evaluation_folder(const fs::path& weights) {
  if (weights.filename() == "model.safetensors") return weights.parent_path() / "evaluations";
  return fs::path(weights).replace_extension(".evaluations");
}

Result<std::vector<EvaluationRecord>> load_evaluations(const fs::path& folder) {
  std::vector<EvaluationRecord> records;
  if (is_absent(folder)) return records;
  const Result<std::vector<std::string>> names = list_directory(folder);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (!name.ends_with(".json")) continue;
    Result<EvaluationRecord> record = load_evaluation(folder / name);
    if (!record) return record.error();
    records.push_back(std::move(record).value());
  }
  return records;
}

}  // namespace schemamem
