#include "stream/loaded_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/sha256.h"
#include "base/text.h"
#include "models/model_file.h"
#include "stream/file_spec.h"
#include "stream/layout_file.h"

namespace schemamem {
namespace {

/// Every part is announced by its length or ends a line, so that no two models are written alike.
template <class T>
std::string fingerprint_of(const ModelSpec& spec, const Layout& parameters, std::span<const T> weights) {
  std::string head = fmt::format("model {}\nscalar {}\n", spec.name, kScalarName<T>);
  for (const auto& [name, number] : spec.sizes) head += fmt::format("size {} {}\n", name, number);
  for (const auto& [name, word] : spec.options) head += fmt::format("option {} {}\n", name, word);
  for (const TensorSpec& tensor : parameters.tensors())
    head += fmt::format("tensor {} {}\n", tensor.name, shape_text(tensor.shape));
  head = fmt::format("{}\n{}", head.size(), head);
  Sha256 hash;
  hash.update(std::as_bytes(std::span(head)));
  hash.update(std::as_bytes(weights));
  return hash.hex_digest();
}

/// What the notes say of marks; files of before there was anything to say have a validity bit.
MarkRule mark_rule_of(const ModelConfig& config, const std::map<std::string, std::string>& notes) {
  const auto note = notes.find(std::string(kMarksNote));
  if (note != notes.end()) return mark_rule_from_name(note->second).value_or(MarkRule::kNone);
  return config.symbols || !config.maps ? MarkRule::kNone : MarkRule::kValidity;
}

/// Tensors that are not those of the spec, and where the spec came from.
Error misfit(const TensorFile& file, const ModelSpec& spec, const Error& error) {
  if (file.metadata().count("format") != 0) return error;
  return {error.kind(),
          fmt::format("{}; a file that lists no sizes has the published ones of {}", error.message(), spec.name)};
}

}  // namespace

template <class T>
LoadedModel<T>::LoadedModel(std::unique_ptr<SequenceModel<T>> model, Buffer<T> weights, Notes notes)
    : spec_(model->spec()),
      model_(std::move(model)),
      weights_(std::move(weights)),
      notes_(std::move(notes)),
      mark_rule_(mark_rule_of(model_->config(), notes_)),
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
      new LoadedModel(std::move(model).value(), std::move(copy), std::move(notes)));
}

template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> LoadedModel<T>::parse(const TensorFile& file, EngineChoice choice) {
  const Result<ModelSpec> spec = read_spec(file);
  if (!spec) return spec.error();
  Result<std::unique_ptr<SequenceModel<T>>> model = make_model<T>(*spec, choice);
  if (!model) return Error(ErrorKind::kBadData, file.what() + ": " + model.error().message());
  const Layout& parameters = model.value()->parameters();
  if (const Status fits = check_layout(file, parameters, {}); !fits) return misfit(file, *spec, fits.error());
  Buffer<T> weights(parameters.size());
  const Status read = read_layout<T>(file, parameters, Narrowing::kRound, {}, weights.span());
  if (!read) return read.error();
  Notes notes = file.metadata();
  for (const auto& [key, text] : model_file_metadata(*spec)) notes.erase(key);
  if (const auto note = notes.find(std::string(kMarksNote));
      note != notes.end() && !mark_rule_from_name(note->second)) {
    return Error(ErrorKind::kBadData, fmt::format("{}: the metadata has {} = {}; expected none or validity",
                                                  file.what(), kMarksNote, quote(note->second)));
  }
  return std::shared_ptr<const LoadedModel>(
      new LoadedModel(std::move(model).value(), std::move(weights), std::move(notes)));
}

template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> LoadedModel<T>::parse(std::span<const std::byte> bytes, std::string what,
                                                                    EngineChoice choice) {
  const Result<TensorFile> file = TensorFile::parse(bytes, std::move(what));
  if (!file) return file.error();
  return parse(*file, choice);
}

template <class T>
Buffer<std::byte> LoadedModel<T>::encode() const {
  return encode_tensors(tensors_of<T>(model_->parameters(), weights_.span()), model_file_metadata(spec_, notes_));
}

template class LoadedModel<float>;
template class LoadedModel<double>;

}  // namespace schemamem
