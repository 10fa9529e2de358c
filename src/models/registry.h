#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "models/engine_choice.h"
#include "models/model.h"
#include "models/model_spec.h"

namespace schemamem {

/// A model by name.
struct ModelEntry {
  std::string_view name;   // as the command line, files and tables of results spell it
  std::string_view title;  // as the paper spells it
  ModelTraits traits;
};

/// Every model, the paper's first.
std::vector<ModelEntry> model_entries();
std::vector<std::string> model_names();
/// An unknown name is a usage error with a suggestion.
Result<ModelEntry> model_entry(std::string_view name);

/// A size or an option of a model, as texts: what help shows.
struct ModelField {
  std::string name, standard, allowed, doc;
  bool is_size = true;   // else an option
  bool of_task = false;  // the task decides it: inputs, outputs, input
};
Result<std::vector<ModelField>> model_fields(std::string_view name);
/// Whether a field of a model is an option: something that changes no size.
bool is_model_option(std::string_view model, std::string_view field);

/// What a task asks of a model.
struct ModelPorts {
  std::size_t inputs = 0, outputs = 0;
  bool symbols = false;
};
/// What somebody asks of a model: its name, and the fields that are not to be the published ones, as text.
struct ModelChoice {
  std::string name;
  std::map<std::string, std::string> set{};

  /// "schemamem", or "schemamem:slots=64:width=64": as command lines and plans spell it.
  std::string text() const;
  friend bool operator==(const ModelChoice&, const ModelChoice&) = default;
};
/// The way back. The name must be known; what is set is looked at by resolve_model.
Result<ModelChoice> parse_model_choice(std::string_view text);
/// The whole of it. Unknown names and fields, values out of range, and fields that are the task's to say are usage
/// errors.
Result<ModelSpec> resolve_model(const ModelChoice& choice, const ModelPorts& ports);
/// The published sizes, for rows of so many numbers in and out.
Result<ModelSpec> published_spec(std::string_view name, std::size_t inputs, std::size_t outputs);
/// The fields in which a spec differs from the published sizes and defaults, without those that the task decides: what
/// names and hashes of runs tell.
std::map<std::string, std::string> unpublished_fields(const ModelSpec& spec);

/// The model of a spec. Refused as a usage error if the name is unknown, a size or option is missing, unknown or out of
/// range, or sizes do not fit together. Only sizes are looked at and no numbers are kept, so a spec from a hostile file
/// is cheap.
template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(const ModelSpec& spec, EngineChoice choice = {});

/// The model called `name` at its published sizes. An unknown name is a usage error with a suggestion.
template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(std::string_view name, std::size_t inputs, std::size_t outputs,
                                                     EngineChoice choice = {});

/// A spec as metadata of a file: "model", "size.<name>" for each size, "option.<name>" for each option that is not at
/// its default (docs/formats.md, "Model files").
std::map<std::string, std::string> to_metadata(const ModelSpec& spec);
/// The way back. Keys that are not of a spec are left alone; `what` names the file in messages.
Result<ModelSpec> spec_from_metadata(const std::map<std::string, std::string>& metadata, const std::string& what);

}  // namespace schemamem
