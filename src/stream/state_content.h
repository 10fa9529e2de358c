#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/memory.h"
#include "base/result.h"
#include "models/model.h"
#include "tensors/safetensors.h"

namespace schemamem {

/// A state file read without the weights it belongs to: to be looked at, not to go on from.
struct StateContent {
  std::unique_ptr<SequenceModel<double>> model;  // of the sizes that the file names, without numbers
  StreamState<double> state;
  std::map<std::string, std::string> metadata;

  /// A value of the metadata; empty if there is none.
  std::string note(const std::string& key) const;
};

/// Refused as bad data: what no stream can be in, as far as that shows without the weights.
Result<StateContent> parse_state_content(const TensorFile& file);

/// The bytes of a state file of the same model that remembers nothing: the numbers of a stream that has read no row.
/// Notes of the writer stay, so that a memory's account shows what was lost.
Result<Buffer<std::byte>> emptied_state(const TensorFile& file);

}  // namespace schemamem
