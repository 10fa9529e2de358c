#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "models/model.h"
#include "models/schemamem/model.h"

namespace schemamem {

/// Which model, before any weights: its name and a number for each of its sizes. What is written into files, so that a
/// model can be built again from one.
struct ModelSpec {
  std::string name;  // one of model_names()
  std::map<std::string, std::size_t, std::less<>> sizes;

  friend bool operator==(const ModelSpec&, const ModelSpec&) = default;
};

/// A model by name.
struct ModelEntry {
  std::string_view name;   // as the command line, files and tables of results spell it
  std::string_view title;  // as the paper spells it
};

/// Every model, the paper's first.
std::vector<ModelEntry> model_entries();
std::vector<std::string> model_names();
/// The published sizes, for rows of so many input and output bits. An unknown name is a usage error.
Result<ModelSpec> published_spec(std::string_view name, std::size_t inputs, std::size_t outputs);

/// The model of a spec. Refused as a usage error if the name is unknown, a size is missing, unknown or out of range, or
/// sizes do not fit together. Only sizes are looked at and no numbers are kept, so a spec from a hostile file is cheap.
template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(const ModelSpec& spec, EngineChoice choice = {});

/// The model called `name` at its published sizes. An unknown name is a usage error with a suggestion.
template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(std::string_view name, std::size_t inputs, std::size_t outputs,
                                                     EngineChoice choice = {});

/// A spec as metadata of a file: "model", and "size.<name>" for each size (docs/formats.md, "Model files").
std::map<std::string, std::string> to_metadata(const ModelSpec& spec);
/// The way back. Keys that are not of a spec are left alone; `what` names the file in messages.
Result<ModelSpec> spec_from_metadata(const std::map<std::string, std::string>& metadata, const std::string& what);

}  // namespace schemamem
