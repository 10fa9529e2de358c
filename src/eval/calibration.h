#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "stream/loaded_model.h"
#include "task/task.h"

namespace schemamem {

/// How large the changes of memory of one layer and kind were.
struct ChangeSizes {
  std::size_t layer = 0;
  bool reads = false;
  std::string kind;  // MemoryChange::kind
  std::int64_t count = 0;
  std::int64_t zero = 0;  // changes of nothing at all
  double median = 0, p99 = 0, p999 = 0, most = 0;
  std::map<int, std::int64_t> by_decade{};  // exponent e: sizes from 10^e to 10^(e+1); those that are not zero
};

/// What a floor has to separate.
struct Calibration {
  std::vector<ChangeSizes> sizes;
  double largest_read = 0;  // the largest change by rows that only ask
  /// The smallest change that writes cannot do without: in each step of writing, the largest ones that together make up
  /// kNeeded of the sum of squares are needed; this is the smallest of all these steps.
  double smallest_write = 0;
  /// Half-way between the two on a logarithmic scale, with one digit; nothing if there is no gap between them.
  std::optional<double> floor;

  double gap() const { return smallest_write / largest_read; }
};
inline constexpr double kNeeded = 0.999;

/// Measures a model on episodes of its task that have both writes and reads: of the address-value task those of the
/// scenario overwrite with 384 rows of delay, of others those they evaluate. A task without marks is a usage error.
Result<Calibration> calibrate(const LoadedModel<float>& model, const Task& task, std::size_t episodes,
                              std::uint64_t seed);

}  // namespace schemamem
