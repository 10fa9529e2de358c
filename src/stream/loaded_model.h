#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/memory.h"
#include "base/result.h"
#include "models/registry.h"

namespace schemamem {

/// "float" or "double", as in files.
template <class T>
constexpr std::string_view kScalarName = sizeof(T) == sizeof(float) ? "float" : "double";

/// A model together with its weights, ready to be used: immutable, so any number of streams on any threads share one.
template <class T>
class LoadedModel {
 public:
  using Notes = std::map<std::string, std::string>;  // what a file says besides: "setting", "step", ...

  /// The weights are copied. A spec that is no model's is a usage error; the number of weights is the caller's concern.
  static Result<std::shared_ptr<const LoadedModel>> make(const ModelSpec& spec, std::span<const T> weights,
                                                         EngineChoice choice = {}, Notes notes = {});
  /// Reads a model file (docs/formats.md, "Model files"). F64 weights are rounded when they are opened as float.
  static Result<std::shared_ptr<const LoadedModel>> load(const std::filesystem::path& path, EngineChoice choice = {});
  Status save(const std::filesystem::path& path) const;

  const ModelSpec& spec() const { return spec_; }
  const SequenceModel<T>& model() const { return *model_; }
  const Folded<T>& folded() const { return *folded_; }
  std::span<const T> weights() const { return weights_.span(); }
  const Notes& notes() const { return notes_; }
  /// SHA-256 over name, sizes, scalar type, parameter layout and the bytes of the weights: 64 hexadecimal digits.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  LoadedModel(const ModelSpec& spec, std::unique_ptr<SequenceModel<T>> model, Buffer<T> weights, Notes notes);

  ModelSpec spec_;
  std::unique_ptr<SequenceModel<T>> model_;
  Buffer<T> weights_;
  Notes notes_;
  std::unique_ptr<Folded<T>> folded_;
  std::string fingerprint_;
};

/// Writes a model file from weights that are laid out as the model's parameters().
template <class T>
Status save_model(const std::filesystem::path& path, const ModelSpec& spec, const Layout& parameters,
                  std::span<const T> weights, const std::map<std::string, std::string>& notes = {});

extern template class LoadedModel<float>;
extern template class LoadedModel<double>;

}  // namespace schemamem
