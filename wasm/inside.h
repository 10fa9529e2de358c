#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory/address_memory.h"
#include "stream/loaded_model.h"

namespace schemamem {

/// A matrix of a layer that can be looked at, and where its numbers lie among all of them.
struct InsidePart {
  enum class From { kState, kWeights };

  std::string name;  // "phase", "pending", "schema", "recurrent.0": the tensor, and the head if it has heads
  std::size_t rows = 0, columns = 0;
  bool phase = false;  // angles, in radians
  From from = From::kState;
  std::size_t source = 0;                // its offset in the state or the weights
  std::size_t at = 0;                    // its offset among the numbers
  std::optional<std::size_t> increment;  // that of what the last commit added to it
  std::size_t held = 0;                  // its offset in StateWatch::before()

  std::size_t size() const { return rows * columns; }
};
struct InsideLayer {
  std::string name;                        // "layers.0"
  std::size_t slots = 0;                   // of a layer whose memory has places:
  std::optional<std::size_t> read, write;  // where the weights lie that the last row gave them
  std::vector<InsidePart> parts;
};

/// What of a model can be looked at: its memory and what waits for it, layer by layer, and the schema that the memory
/// is added to. One flat list of numbers holds it all.
class InsidePlan {
 public:
  explicit InsidePlan(const LoadedModel<float>& model);

  const std::vector<InsideLayer>& layers() const { return layers_; }
  std::size_t size() const { return size_; }
  /// `numbers` has size() of them.
  void fill(const AddressMemory& memory, std::span<float> numbers) const;

 private:
  InsidePart& add(InsideLayer& layer, InsidePart part);

  std::vector<InsideLayer> layers_;
  std::size_t size_ = 0;
};

}  // namespace schemamem
