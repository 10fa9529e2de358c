#include "eval/trained_weights.h"

#include <fmt/format.h>

#include <limits>

#include "base/parse.h"
#include "base/sha256.h"
#include "stream/layout_file.h"

namespace schemamem {
namespace {

std::string note(const TensorFile& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? std::string() : found->second;
}

Error bad_data(const TensorFile& file, const std::string& message) {
  return {ErrorKind::kBadData, file.what() + ": " + message};
}

/// A model file lists its sizes; what a run keeps has the published ones.
Result<ModelSpec> spec_of(const TensorFile& file, const Setting& setting) {
  if (file.metadata().count("format") != 0) return spec_from_metadata(file.metadata(), file.what());
  Result<ModelSpec> spec = published_spec(note(file, "model"), setting.input_width(), setting.output_width());
  if (!spec) return bad_data(file, spec.error().message());
  return spec;
}

}  // namespace

Result<TrainedWeights> TrainedWeights::load(const std::filesystem::path& path) {
  Result<Buffer<std::byte>> bytes = read_file(path, kLargestTensorFile);
  if (!bytes) return bytes.error();
  EvaluatedCheckpoint about{
      .sha256 = sha256_hex(bytes->span()), .model = {}, .setting = {}, .seed = {}, .recipe = {}, .hash = {}};
  Result<TensorFile> file = TensorFile::parse(std::move(bytes).value(), path.string());
  if (!file) return file.error();
  for (const char* key : {"model", "setting"}) {
    if (note(*file, key).empty()) {
      return bad_data(*file, fmt::format("the metadata has no \"{}\", which says what the weights are for; expected a "
                                         "model.safetensors that `schemamem train` wrote.",
                                         key));
    }
  }
  const Result<Setting> setting = parse_setting(note(*file, "setting"));
  if (!setting) return bad_data(*file, "the metadata has a wrong setting. " + setting.error().message());
  const Result<ModelSpec> spec = spec_of(*file, *setting);
  if (!spec) return spec.error();
  const Result<std::unique_ptr<SequenceModel<float>>> model = make_model<float>(*spec);
  if (!model) return bad_data(*file, model.error().message());
  const ModelConfig& config = model.value()->config();
  if (config.inputs != setting->input_width() || config.outputs != setting->output_width()) {
    return bad_data(
        *file,
        fmt::format("the metadata says {}, which has {} bits in and {} out, but the model has {} and {}",
                    setting->name(), setting->input_width(), setting->output_width(), config.inputs, config.outputs));
  }
  if (const Status fits = check_layout(*file, model.value()->parameters(), {}); !fits)
    return fits.error().with(fmt::format("weights of {} for {}", spec->name, setting->name()));

  about.model = spec->name;
  about.setting = setting->name();
  about.recipe = note(*file, "recipe");
  about.hash = note(*file, "hash");
  if (const std::string seed = note(*file, "seed"); !seed.empty()) {
    const auto number = parse_integer(seed, "the seed in the metadata", 0, std::numeric_limits<std::int64_t>::max());
    if (!number) return bad_data(*file, number.error().message());
    about.seed = static_cast<std::uint64_t>(*number);
  }
  return TrainedWeights(std::move(about), *setting, *spec, std::move(file).value());
}

Result<std::shared_ptr<const LoadedModel<float>>> TrainedWeights::model(Isa isa) const {
  const Result<std::unique_ptr<SequenceModel<float>>> model = make_model<float>(spec_, {.isa = isa});
  if (!model) return model.error();
  Buffer<float> weights(model.value()->parameters().size());
  const Status read = read_layout<float>(file_, model.value()->parameters(), Narrowing::kRound, {}, weights.span());
  if (!read) return read.error();
  return LoadedModel<float>::make(spec_, weights.span(), {.isa = isa});
}

}  // namespace schemamem
