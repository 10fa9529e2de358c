#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/parse.h"
#include "cli/progress_view.h"
#include "cli/task_options.h"
#include "cli/train_commands.h"
#include "models/registry.h"
#include "sweep/scaling.h"
#include "task/registry.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMostNodes = 4096;
constexpr double kMicro = 1e-6, kGigabit = 1e9 / 8;

struct PlanOptions {
  Text models, settings, seeds, recipe, nodes, threads, latency, bandwidth;
  std::vector<std::string> overrides;
};

/// Runs that differ in their seeds alone, and what one of them takes on each number of nodes.
struct PlannedKind {
  SweepKind kind;
  RunCost cost;
  std::vector<RunForecast> on;
};

/// "1,8,64"
Result<std::vector<int>> read_nodes(const Text& text) {
  std::istringstream items(text.value_or("1,2,4,8,16,32,64") + ",");
  std::vector<int> nodes;
  for (std::string item; std::getline(items, item, ',');) {
    const auto count = parse_integer(item, "--nodes", 1, kMostNodes);
    if (!count) return count.error();
    nodes.push_back(static_cast<int>(*count));
  }
  return nodes;
}

Result<Network> read_network(const PlanOptions& given) {
  Network network;
  if (given.latency) {
    const auto latency = parse_decimal(*given.latency, "--latency", 0, 1e6);
    if (!latency) return latency.error();
    network.latency = *latency * kMicro;
  }
  if (given.bandwidth) {
    const auto bandwidth = parse_decimal(*given.bandwidth, "--bandwidth", 1e-3, 1e6);
    if (!bandwidth) return bandwidth.error();
    network.bandwidth = *bandwidth * kGigabit;
  }
  return network;
}

Result<SweepPlan> read_plan(const PlanOptions& given) {
  auto tasks = parse_tasks(task_entries().front().name, given.settings.value_or("A3V3"));
  if (!tasks) return tasks.error();
  return parse_plan({.models = given.models.value_or(model_names().front()),
                     .seeds = given.seeds.value_or("42"),
                     .recipes = given.recipe.value_or("paper"),
                     .overrides = given.overrides},
                    std::move(tasks).value());
}

/// Seconds of all runs, on nodes that each train one of them at a time.
double side_by_side(const std::vector<PlannedKind>& kinds, int nodes, int threads) {
  double all = 0, longest = 0;
  for (const PlannedKind& one : kinds) {
    const double seconds = forecast(one.cost, {.count = 1, .threads = threads}).seconds;
    all += seconds * static_cast<double>(one.kind.cells.size());
    longest = std::max(longest, seconds);
  }
  return std::max(longest, all / nodes);
}

/// Seconds of all runs, each on all nodes.
double in_turn(const std::vector<PlannedKind>& kinds, std::size_t column) {
  double all = 0;
  for (const PlannedKind& one : kinds) all += one.on[column].seconds * static_cast<double>(one.kind.cells.size());
  return all;
}

std::string name_of(const SweepKind& kind) {
  const RunRequest& request = kind.cells.front().request;
  return fmt::format("{} {}", request.model.text(), request.task->setting());
}

std::string text_of(const std::vector<PlannedKind>& kinds, const std::vector<int>& nodes, const Nodes& each) {
  const RunRequest& first = kinds.front().kind.cells.front().request;
  const auto& batch = first.recipe.recipe.batch;
  std::string text = fmt::format(
      "Recipe {}, batch {} in {} shards; nodes like this machine, each a rank of {} thread{}; {:.0f} us a message, "
      "{:.3g} "
      "Gbit/s\n{:<28} {:>5} {:>8}",
      first.recipe.name, batch.episodes, batch.shards, each.threads, each.threads == 1 ? "" : "s",
      each.network.latency / kMicro, each.network.bandwidth / kGigabit, "a run, by nodes", "seeds", "steps");
  for (const int count : nodes) text += fmt::format(" {:>10}", count);
  const auto row = [&](const std::string& name, const std::string& seeds, const std::string& steps, const auto& cell) {
    text += fmt::format("\n{:<28} {:>5} {:>8}", name, seeds, steps);
    for (std::size_t i = 0; i < nodes.size(); ++i) text += fmt::format(" {:>10}", cell(i));
  };
  for (const PlannedKind& one : kinds) {
    row(name_of(one.kind), std::to_string(one.kind.cells.size()), fmt::format("{:.0f}", one.cost.steps()),
        [&](std::size_t i) { return clock_text(one.on[i].seconds); });
  }
  row("  of it exchange", "", "", [&](std::size_t i) {
    double exchange = 0, all = 0;
    for (const PlannedKind& one : kinds) exchange += one.on[i].exchange, all += one.on[i].seconds;
    return fmt::format("{:.1f} %", 100 * exchange / all);
  });
  const bool several = kinds.size() > 1 || kinds.front().kind.cells.size() > 1;
  if (several) {
    row("all, one after the other", "", "", [&](std::size_t i) { return clock_text(in_turn(kinds, i)); });
    row("all, each on one node", "", "",
        [&](std::size_t i) { return clock_text(side_by_side(kinds, nodes[i], each.threads)); });
  }
  text += "\n";
  const int most = *std::max_element(nodes.begin(), nodes.end());
  if (most > batch.shards)
    text += fmt::format("Of {} nodes {} have no shard; --set batch.shards={} gives every one.\n", most,
                        most - batch.shards, most);
  return text;
}

Json json_of(const std::vector<PlannedKind>& kinds, const std::vector<int>& nodes, const Nodes& each) {
  Json answer{{"threads", each.threads},
              {"latency_seconds", each.network.latency},
              {"bytes_per_second", each.network.bandwidth},
              {"runs", Json::array()},
              {"all", Json::array()}};
  for (const PlannedKind& one : kinds) {
    Json on = Json::array();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Json steps = Json::object();
      for (const RunCost::OfStage& stage : one.cost.stages)
        steps[stage.name] = step_seconds(one.cost, stage, each.with(nodes[i]));
      on.push_back({{"nodes", nodes[i]},
                    {"seconds", one.on[i].seconds},
                    {"exchange_seconds", one.on[i].exchange},
                    {"step_seconds", steps}});
    }
    const RunRequest& request = one.kind.cells.front().request;
    answer["runs"].push_back({{"model", request.model.text()},
                              {"setting", request.task->setting()},
                              {"seeds", one.kind.cells.size()},
                              {"expected_steps", one.cost.steps()},
                              {"shards", one.cost.shards},
                              {"gradient_bytes", one.cost.gradient_bytes},
                              {"on", on}});
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    answer["all"].push_back({{"nodes", nodes[i]},
                             {"in_turn_seconds", in_turn(kinds, i)},
                             {"side_by_side_seconds", side_by_side(kinds, nodes[i], each.threads)}});
  return answer;
}

Status plan(const PlanOptions& given, Console& console) {
  const auto planned = read_plan(given);
  if (!planned) return planned.error();
  const auto nodes = read_nodes(given.nodes);
  if (!nodes) return nodes.error();
  const auto threads = read_threads(given.threads);
  if (!threads) return threads.error();
  const auto network = read_network(given);
  if (!network) return network.error();
  const Nodes each{.count = 1, .threads = *threads, .network = *network};
  const std::vector<SweepCell> cells = sweep_cells(*planned);
  std::vector<PlannedKind> kinds;
  const std::vector<SweepKind> found = sweep_kinds(cells);
  for (const SweepKind& kind : found) {
    if (console.live)
      console.err << fmt::format("\r\x1b[Kmeasuring {} of {}", kinds.size() + 1, found.size()) << std::flush;
    auto cost = measure_run(kind.cells.front().request, {}, console.isa);
    if (!cost) return cost.error();
    PlannedKind one{.kind = kind, .cost = std::move(cost).value(), .on = {}};
    for (const int count : *nodes) one.on.push_back(forecast(one.cost, each.with(count)));
    kinds.push_back(std::move(one));
  }
  if (console.live) console.err << "\r\x1b[K" << std::flush;
  return console.print(console.json ? json_of(kinds, *nodes, each).dump() + "\n" : text_of(kinds, *nodes, each));
}

}  // namespace

void register_node_plan(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App& command = commands.add(
      program, "plan", "How long runs take on a number of machines like this one, by steps that are timed here.",
      "schemamem plan --nodes 8\n"
      "schemamem plan --models gdn --settings A5V5 --recipe paper --set batch.shards=64 --nodes 8,16,32,64\n"
      "schemamem plan --models schemamem,gdn,mamba3 --settings grid --seeds 42-44 --latency 2 --bandwidth 100");
  command.add_option("--models", options->models, "Models, with commas (" + model_names().front() + ")")
      ->type_name("LIST");
  command.add_option("--settings", options->settings, "A3V3,A4V5 or A3-5V3-5 or grid, the paper's nine (A3V3)")
      ->type_name("LIST");
  command.add_option("--seeds", options->seeds, "42 or 42-44 or 42,50 (42)")->type_name("LIST");
  command.add_option("--recipe", options->recipe, "The recipe (paper)")->type_name("NAME");
  command.add_option("--set", options->overrides, "Override a field of the recipe; may be repeated")
      ->type_name("FIELD=VALUE")
      ->allow_extra_args(false);
  command.add_option("--nodes", options->nodes, "Numbers of machines, with commas (1,2,4,8,16,32,64)")
      ->type_name("LIST");
  command.add_option("--threads", options->threads, "Threads of each (the cores of this one)")->type_name("N");
  command.add_option("--latency", options->latency, "Microseconds of a message between two of them (30)")
      ->type_name("X");
  command.add_option("--bandwidth", options->bandwidth, "Gbit/s into and out of one of them (10)")->type_name("X");
  commands.on(command, [options](Console& console) { return plan(*options, console); });
}

}  // namespace schemamem
