#include "stream/file_spec.h"

#include <fmt/format.h>

#include "base/text.h"
#include "models/model_file.h"
#include "models/registry.h"
#include "stream/file_kind.h"

namespace schemamem {
namespace {

Error refused(const TensorFile& file, const std::string& message) {
  return {ErrorKind::kBadData, file.what() + ": " + message};
}

/// The extents of one of the two maps at a model's edges.
Result<std::vector<std::size_t>> matrix_shape(const TensorFile& file, std::string_view name, std::string_view meaning) {
  const Result<const TensorInfo*> tensor = file.find(name);
  if (!tensor) return tensor.error();
  if ((*tensor)->shape.size() == 2) return (*tensor)->shape;
  return refused(file, fmt::format("tensor {}: expected the shape {}, found {}", quote(name), meaning,
                                   shape_text((*tensor)->shape)));
}

Result<ModelSpec> published_spec_of(const TensorFile& file) {
  const auto name = file.metadata().find("model");
  if (name == file.metadata().end()) {
    return refused(file, fmt::format("the metadata names no model; expected \"format\" = \"{}\" and \"model\", as "
                                     "`schemamem train` writes them",
                                     kModelFormat));
  }
  for (const auto& [key, text] : file.metadata()) {
    if (key != "version" && !key.starts_with("size.")) continue;
    return refused(
        file, fmt::format("the metadata has {}, but no \"format\"; a model file has both: write it again", quote(key)));
  }
  const auto in = matrix_shape(file, "in_proj.weight", "[inputs, width]");
  if (!in) return in.error();
  const auto out = matrix_shape(file, "out_proj.weight", "[width, outputs]");
  if (!out) return out.error();
  Result<ModelSpec> spec = published_spec(name->second, in->front(), out->back());
  if (!spec) return refused(file, spec.error().message());
  return spec;
}

}  // namespace

Result<ModelSpec> read_spec(const TensorFile& file) {
  if (file.metadata().count("format") == 0) return published_spec_of(file);
  if (const Status kind = check_kind(file, {.format = kModelFormat, .version = kModelVersion}); !kind)
    return kind.error();
  return spec_from_metadata(file.metadata(), file.what());
}

}  // namespace schemamem
