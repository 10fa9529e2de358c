#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"
#include "base/sha256.h"
#include "base/text.h"
#include "eval/predictions.h"
#include "task/address_value.h"
#include "task/registry.h"
#include "tensors/npz.h"

namespace schemamem {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::string_view kFormat = "schemamem episodes";
constexpr int kVersion = 1;
constexpr const char* kAbout = "about";
constexpr std::size_t kLongestAbout = 1 << 16, kLongestLine = 1 << 26;
constexpr std::int64_t kMostEpisodes = 1'000'000;
constexpr std::size_t kMostCases = 256;
constexpr std::size_t kMostTokens = std::size_t{1} << 32U;  // of a case: minutes

/// The task of a dump that was parsed or made here.
Result<std::shared_ptr<const Task>> task_of(const std::string& setting) { return make_task(kFirstTask, setting); }

std::string hash_of(const Task& task, const EpisodeCase& request, const EvaluationOptions& episodes) {
  const auto* const database = dynamic_cast<const AddressValueTask*>(&task);
  require(database != nullptr, "describe_episodes: only the address-value task has hashes of its episodes");
  return evaluation_hash(database->case_of(request), episodes);
}

/// The numbers of an array as T, whatever its type and wherever it lies.
template <class T, class Stored>
bool copy_as(Bytes bytes, std::vector<T>& out) {
  out.resize(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored value;
    std::memcpy(&value, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    if constexpr (std::is_integral_v<Stored>) {
      if (!std::in_range<T>(value)) return false;
    }
    out[i] = static_cast<T>(value);
  }
  return true;
}

Result<CasePredictions> case_of_array(const NamedTensor& array, const std::string& what) {
  const auto bad = [&](const std::string& reason) {
    return Error(ErrorKind::kBadData, fmt::format("{}: {}: {}", what, printable(array.name), reason));
  };
  const bool outputs = array.dtype == DType::kF32 || array.dtype == DType::kF64;
  if (array.shape.size() != (outputs ? 3U : 2U)) {
    return bad(
        fmt::format("expected outputs [episodes, rows, outputs] or whole-number answers [episodes, rows]; found {} "
                    "[{}]",
                    dtype_name(array.dtype), fmt::join(array.shape, ", ")));
  }
  CasePredictions made{.name = array.name, .episodes = array.shape[0], .rows = array.shape[1]};
  if (array.bytes.empty()) return bad("is empty");
  if (outputs) made.width = array.shape[2];
  bool fits = true;
  switch (array.dtype) {
    case DType::kF32:
      copy_as<float, float>(array.bytes, made.outputs);
      break;
    case DType::kF64:
      copy_as<float, double>(array.bytes, made.outputs);
      break;
    case DType::kU8:
      fits = copy_as<std::int32_t, std::uint8_t>(array.bytes, made.answers);
      break;
    case DType::kI8:
      fits = copy_as<std::int32_t, std::int8_t>(array.bytes, made.answers);
      break;
    case DType::kI32:
      fits = copy_as<std::int32_t, std::int32_t>(array.bytes, made.answers);
      break;
    case DType::kI64:
      fits = copy_as<std::int32_t, std::int64_t>(array.bytes, made.answers);
      break;
    default:
      return bad(fmt::format("expected F32, F64, U8, I8, I32 or I64; found {}", dtype_name(array.dtype)));
  }
  if (!fits) return bad("has an answer of more than 32 bits");
  return made;
}

Result<PredictionFile> from_arrays(std::string_view about, std::span<const NamedTensor> arrays,
                                   const std::string& what) {
  auto dump = parse_dump(about, what + ": " + kAbout);
  if (!dump) return dump.error();
  PredictionFile file{.dump = std::move(dump).value(), .cases = {}};
  for (const NamedTensor& array : arrays) {
    if (array.name == kAbout) continue;
    if (file.dump.find(array.name) == nullptr) {
      std::vector<std::string> names;
      for (const EpisodeDump::Case& one : file.dump.cases) names.push_back(one.name);
      return Error(ErrorKind::kBadData, fmt::format("{}: an array is called {}; expected one of the dump's cases: {}.",
                                                    what, quote(array.name), fmt::join(names, ", ")));
    }
    auto made = case_of_array(array, what);
    if (!made) return made.error();
    file.cases.push_back(std::move(made).value());
  }
  return file;
}

Result<PredictionFile> from_npz(Bytes bytes, const std::string& what) {
  const auto arrays = parse_npz(bytes, what);
  if (!arrays) return arrays.error();
  const auto about =
      std::find_if(arrays->begin(), arrays->end(), [](const NamedTensor& a) { return a.name == kAbout; });
  if (about == arrays->end() || about->dtype != DType::kU8) {
    return Error(
        ErrorKind::kBadData,
        fmt::format("{} has no array \"about\" of bytes, which says what the predictions are for. Copy it from "
                    "the dump: numpy.savez(file, about=dump[\"about\"], ...).",
                    what));
  }
  return from_arrays({reinterpret_cast<const char*>(about->bytes.data()), about->bytes.size()},  // NOLINT: characters
                     *arrays, what);
}

Result<PredictionFile> from_safetensors(Bytes bytes, const std::string& what) {
  const auto file = TensorFile::parse(bytes, what);
  if (!file) return file.error();
  const auto about = file->metadata_value(kAbout);
  if (!about) return about.error();
  std::vector<NamedTensor> arrays;
  for (const TensorInfo& tensor : file->tensors())
    arrays.push_back({tensor.name, tensor.dtype, tensor.shape, file->bytes(tensor)});
  return from_arrays(*about, arrays, what);
}

/// One episode of a case in lines of JSON: adds it to `made`.
Status take_line(const JsonField& json, CasePredictions& made) {
  json.allow_only({"case", "episode", "answers", "outputs"});
  const std::int64_t episode = json.count("episode");
  json.at("episode").expect(std::cmp_equal(episode, made.episodes),
                            fmt::format("expected {}, the next of {}; found {}", made.episodes, made.name, episode));
  json.expect(json.has("answers") != json.has("outputs"), "must have \"answers\" or \"outputs\"");
  if (const Status read = json.status(); !read) return read;
  std::size_t rows = 0;
  if (json.has("answers")) {
    for (const std::int64_t answer : json.at("answers").counts(std::numeric_limits<std::int32_t>::max())) {
      made.answers.push_back(static_cast<std::int32_t>(answer));
      ++rows;
    }
  } else {
    for (const JsonField& row : json.items("outputs")) {
      std::size_t width = 0;
      for (const JsonField& value : row.items()) {
        made.outputs.push_back(static_cast<float>(value.number()));
        ++width;
      }
      if (made.width == 0) made.width = width;
      row.expect(width == made.width && width > 0, fmt::format("expected {} numbers, found {}", made.width, width));
      ++rows;
    }
  }
  if (made.episodes == 0) made.rows = rows;
  json.expect(rows == made.rows && rows > 0, fmt::format("expected {} rows, found {}", made.rows, rows));
  json.expect(made.answers.empty() || made.outputs.empty(), "some lines of the case have answers, some outputs");
  ++made.episodes;
  return json.status();
}

Result<PredictionFile> from_lines(std::string_view text, const std::string& what) {
  PredictionFile file;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.size(), text.find('\n'));
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    const std::string place = fmt::format("{}: line {}", what, number);
    if (number == 1) {
      auto dump = parse_dump(line, place);
      if (!dump) return dump.error();
      file.dump = std::move(dump).value();
      continue;
    }
    if (line.empty()) continue;
    const auto json = parse_json_object(line, place, {.bytes = kLongestLine});
    if (!json) return json.error();
    const std::string name = json->text("case");
    json->at("case").expect(file.dump.find(name) != nullptr,
                            fmt::format("{} is no case of the first line", quote(name)));
    if (const Status read = json->status(); !read) return read.error();
    auto made =
        std::find_if(file.cases.begin(), file.cases.end(), [&](const CasePredictions& c) { return c.name == name; });
    if (made == file.cases.end()) {
      file.cases.push_back({.name = name});
      made = file.cases.end() - 1;
    }
    if (const Status taken = take_line(*json, *made); !taken) return taken.error();
  }
  return file;
}

}  // namespace

const EpisodeDump::Case* EpisodeDump::find(std::string_view name) const {
  const auto at = std::find_if(cases.begin(), cases.end(), [&](const Case& one) { return one.name == name; });
  return at == cases.end() ? nullptr : &*at;
}

std::string case_name(const Task& task, const EpisodeCase& request) {
  return fmt::format("{}_{}", task.scenarios()[request.scenario], request.delay);
}

EpisodeDump describe_episodes(const Task& task, std::span<const EpisodeCase> cases, const EvaluationOptions& episodes) {
  EpisodeDump dump{.setting = task.setting(), .episodes = episodes, .cases = {}};
  for (const EpisodeCase& one : cases) dump.cases.push_back({case_name(task, one), one, hash_of(task, one, episodes)});
  return dump;
}

std::string encode_dump(const Task& task, const EpisodeDump& dump) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const EpisodeDump::Case& one : dump.cases)
    cases.push_back(
        {{"scenario", task.scenarios()[one.request.scenario]}, {"delay", one.request.delay}, {"sha256", one.sha256}});
  return nlohmann::ordered_json{{"format", kFormat},
                                {"version", kVersion},
                                {"setting", dump.setting},
                                {"eval_seed", dump.episodes.seed},
                                {"episodes", dump.episodes.episodes},
                                {"cases", std::move(cases)}}
      .dump();
}

Result<EpisodeDump> parse_dump(std::string_view text, const std::string& what) {
  const Result<JsonField> json = parse_json_object(text, what, {.bytes = kLongestAbout});
  if (!json) return json.error();
  json->allow_only({"format", "version", "setting", "eval_seed", "episodes", "cases"});
  const std::string format = json->text("format");
  json->at("format").expect(format == kFormat, fmt::format("expected \"{}\", found {}", kFormat, quote(format)));
  const std::int64_t version = json->count("version");
  json->at("version").expect(version == kVersion, fmt::format("expected {}, found {}", kVersion, version));
  EpisodeDump dump{
      .setting = json->text("setting"), .episodes = {.seed = json->natural("eval_seed"), .episodes = 0}, .cases = {}};
  const std::int64_t episodes = json->at("episodes").count(kMostEpisodes);
  json->at("episodes").expect(episodes > 0, "must be positive, found 0");
  dump.episodes.episodes = static_cast<std::size_t>(episodes);
  if (const Status read = json->status(); !read) return read.error();
  const auto bad = [&](const Error& error) { return Error(ErrorKind::kBadData, what + ": " + error.message()); };
  const auto task = task_of(dump.setting);
  if (!task) return bad(task.error());
  const std::vector<JsonField> cases = json->items("cases");
  json->at("cases").expect(!cases.empty() && cases.size() <= kMostCases,
                           fmt::format("must have 1 to {}, found {}", kMostCases, cases.size()));
  for (const JsonField& field : cases) {
    if (const Status read = json->status(); !read) return read.error();
    field.allow_only({"scenario", "delay", "sha256"});
    const auto scenario = (*task)->find_scenario(field.text("scenario"));
    if (!scenario) return bad(scenario.error());
    const EpisodeCase one{.scenario = *scenario, .delay = static_cast<std::size_t>(field.count("delay"))};
    if (const auto* const database = dynamic_cast<const AddressValueTask*>(task->get())) {
      if (const Status fits = check_evaluation(database->case_of(one)); !fits) return bad(fits.error());
    }
    const std::string name = case_name(**task, one);
    field.expect(dump.find(name) == nullptr, "is there twice");
    dump.cases.push_back({name, one, field.text("sha256")});
  }
  if (const Status read = json->status(); !read) return read.error();
  return dump;
}

Result<PredictionFile> parse_predictions(Bytes bytes, const std::string& what) {
  auto file = looks_like_npz(bytes) ? from_npz(bytes, what)
              : !bytes.empty() && bytes[0] == std::byte{'{'}
                  ? from_lines({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, what)  // NOLINT: characters
                  : from_safetensors(bytes, what);
  if (file && file->cases.empty())
    return Error(ErrorKind::kBadData, what + " has no predictions: expected an array, or lines, for each case.");
  return file;
}

EvaluationRecord guest_record(const Guest& guest, const EvaluationOptions& episodes, const std::string& sha256) {
  return {.checkpoint = {.sha256 = sha256,
                         .model = guest.name,
                         .task = guest.task,
                         .setting = guest.setting,
                         .seed = guest.seed,
                         .recipe = "",
                         .hash = ""},
          .protocol = {
              .eval_seed = episodes.seed, .episodes = static_cast<std::int64_t>(episodes.episodes), .isa = "unknown"}};
}

Result<EvaluationRecord> score_file(const PredictionFile& file, const Guest& guest, Bytes bytes,
                                    const std::string& what) {
  const auto task = task_of(file.dump.setting);
  if (!task) return task.error();
  EvaluationRecord record = guest_record(guest, file.dump.episodes, sha256_hex(bytes));
  for (const CasePredictions& one : file.cases) {
    const EpisodeDump::Case& about = *file.dump.find(one.name);
    if ((*task)->tokens(about.request) > kMostTokens / file.dump.episodes.episodes) {
      return Error(ErrorKind::kBadData, fmt::format("{}: {} has more than {} rows in all. Predict fewer episodes.",
                                                    what, one.name, kMostTokens));
    }
    auto cells = score_predictions(**task, about.request, file.dump.episodes, one);
    if (!cells) {
      const bool shape = cells.error().kind() == ErrorKind::kUsage;  // of a file: its content
      return Error(shape ? ErrorKind::kBadData : cells.error().kind(), what + ": " + cells.error().message());
    }
    if (const std::string sha256 = hash_of(**task, about.request, file.dump.episodes); sha256 != about.sha256) {
      return Error(
          ErrorKind::kBadData,
          fmt::format("{}: {} is of episodes with the SHA-256 {}, but those of {} episodes of evaluation seed {} "
                      "have {}. Predict the episodes of `schemamem task dump --npz`, and copy its \"about\".",
                      what, one.name, quote(about.sha256), file.dump.episodes.episodes, file.dump.episodes.seed,
                      sha256));
    }
    for (EvaluationCell& cell : cells.value()) record.put(std::move(cell));
  }
  return record;
}

}  // namespace schemamem
