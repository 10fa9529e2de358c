#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernels/isa.h"
#include "sweep/cost.h"
#include "train/run_record.h"

namespace schemamem {

/// What joins the machines. The defaults are those of plain Ethernet in a cluster: 10 Gbit/s.
struct Network {
  double latency = 30e-6;     // seconds of a message, however short
  double bandwidth = 1.25e9;  // bytes a second, into and out of a machine
};

/// Machines like this one, each with one rank.
struct Nodes {
  int count = 1;
  int threads = 1;  // of each
  Network network{};

  /// So many of the same.
  Nodes with(int number) const { return {.count = number, .threads = threads, .network = network}; }
};

/// What a step of a run costs, by the stages of its curriculum, measured on this machine with one thread. From it
/// follows what it takes on any number of machines like this one (docs/scaling.md has the formula).
struct RunCost {
  struct OfStage {
    std::string name{};
    double steps = 0;        // expected
    double shared = 0;       // seconds of a step that shards divide among them: forward and backward
    double serial = 0;       // seconds of a step that every rank spends
    double checks = 0;       // seconds of all checks of the stage, which episodes divide among them
    double state_bytes = 0;  // states of lanes that a step exchanges
  };
  std::vector<OfStage> stages;
  ExpectedSteps::Source source = ExpectedSteps::Source::kTable;
  std::int64_t shards = 0;
  double gradient_bytes = 0;  // of a shard
  double record_bytes = 0;    // of the episodes of a step
  double copy = 0;            // seconds to lay out or to add a byte of a shard, in an exchange

  double steps() const;
};
Result<RunCost> measure_run(const RunRequest& request, std::span<const FinishedRun> finished, Isa isa = best_isa(),
                            int repeats = 3);

/// Seconds of a step that go to the exchange between the nodes.
double exchange_seconds(const RunCost& run, const RunCost::OfStage& stage, const Nodes& nodes);
/// Seconds of a step: the rank with most shards, what every rank does, the exchange.
double step_seconds(const RunCost& run, const RunCost::OfStage& stage, const Nodes& nodes);

/// A whole run on some nodes.
struct RunForecast {
  double seconds = 0;
  double exchange = 0;  // of these
};
RunForecast forecast(const RunCost& run, const Nodes& nodes);

}  // namespace schemamem
