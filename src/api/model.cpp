#include "api/access.h"

#include <schemamem/model.h>

namespace schemamem {
inline namespace v0 {

using impl::Access;
using impl::public_error;

Model::Model(std::shared_ptr<const impl::Model> content) : content_(std::move(content)) {}

Result<Model> Model::load(const std::string& name_or_path) {
  const auto loaded = load_model<float>(name_or_path);
  if (!loaded) return public_error(loaded.error());
  return Access::model(*loaded);
}

Result<Model> Model::from_bytes(std::span<const std::byte> bytes, const std::string& what) {
  const auto loaded = LoadedModel<float>::parse(bytes, what);
  if (!loaded) return public_error(loaded.error());
  return Access::model(*loaded);
}

std::vector<PublishedModel> Model::published() {
  std::vector<PublishedModel> models;
  for (const NamedModel& one : list_models(model_places())) models.push_back({one.name, one.file.string()});
  return models;
}

Status Model::save(const std::string& path) const {
  const auto saved = save_model(path, *content_->loaded);
  return saved ? Status() : public_error(saved.error());
}

std::vector<std::byte> Model::bytes() const { return impl::bytes_of(content_->loaded->encode().span()); }

std::string Model::name() const { return content_->loaded->spec().name; }

Options Model::options() const {
  const ModelSpec& spec = content_->loaded->spec();
  Options options;
  for (const auto& [name, size] : spec.sizes) options.emplace_back(name, size);
  for (const auto& [name, word] : spec.options) options.emplace_back(name, word);
  return options;
}

std::map<std::string, std::string> Model::notes() const { return content_->loaded->notes(); }
std::size_t Model::parameters() const { return content_->loaded->model().parameters().size(); }
std::size_t Model::row_width() const { return content_->loaded->model().config().row_width(); }
std::size_t Model::outputs() const { return content_->loaded->model().config().outputs; }
std::string Model::fingerprint() const { return content_->loaded->fingerprint(); }

}  // namespace v0
}  // namespace schemamem
