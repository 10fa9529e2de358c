#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// A model that can be named.
struct NamedModel {
  std::string name;            // in lower case
  std::filesystem::path file;  // its weights
};

/// The weights that a path means: a file, or the model.safetensors of a folder (a run, a checkpoint). Anything else is
/// a missing input; an unfinished run says how far it is.
Result<std::filesystem::path> weights_at(const std::filesystem::path& path);
/// Whether a text is a path to find_model(), not a name.
bool is_model_path(const std::string& text);
/// Why a run has no model.safetensors yet, and what to do.
std::string unfinished_run(const std::filesystem::path& run);

/// The weights that `name` means. What contains a slash, ends in .safetensors or exists is a path, anything else a
/// name, in upper or lower case, which is looked for in one place after the other. In a place are
///   - files: x.safetensors is called x;
///   - runs, right there or one folder below, called by setting, model, recipe and seed: a5v5-schemamem-steady-s42.
/// A name that is nowhere, or twice in the first place that has it, is a usage error; its message has names like it and
/// the places. If there is nothing in any place, it is a missing input.
Result<std::filesystem::path> find_model(const std::string& name, std::span<const std::filesystem::path> places);

/// Every model that can be named, by place and then by name. Of two that have the same name in different places, the
/// first is found by it.
std::vector<NamedModel> list_models(std::span<const std::filesystem::path> places);

}  // namespace schemamem
