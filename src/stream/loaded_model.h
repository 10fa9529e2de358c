#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/memory.h"
#include "base/result.h"
#include "base/row_marks.h"
#include "models/registry.h"
#include "tensors/safetensors.h"

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
  /// What a model file holds (docs/formats.md, "Model files"); weights of runs that did not list their sizes yet are
  /// read too. F64 weights are rounded when they are opened as float. Anything else is bad data, with the reason.
  static Result<std::shared_ptr<const LoadedModel>> parse(const TensorFile& file, EngineChoice choice = {});
  /// The same of the bytes of such a file; `what` names them in messages.
  static Result<std::shared_ptr<const LoadedModel>> parse(std::span<const std::byte> bytes, std::string what,
                                                          EngineChoice choice = {});
  /// The bytes of a model file.
  Buffer<std::byte> encode() const;

  const ModelSpec& spec() const { return spec_; }
  const SequenceModel<T>& model() const { return *model_; }
  const Folded<T>& folded() const { return *folded_; }
  std::span<const T> weights() const { return weights_.span(); }
  const Notes& notes() const { return notes_; }
  /// How a stream of raw rows finds its marks.
  MarkRule mark_rule() const { return mark_rule_; }
  /// SHA-256 over name, sizes, scalar type, parameter layout and the bytes of the weights: 64 hexadecimal digits.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  LoadedModel(std::unique_ptr<SequenceModel<T>> model, Buffer<T> weights, Notes notes);

  ModelSpec spec_;  // with every size, also those that a file was too old to list
  std::unique_ptr<SequenceModel<T>> model_;
  Buffer<T> weights_;
  Notes notes_;
  MarkRule mark_rule_ = MarkRule::kNone;
  std::unique_ptr<Folded<T>> folded_;
  std::string fingerprint_;
};

extern template class LoadedModel<float>;
extern template class LoadedModel<double>;

}  // namespace schemamem
