#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace schemamem {

/// What the gates of a mixer were at one token, one number a head: how far each was open.
struct GateReading {
  std::vector<double> write;   // beta; Dt
  std::vector<double> forget;  // 1 - e^g; 1 - e^(A Dt)
};

/// A mixer whose gates can be read off the tape that its forward pass left.
template <class T>
class GateReader {
 public:
  virtual ~GateReader() = default;
  virtual GateReading gates_at(std::span<T* const> tape, std::size_t tokens, std::size_t token) const = 0;
};

}  // namespace schemamem
