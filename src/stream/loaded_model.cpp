#include "stream/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "stream/file_kind.h"
#include "stream/layout_file.h"

namespace schemamem {
namespace {

constexpr FileKind kModelFile{.format = "schemamem model", .version = 1};

/// Every part is announced by its length or ends a line, so that no two models are written alike.
template <class T>
std::string fingerprint_of(const ModelSpec& spec, const Layout& parameters, std::span<const T> weights) {
  std::string head = fmt::format("model {}\nscalar {}\n", spec.name, kScalarName<T>);
  for (const auto& [name, number] : spec.sizes) head += fmt::format("size {} {}\n", name, number);
  for (const TensorSpec& tensor : parameters.tensors())
    head += fmt::format("tensor {} {}\n", tensor.name, shape_text(tensor.shape));
  head = fmt::format("{}\n{}", head.size(), head);
  Sha256 hash;
  hash.update(std::as_bytes(std::span(head)));
  hash.update(std::as_bytes(weights));
  return hash.hex_digest();
}

}  // namespace

template <class T>
LoadedModel<T>::LoadedModel(const ModelSpec& spec, std::unique_ptr<SequenceModel<T>> model, Buffer<T> weights,
                            Notes notes)
    : spec_(spec),
      model_(std::move(model)),
      weights_(std::move(weights)),
      notes_(std::move(notes)),
      folded_(model_->make_folded()),
      fingerprint_(fingerprint_of<T>(spec_, model_->parameters(), weights_.span())) {
  model_->fold({weights_.data(), {weights_.size()}}, *folded_);
}

template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> LoadedModel<T>::make(const ModelSpec& spec, std::span<const T> weights,
                                                                   EngineChoice choice, Notes notes) {
  Result<std::unique_ptr<SequenceModel<T>>> model = make_model<T>(spec, choice);
  if (!model) return model.error();
  require(weights.size() == model.value()->parameters().size(), "LoadedModel::make: one number per parameter");
  Buffer<T> copy(weights.size());
  std::copy(weights.begin(), weights.end(), copy.begin());
  return std::shared_ptr<const LoadedModel>(
      new LoadedModel(spec, std::move(model).value(), std::move(copy), std::move(notes)));
}

template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> LoadedModel<T>::load(const std::filesystem::path& path,
                                                                   EngineChoice choice) {
  const Result<TensorFile> file = TensorFile::load(path);
  if (!file) return file.error();
  if (const Status kind = check_kind(*file, kModelFile); !kind) return kind.error();
  const Result<ModelSpec> spec = spec_from_metadata(file->metadata(), file->what());
  if (!spec) return spec.error();
  Result<std::unique_ptr<SequenceModel<T>>> model = make_model<T>(*spec, choice);
  if (!model) return Error(ErrorKind::kBadData, file->what() + ": " + model.error().message());
  const Layout& parameters = model.value()->parameters();
  if (const Status layout = check_layout(*file, parameters, {}); !layout) return layout.error();
  Buffer<T> weights(parameters.size());
  const Status read = read_layout<T>(*file, parameters, Narrowing::kRound, {}, weights.span());
  if (!read) return read.error();
  Notes notes = file->metadata();
  for (const auto& [key, text] : to_metadata(*spec)) notes.erase(key);
  for (const auto& [key, text] : kind_metadata(kModelFile)) notes.erase(key);
  return std::shared_ptr<const LoadedModel>(
      new LoadedModel(*spec, std::move(model).value(), std::move(weights), std::move(notes)));
}

template <class T>
Status LoadedModel<T>::save(const std::filesystem::path& path) const {
  return save_model<T>(path, spec_, model_->parameters(), weights_.span(), notes_);
}

template <class T>
Status save_model(const std::filesystem::path& path, const ModelSpec& spec, const Layout& parameters,
                  std::span<const T> weights, const std::map<std::string, std::string>& notes) {
  std::map<std::string, std::string> metadata = kind_metadata(kModelFile);
  metadata.merge(to_metadata(spec));
  for (const auto& [key, text] : notes) {
    const bool free = metadata.emplace(key, text).second;
    require(free, "save_model: a note has the name of a key of the format: " + key);
  }
  return save_tensors(path, tensors_of<T>(parameters, weights), metadata);
}

template Status save_model(const std::filesystem::path&, const ModelSpec&, const Layout&, std::span<const float>,
                           const std::map<std::string, std::string>&);
template Status save_model(const std::filesystem::path&, const ModelSpec&, const Layout&, std::span<const double>,
                           const std::map<std::string, std::string>&);
template class LoadedModel<float>;
template class LoadedModel<double>;

}  // namespace schemamem
