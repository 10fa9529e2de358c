#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/memory.h"
#include "base/result.h"
#include "models/model.h"
#include "stream/file_kind.h"
#include "stream/loaded_model.h"
#include "tensors/safetensors.h"

namespace schemamem {

inline constexpr FileKind kStateFile{.format = "schemamem state", .version = 1};
/// The tensor of a state file that is no part of the model's state: its counters.
inline constexpr std::string_view kStateCounters = "counters";
/// The key of the metadata that tells the floor; files of streams without one do not have it.
inline constexpr std::string_view kStateFloor = "floor";

/// What a stream carries between two tokens, as the bytes of a state file (docs/formats.md, "State files"). The state
/// is one that advance() left behind. `notes` go into the metadata; one that has the name of a key of the format is the
/// caller's mistake.
template <class T>
Buffer<std::byte> encode_state(const LoadedModel<T>& model, const StreamState<T>& state,
                               const std::map<std::string, std::string>& notes = {});

/// Reads it back, bit by bit. Refused as bad data: a state of another model, other weights or another scalar type (a
/// state is never converted: the continuation could not be the same), and any content that no stream can have.
template <class T>
Result<StreamState<T>> parse_state(const TensorFile& file, const LoadedModel<T>& model);
/// The same of bytes; `what` names them in messages.
template <class T>
Result<StreamState<T>> parse_state(std::span<const std::byte> bytes, std::string what, const LoadedModel<T>& model);

/// The floor of a state file; bad data if it is none.
Result<double> state_floor(const TensorFile& file);

/// No state of this model takes more bytes.
template <class T>
std::uint64_t largest_state(const LoadedModel<T>& model);

}  // namespace schemamem
