#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "memory/address_memory.h"
#include "models/registry.h"
#include "stream/loaded_model.h"
#include "stream/stream.h"

namespace schemamem {

/// Models and states on disk.
///
///   const auto model = load_model<float>("a5v5-schemamem-steady-s42");   // a name, or a path
///   if (!model) throw std::runtime_error(model.error().message());
///   Stream<float> stream(*model);
///   stream.push(row);   // one row of input bits, the last one the validity bit
///   const Status saved = save_state("today.state", stream);   // and, elsewhere, load_state: the same bits go on

/// A model by path or by name (find_model() in one of model_places()).
template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> load_model(const std::string& path_or_name, EngineChoice choice = {});
/// The model of one file (docs/formats.md, "Model files").
template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> load_model_file(const std::filesystem::path& file,
                                                              EngineChoice choice = {});
/// Writes a model file; it is complete or absent.
template <class T>
Status save_model(const std::filesystem::path& file, const LoadedModel<T>& model);

/// Writes what the stream carries (docs/formats.md, "State files"); possible between any two tokens.
template <class T>
Status save_state(const std::filesystem::path& file, const Stream<T>& stream);
/// Goes on from such a file. A failure leaves the stream as it was.
template <class T>
Status load_state(const std::filesystem::path& file, Stream<T>& stream);

/// The same of a memory, whose state files have the account of what was written in their metadata.
Status save_memory(const std::filesystem::path& file, const AddressMemory& memory);
Status load_memory(const std::filesystem::path& file, AddressMemory& memory);

}  // namespace schemamem
