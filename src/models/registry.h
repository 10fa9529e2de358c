#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "models/model.h"
#include "models/schemamem/model.h"

namespace schemamem {

/// A model by name.
struct ModelEntry {
  std::string_view name;   // as the command line, files and tables of results spell it
  std::string_view title;  // as the paper spells it
};

/// Every model, the paper's first.
std::span<const ModelEntry> model_entries();
std::vector<std::string> model_names();

/// The model called `name` at the paper's sizes, for `inputs` and `outputs` bits. An unknown name is a usage error with
/// a suggestion.
template <class T>
Result<std::unique_ptr<SequenceModel<T>>> make_model(std::string_view name, std::size_t inputs, std::size_t outputs,
                                                     EngineChoice choice = {});

}  // namespace schemamem
