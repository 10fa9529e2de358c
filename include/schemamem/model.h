/// \file
/// A model with its weights, from a published name, a file or bytes.
///
/// \code{.cpp}
/// #include <schemamem/model.h>
///
/// #include <cstdio>
///
/// int main() {
///   const auto model = schemamem::Model::load("a3v3-mamba3-steady-s42");  // or a path
///   if (!model) return std::puts(model.error().message().c_str()), 1;
///   std::printf("%s: %zu parameters\n", model->name().c_str(), model->parameters());
///   for (const auto& [name, value] : model->options()) std::printf("  %s = %s\n", name.c_str(), value.c_str());
///   return model->save("copy.safetensors") ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <schemamem/error.h>
#include <schemamem/option.h>

namespace schemamem {
namespace impl {
struct Model;
struct Access;
}  // namespace impl
inline namespace v0 {

/// A model that can be loaded by name.
struct PublishedModel {
  std::string name;  ///< "a5v5-schemamem-steady-s42"
  std::string file;  ///< its weights
};

/// A model with its weights. It never changes, and copies share it: copying is cheap, and threads may use one at once.
class Model {
 public:
  /// What contains a slash, ends in .safetensors or exists is a path: a file, or the folder of a run. Anything else is
  /// a name, looked for in the folders of the environment variable SCHEMAMEM_MODELS, among the models of the installed
  /// package and in `results`.
  static Result<Model> load(const std::string& name_or_path);
  /// A model from the bytes of a model file; `what` names them in messages.
  static Result<Model> from_bytes(std::span<const std::byte> bytes, const std::string& what = "the bytes");
  /// Every model that load() finds by name.
  static std::vector<PublishedModel> published();

  /// Writes a model file: it is complete or absent.
  Status save(const std::string& path) const;
  /// The bytes of a model file.
  std::vector<std::byte> bytes() const;

  /// Which architecture: "schemamem", "mamba3", "gdn".
  std::string name() const;
  /// Every size, and the options that are not at their default, by name.
  Options options() const;
  /// What the file says besides: "task", "setting", "recipe", "seed", "step".
  std::map<std::string, std::string> notes() const;
  /// How many numbers are trained.
  std::size_t parameters() const;
  /// Numbers of one row that goes in; 1 if rows are symbols.
  std::size_t row_width() const;
  /// Numbers of the row that comes out.
  std::size_t outputs() const;
  /// 64 hexadecimal digits that differ for any other architecture, sizes or weights.
  std::string fingerprint() const;

 private:
  friend struct impl::Access;
  explicit Model(std::shared_ptr<const impl::Model> content);

  std::shared_ptr<const impl::Model> content_;
};

}  // namespace v0
}  // namespace schemamem
