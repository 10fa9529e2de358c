#include "eval/trained_weights.h"

#include <fmt/format.h>

#include <limits>

#include "base/name.h"
#include "base/parse.h"
#include "base/sha256.h"
#include "record/tensor_files.h"
#include "task/registry.h"

namespace schemamem {
namespace {

std::string note(const LoadedModel<float>& model, const std::string& key) {
  const auto found = model.notes().find(key);
  return found == model.notes().end() ? std::string() : found->second;
}

Error bad_data(const TensorFile& file, const std::string& message) {
  return {ErrorKind::kBadData, file.what() + ": " + message};
}

/// The task that the weights are for, whose rows are those of the model.
Result<std::shared_ptr<const Task>> task_of(const TensorFile& file, const LoadedModel<float>& model) {
  const std::string setting = note(model, "setting"), name = note(model, "task");
  if (setting.empty()) {
    return bad_data(
        file,
        "the metadata has no \"setting\", which says what the weights are for; expected a model.safetensors "
        "that `schemamem train` wrote.");
  }
  const auto task = make_task(name.empty() ? kFirstTask : std::string_view(name), setting);
  if (!task) return bad_data(file, "the metadata has a wrong task or setting. " + task.error().message());
  const ModelConfig& config = model.model().config();
  const TaskShape shape = (*task)->shape();
  if (config.inputs == shape.inputs && config.outputs == shape.outputs && config.symbols == shape.symbols) return task;
  return bad_data(
      file, fmt::format("the metadata says {} {}, which has {} {} in and {} out, but the model has {} {} "
                        "and {}",
                        (*task)->name(), setting, shape.inputs, shape.symbols ? "symbols" : "numbers", shape.outputs,
                        config.inputs, config.symbols ? "symbols" : "numbers", config.outputs));
}

}  // namespace

Result<TrainedWeights> TrainedWeights::load(const std::filesystem::path& path) {
  Result<Buffer<std::byte>> bytes = read_tensor_file(path);
  if (!bytes) return bytes.error();
  const std::string sha256 = sha256_hex(bytes->span());
  Result<TensorFile> file = TensorFile::parse(std::move(bytes).value(), path.string());
  if (!file) return file.error();
  const auto loaded = LoadedModel<float>::parse(*file);
  if (!loaded) return loaded.error();
  const LoadedModel<float>& model = **loaded;
  auto task = task_of(*file, model);
  if (!task) return task.error();
  EvaluatedCheckpoint about{.sha256 = sha256,
                            .model = model.spec().name,
                            .task = std::string((*task)->name()),
                            .setting = (*task)->setting(),
                            .seed = {},
                            .recipe = note(model, "recipe"),
                            .hash = note(model, "hash")};
  for (const auto& [what, name] : {std::pair("recipe", &about.recipe), std::pair("hash", &about.hash)}) {
    if (name->empty()) continue;  // not of a run of ours
    const Status named = check_name(*name, fmt::format("{}: {} in the metadata", file->what(), what));
    if (!named) return named.error();
  }
  if (const std::string seed = note(model, "seed"); !seed.empty()) {
    const auto number = parse_integer(seed, "the seed in the metadata", 0, std::numeric_limits<std::int64_t>::max());
    if (!number) return bad_data(*file, number.error().message());
    about.seed = static_cast<std::uint64_t>(*number);
  }
  return TrainedWeights(std::move(about), std::move(task).value(), std::move(file).value());
}

Result<std::shared_ptr<const LoadedModel<float>>> TrainedWeights::model(Isa isa) const {
  return LoadedModel<float>::parse(file_, {.isa = isa});
}

}  // namespace schemamem
