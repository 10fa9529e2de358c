#pragma once

#include <map>
#include <string>
#include <string_view>

#include "models/model_spec.h"

namespace schemamem {

/// What a model file calls itself in its metadata (docs/formats.md, "Model files"). Whoever writes one, a run or a
/// loaded model, takes the words from here.
inline constexpr std::string_view kModelFormat = "schemamem model";
inline constexpr int kModelVersion = 1;

/// The metadata of a model file: format, version, the spec, and notes of the writer ("setting", "step", ...). A note
/// that has the name of a key of the format is the caller's mistake.
std::map<std::string, std::string> model_file_metadata(const ModelSpec& spec,
                                                       const std::map<std::string, std::string>& notes = {});

/// The note that says how a stream of raw rows finds its marks: a name of a MarkRule. A file without it is of the
/// address-value task, whose rows carry a validity bit.
inline constexpr std::string_view kMarksNote = "marks";

}  // namespace schemamem
