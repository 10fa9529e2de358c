#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "task/assemble.h"
#include "task/rounds.h"
#include "task/task.h"
#include "task/task_case.h"

namespace schemamem {

/// Makes episodes from addressed streams: what an episode contains depends on its case and its address and on nothing
/// else, not on the batch it is in nor on the thread that makes it. Holds scratch for one setting, so each thread has
/// its own. Making an episode allocates nothing.
class EpisodeMaker {
 public:
  explicit EpisodeMaker(const Setting& setting);

  /// `out` has exactly the episode's length.
  void make(const TaskCase& request, const EpisodeAddress& address, std::span<Token> out);

  const Setting& setting() const { return setting_; }

 private:
  Number draw_value(Rng& rng, const ScenarioInfo& scenario, std::size_t address) const;

  Setting setting_;
  std::vector<Number> order_, current_, written_, asked_;
  std::vector<AddressState> database_;
  RoundsStream rounds_;
};

}  // namespace schemamem
