#include "sweep/runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace schemamem {

SweepRuns::SweepRuns(std::filesystem::path folder, std::vector<SweepCell> cells)
    : folder_(std::move(folder)), cells_(std::move(cells)), status_(cells_.size()) {
  for (const SweepCell& cell : cells_) followers_.emplace_back(folder_ / cell.name);
}

const RunStatus& SweepRuns::look(std::size_t cell) {
  RunStatus& status = status_[cell] = followers_[cell].look();
  const auto& found = followers_[cell].request();
  if (found && run_hash(*found) != run_hash(cells_[cell].request)) {
    status.state = RunState::kFailed;
    status.message =
        fmt::format("holds another run (hash {}, planned {})", run_hash(*found), run_hash(cells_[cell].request));
  }
  return status;
}

void SweepRuns::look() {
  for (std::size_t i = 0; i < cells_.size(); ++i) look(i);
}

StateCounts SweepRuns::counts() const {
  StateCounts counts;
  for (const RunStatus& status : status_) ++counts[status.state];
  return counts;
}

std::size_t SweepRuns::missing() const {
  StateCounts now = counts();
  return now[RunState::kWaiting] + now[RunState::kStopped];
}

std::size_t SweepRuns::forgive(const std::vector<std::string>& only) const {
  std::size_t forgiven = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const bool wanted = only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& text) {
                          return cells_[i].name.find(text) != std::string::npos;
                        });
    if (wanted && status_[i].state == RunState::kFailed && unmark_failed(run(i))) ++forgiven;
  }
  return forgiven;
}

}  // namespace schemamem
