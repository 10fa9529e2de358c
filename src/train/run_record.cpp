#include "train/run_record.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/build_info.h"
#include "base/name.h"
#include "base/sha256.h"
#include "base/text.h"
#include "record/evaluation_record.h"
#include "record/json_file.h"
#include "record/run_folders.h"
#include "task/address_value.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kHashDigits = 8;
constexpr const char* kBeforeCooldown = "before-cooldown";
static_assert(kFirstTask == AddressValueTask::kName);

Json passed_json(const std::vector<PassedStage>& passed) {
  Json stages = Json::array();
  for (const PassedStage& stage : passed)
    stages.push_back({{"name", stage.name}, {"step", stage.step}, {"lowest", stage.lowest}});
  return stages;
}

}  // namespace

std::vector<PassedStage> read_passed(const JsonField& json) {
  std::vector<PassedStage> passed;
  for (const JsonField& stage : json.items("passed"))
    passed.push_back({stage.text("name"), stage.count("step"), stage.number("lowest")});
  return passed;
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

Result<ModelSpec> model_spec(const RunRequest& request) {
  const TaskShape shape = request.task->shape();
  return resolve_model(request.model, {.inputs = shape.inputs, .outputs = shape.outputs, .symbols = shape.symbols});
}

Result<std::unique_ptr<SequenceModel<float>>> make_model(const RunRequest& request, EngineChoice choice) {
  const Result<ModelSpec> spec = model_spec(request);
  if (!spec) return spec.error();
  if (const Status fits = check_shards(request.recipe.recipe); !fits) return fits.error();
  if (const Status fits = Lanes::check(request.recipe.recipe, *request.task); !fits) return fits.error();
  return make_model<float>(*spec, choice);
}

std::vector<Stage> make_curriculum(const RunRequest& request) {
  return make_curriculum(request.recipe.recipe, *request.task, model_entry(request.model.name).value().traits);
}

std::string run_hash(const RunRequest& request) {
  std::string text =
      fmt::format("model = {}\nsetting = {}\nseed = {}\n", request.model.name, request.task->setting(), request.seed);
  for (const RecipeField& field : stored_fields(request.recipe.recipe))
    text += fmt::format("{} = {}\n", field.name, field.value);
  // What came later is told only where it is not what every run before it had.
  if (request.task->name() != kFirstTask) text += fmt::format("task = {}\n", request.task->name());
  if (const Result<ModelSpec> spec = model_spec(request)) {
    for (const auto& [name, value] : unpublished_fields(*spec)) text += fmt::format("model.{} = {}\n", name, value);
  }
  return sha256_hex(std::as_bytes(std::span(text))).substr(0, kHashDigits);
}

std::string run_name(const RunRequest& request) {
  return fmt::format("{}-{}-{}-s{}-{}", request.model.name, request.task->setting(), request.recipe.name, request.seed,
                     run_hash(request));
}

std::string manifest_text(const RunRequest& request, const RunOptions& options, const SequenceModel<float>& model) {
  const BuildInfo build = build_info();
  Json recipe = Json::object();
  for (const RecipeField& field : stored_fields(request.recipe.recipe)) {
    recipe[field.name] = {{"value", field.value}, {"origin", request.recipe.origin.at(field.name)}};
  }
  const Result<ModelSpec> spec = model_spec(request);
  const auto set = spec ? unpublished_fields(*spec) : request.model.set;
  const Json manifest{{"format", 1},
                      {"model", request.model.name},
                      {"model_set", set},
                      {"task", request.task->name()},
                      {"setting", request.task->setting()},
                      {"seed", request.seed},
                      {"recipe", request.recipe.name},
                      {"hash", run_hash(request)},
                      {"parameters", model.parameters().size()},
                      {"persistent_elements", model.persistent_elements()},
                      {"isa", isa_name(options.isa)},
                      {"version", build.version},
                      {"commit", build.commit},
                      {"compiler", build.compiler},
                      {"build_type", build.build_type},
                      {"environment", options.environment},
                      {"created", utc_now()},
                      {"config", recipe}};
  return manifest.dump(1) + "\n";
}

Status settle_manifest(const SequenceModel<float>& model, const RunRequest& request, const RunOptions& options,
                       FileSystem& files) {
  const fs::path path = options.folder / "run.json";
  if (!is_run(options.folder)) return write_file_atomically(path, manifest_text(request, options, model), files);
  const auto manifest = read_json_object(path, files);
  if (!manifest) return manifest.error();
  const std::string found = manifest->text("hash"), name = manifest->text("model"), setting = manifest->text("setting"),
                    recipe = manifest->text("recipe");
  const std::uint64_t seed = manifest->natural("seed");
  if (const Status read = manifest->status(); !read) return read;
  if (found == run_hash(request)) return Done{};
  return Error(ErrorKind::kCannotCreate,
               fmt::format("{} holds another run ({} {} seed {} recipe {}, hash {}), expected hash {}; a run is never "
                           "overwritten: choose another folder.",
                           options.folder.string(), printable(name), printable(setting), seed, printable(recipe),
                           printable(found), run_hash(request)));
}

Result<StoredRun> read_run(const fs::path& folder) {
  const fs::path path = folder / "run.json";
  if (!is_run(folder)) {
    return Error(ErrorKind::kMissingInput,
                 fmt::format("{} is not a run: it has no run.json. `schemamem train` makes runs.", folder.string()));
  }
  const auto text = read_text_file(path, JsonLimits{}.bytes);
  if (!text) return text.error();
  return parse_run(*text, path.string());
}

Result<StoredRun> parse_run(std::string_view text, const std::string& what) {
  const auto json = parse_json_object(text, what);
  if (!json) return json.error();
  StoredRun run;
  run.request.model.name = json->text("model");
  if (const auto set = json->find("model_set")) {
    for (const auto& [name, value] : set->members()) run.request.model.set[name] = value.text();
  }
  const auto task_name = json->find("task");
  const std::string task_text = task_name ? task_name->text() : std::string(kFirstTask),
                    setting = json->text("setting");
  run.request.seed = json->natural("seed");
  run.request.recipe.name = json->text("recipe");
  run.isa = json->text("isa");
  std::map<std::string, std::string> values;
  for (const auto& [name, field] : json->members("config")) {
    values[name] = field.text("value");
    run.request.recipe.origin[name] = field.text("origin");
  }
  if (const Status read = json->status(); !read) return read.error();
  if (const Status named = check_name(run.request.recipe.name, what + ": recipe"); !named) return named.error();
  auto task = make_task(task_text, setting);
  if (!task) return Error(ErrorKind::kBadData, what + ": " + task.error().message());
  run.request.task = std::move(task).value();
  if (const Result<ModelSpec> spec = model_spec(run.request); !spec)
    return Error(ErrorKind::kBadData, what + ": " + spec.error().message());
  const Result<Recipe> recipe = restore_recipe(values, what);
  if (!recipe) return recipe.error();
  run.request.recipe.recipe = *recipe;
  for (const RecipeField& field : describe(*recipe)) run.request.recipe.origin.try_emplace(field.name, "default");
  return run;
}

Status write_result(const RunRequest& request, const RunResult& result, const std::string& last_check,
                    const fs::path& folder, FileSystem& files) {
  Json record{{"format", 1},
              {"status", result.status},
              {"model", request.model.name},
              {"task", request.task->name()},
              {"setting", request.task->setting()},
              {"seed", request.seed},
              {"recipe", request.recipe.name},
              {"hash", run_hash(request)},
              {"steps", result.steps},
              {"seconds", result.seconds},
              {"target", make_curriculum(request).back().threshold},
              {"passed", passed_json(result.passed)},
              {"weights", result.fell_back ? kBeforeCooldown : "last"}};
  if (!last_check.empty()) record["last_check"] = parse_json(last_check, "the last check").value().raw();
  return write_file_atomically(folder / "result.json", record.dump(1) + "\n", files);
}

Result<std::optional<RunResult>> read_result(const fs::path& folder) {
  const fs::path path = folder / "result.json";
  if (is_absent(path)) return std::optional<RunResult>();
  const auto text = read_text_file(path, JsonLimits{}.bytes);
  if (!text) return text.error();
  auto result = parse_result(*text, path.string());
  if (!result) return result.error();
  return std::optional(std::move(result).value());
}

Result<RunResult> parse_result(std::string_view text, const std::string& what) {
  const auto json = parse_json_object(text, what);
  if (!json) return json.error();
  RunResult result{.status = json->text("status"),
                   .hash = json->text("hash"),
                   .steps = json->count("steps"),
                   .seconds = json->number("seconds"),
                   .passed = read_passed(*json),
                   .fell_back = json->text("weights") == kBeforeCooldown,
                   .was_done = true};
  if (const Status read = json->status(); !read) return read.error();
  return result;
}

}  // namespace schemamem
