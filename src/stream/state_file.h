#pragma once

#include <filesystem>

#include "base/result.h"
#include "models/model.h"
#include "record/safetensors.h"
#include "stream/loaded_model.h"

namespace schemamem {

/// Writes what a stream carries between two tokens (docs/formats.md, "State files"). The state is one that advance()
/// left behind.
template <class T>
Status save_state(const std::filesystem::path& path, const LoadedModel<T>& model, const StreamState<T>& state);

/// Reads it back, bit by bit. Refused as bad data: a file of another model, other weights or another scalar type (a
/// state is never converted: the continuation could not be the same), and any content that no stream can have.
template <class T>
Result<StreamState<T>> load_state(const std::filesystem::path& path, const LoadedModel<T>& model);
template <class T>
Result<StreamState<T>> read_state(const TensorFile& file, const LoadedModel<T>& model);

}  // namespace schemamem
