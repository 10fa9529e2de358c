#include "record/evaluation_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <tuple>

#include "base/text.h"
#include "system/file_lock.h"

namespace schemamem {
namespace {

using Json = nlohmann::json;  // keeps its keys sorted
namespace fs = std::filesystem;

constexpr std::string_view kFormat = "schemamem evaluation";
constexpr int kVersion = 1;
/// A thousand cells of a hundred thousand episodes.
constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 28;
/// With another process that saves a record, which takes milliseconds.
constexpr std::chrono::seconds kPatience{30};

constexpr std::array<std::string_view, 4> kScenarios{"immediate", "retention", "interference", "overwrite"};
constexpr std::array<std::string_view, 3> kGroups{"retained", "updated", "default"};
constexpr std::size_t kLongestWord = 64;
constexpr std::array<std::string_view, 2> kKinds{"table", "curve"};
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
          {"cross_entropy", cell.cross_entropy},
          {"right_by_episode", cell.right_by_episode}};
}

/// Reads the fields of one object, and remembers the first thing that is wrong.
class Fields {
 public:
  Fields(const Json& object, std::string what, std::initializer_list<const char*> known, std::string_view optional = {})
      : object_(object), what_(std::move(what)) {
    expect(object.is_object(), "expected an object");
    if (fault_) return;
    for (const auto& [key, value] : object.items()) {
      const std::string& name = key;
      const bool is_known = std::any_of(known.begin(), known.end(), [&](const char* one) { return name == one; });
      expect(is_known || name == optional, "unknown field " + quote(name));
    }
    for (const char* key : known) expect(object.contains(key), fmt::format("the field \"{}\" is missing", key));
  }

  std::string text(const char* key) {
    if (fault_) return {};
    const Json& value = object_.at(key);
    if (!value.is_string()) fail(fmt::format("\"{}\" must be a text", key));
    return fault_ ? std::string() : value.get<std::string>();
  }
  std::string text(const char* key, std::span<const std::string_view> names) {
    std::string found = text(key);
    if (!fault_ && !is_one_of(names, found))
      fail(fmt::format("\"{}\" must be one of {}, found {}", key, fmt::join(names, ", "), quote(found)));
    return found;
  }
  /// A name that may stand in a file's name: letters, digits, '.', '_', '-'.
  std::string word(const char* key) {
    std::string found = text(key);
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
    if (!fault_ && (found.empty() || found.size() > kLongestWord || !std::all_of(found.begin(), found.end(), plain)))
      fail(fmt::format("\"{}\" must be a word of at most {} letters, digits, '.', '_' and '-', found {}", key,
                       kLongestWord, quote(found)));
    return found;
  }
  bool has(const char* key) const { return !fault_ && object_.contains(key); }
  std::int64_t count(const char* key) {
    if (fault_) return 0;
    const Json& value = object_.at(key);
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() < (std::uint64_t{1} << 62);
    if (!fits) fail(fmt::format("\"{}\" must be a whole number that is not negative", key));
    return fits ? value.get<std::int64_t>() : 0;
  }
  double number(const char* key) {
    if (fault_) return 0;
    const Json& value = object_.at(key);
    const bool fits = value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0;
    if (!fits) fail(fmt::format("\"{}\" must be a number that is not negative", key));
    return fits ? value.get<double>() : 0;
  }
  const Json* array(const char* key) {
    if (fault_) return nullptr;
    if (!object_.at(key).is_array()) fail(fmt::format("\"{}\" must be an array", key));
    return fault_ ? nullptr : &object_.at(key);
  }
  bool is_null(const char* key) const { return !fault_ && object_.at(key).is_null(); }

  void expect(bool holds, const std::string& message) {
    if (!fault_ && !holds) fail(message);
  }
  void fail(const std::string& message) {
    if (!fault_) fault_ = Error(ErrorKind::kBadData, what_ + ": " + message);
  }
  const std::optional<Error>& fault() const { return fault_; }

 private:
  const Json& object_;
  std::string what_;
  std::optional<Error> fault_;
};

Result<EvaluatedCheckpoint> read_checkpoint(const Json& json, const std::string& what) {
  Fields fields(json, what + ": checkpoint", {"sha256", "model", "setting", "seed", "recipe", "hash"}, "task");
  EvaluatedCheckpoint checkpoint{.sha256 = fields.text("sha256"),
                                 .model = fields.text("model"),
                                 .task = fields.has("task") ? fields.word("task") : std::string(kFirstTask),
                                 .setting = fields.text("setting"),
                                 .seed = {},
                                 .recipe = fields.text("recipe"),
                                 .hash = fields.text("hash")};
  if (!fields.is_null("seed")) checkpoint.seed = static_cast<std::uint64_t>(fields.count("seed"));
  const std::string& digits = checkpoint.sha256;
  fields.expect(digits.size() == 64 && digits.find_first_not_of("0123456789abcdef") == std::string::npos,
                "\"sha256\" must be 64 hexadecimal digits");
  if (fields.fault()) return *fields.fault();
  return checkpoint;
}

Result<EvaluationProtocol> read_protocol(const Json& json, const std::string& what) {
  Fields fields(json, what + ": protocol", {"kind", "mode", "eval_seed", "episodes", "isa"});
  EvaluationProtocol protocol{.kind = fields.text("kind", kKinds),
                              .mode = fields.text("mode", kModes),
                              .eval_seed = static_cast<std::uint64_t>(fields.count("eval_seed")),
                              .episodes = fields.count("episodes"),
                              .isa = fields.text("isa")};
  fields.expect(protocol.episodes > 0, "\"episodes\" must be positive");
  if (fields.fault()) return *fields.fault();
  return protocol;
}

/// Scenarios and groups of the first task are known; those of others are words.
Result<EvaluationCell> read_cell(const Json& json, std::string_view task, std::int64_t episodes,
                                 const std::string& what) {
  const bool first = task == kFirstTask;
  Fields fields(
      json, what,
      {"scenario", "delay", "group", "asked", "right", "bits", "bits_right", "cross_entropy", "right_by_episode"});
  EvaluationCell cell{.scenario = first ? fields.text("scenario", kScenarios) : fields.word("scenario"),
                      .delay = fields.count("delay"),
                      .group = first ? fields.text("group", kGroups) : fields.word("group"),
                      .asked = fields.count("asked"),
                      .right = fields.count("right"),
                      .bits = fields.count("bits"),
                      .bits_right = fields.count("bits_right")};
  cell.cross_entropy = fields.number("cross_entropy");
  if (const Json* const counts = fields.array("right_by_episode")) {
    for (const Json& count : *counts) {
      const bool fits =
          count.is_number_unsigned() && count.get<std::uint64_t>() <= static_cast<std::uint64_t>(cell.asked);
      fields.expect(fits, "\"right_by_episode\" must hold whole numbers no larger than \"asked\"");
      cell.right_by_episode.push_back(fits ? count.get<std::int64_t>() : 0);
    }
  }
  fields.expect(cell.asked > 0 && cell.bits >= cell.asked && cell.right <= cell.asked && cell.bits_right <= cell.bits,
                "\"right\" and \"bits_right\" must not exceed \"asked\" and \"bits\", of which there must be some");
  fields.expect(
      static_cast<std::int64_t>(cell.right_by_episode.size()) == episodes,
      fmt::format("\"right_by_episode\" must have {} numbers, found {}", episodes, cell.right_by_episode.size()));
  fields.expect(
      std::accumulate(cell.right_by_episode.begin(), cell.right_by_episode.end(), std::int64_t{0}) == cell.right,
      "\"right_by_episode\" does not add up to \"right\"");
  if (fields.fault()) return *fields.fault();
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
  const Json protocol{
      {"kind", p.kind}, {"mode", p.mode}, {"eval_seed", p.eval_seed}, {"episodes", p.episodes}, {"isa", p.isa}};
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
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Error(ErrorKind::kBadData, what + ": the text is no JSON; it was changed or damaged");
  Fields fields(json, what, {"cells", "checkpoint", "format", "protocol", "version"});
  const std::string format = fields.text("format");
  fields.expect(format == kFormat, fmt::format("expected the format \"{}\", found {}", kFormat, quote(format)));
  const std::int64_t version = fields.count("version");
  fields.expect(version == kVersion, fmt::format("expected version {}, found {}", kVersion, version));
  const Json* const cells = fields.array("cells");
  if (fields.fault()) return *fields.fault();

  const Result<EvaluatedCheckpoint> checkpoint = read_checkpoint(json.at("checkpoint"), what);
  if (!checkpoint) return checkpoint.error();
  const Result<EvaluationProtocol> protocol = read_protocol(json.at("protocol"), what);
  if (!protocol) return protocol.error();
  EvaluationRecord record{.checkpoint = *checkpoint, .protocol = *protocol};
  for (std::size_t i = 0; i < cells->size(); ++i) {
    const std::string where = fmt::format("{}: cell {}", what, i);
    Result<EvaluationCell> cell = read_cell((*cells)[i], checkpoint->task, protocol->episodes, where);
    if (!cell) return cell.error();
    if (!record.cells.empty() && place(record.cells.back()) >= place(*cell))
      return Error(ErrorKind::kBadData, where + " is not behind the one before it, by scenario, delay and group");
    record.cells.push_back(std::move(cell).value());
  }
  return record;
}

std::string evaluation_file_name(const EvaluationProtocol& protocol) {
  return fmt::format("{}-{}-{}-{}.json", protocol.kind, protocol.mode, protocol.eval_seed, protocol.episodes);
}

Result<EvaluationRecord> load_evaluation(const fs::path& path) {
  const Result<std::string> text = read_text_file(path, kLargestRecord);
  if (!text) return text.error();
  return parse_evaluation(*text, path.string());
}

Status save_evaluation(const fs::path& path, const EvaluationRecord& record, FileSystem& files) {
  if (const Status made = make_directories(path.parent_path(), files); !made) return made;
  return write_file_atomically(path, encode_evaluation(record), files);
}

Status add_to_evaluation(const fs::path& path, EvaluationRecord& record, std::vector<EvaluationCell> cells,
                         FileSystem& files) {
  if (const Status made = make_directories(path.parent_path(), files); !made) return made;
  const Result<FileLock> alone = FileLock::acquire(path.parent_path() / "lock", kPatience);
  if (!alone) return alone.error();
  Result<EvaluationRecord> found = load_evaluation(path);
  if (found && found->checkpoint == record.checkpoint && found->protocol == record.protocol)
    record = std::move(found).value();
  for (EvaluationCell& cell : cells) record.put(std::move(cell));
  return save_evaluation(path, record, files);
}

fs::path evaluation_folder(const fs::path& weights) {
  if (weights.filename() == "model.safetensors") return weights.parent_path() / "evaluations";
  return fs::path(weights).replace_extension(".evaluations");
}

Result<std::vector<EvaluationRecord>> load_evaluations(const fs::path& folder) {
  std::vector<EvaluationRecord> records;
  if (!fs::is_directory(folder)) return records;
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
