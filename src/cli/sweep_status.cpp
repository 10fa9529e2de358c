#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/text.h"
#include "cli/progress_view.h"
#include "cli/sweep_commands.h"
#include "cli/sweep_view.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

/// Above this, elements of arrays are counted and not listed.
constexpr std::size_t kMostListed = 20;

/// The element that has a run, or had it last; null if none has.
const SlurmJob* element_of(const Slurm::Places& places, const std::string& run, bool ended) {
  if (const auto found = places.queued.find(run); found != places.queued.end()) return &found->second;
  const auto found = places.ended.find(run);
  return ended || found == places.ended.end() ? nullptr : &found->second;
}

Json element_json(const SlurmJob& job) {
  return {{"job", job.id()}, {"state", job.state}, {"used", job.used}, {"node", job.node}, {"reason", job.reason}};
}

/// "slurm  3 PENDING, 2 RUNNING" and a line for each element that runs, or that ended without its run.
std::string slurm_text(const SweepRuns& runs, const Result<Slurm::Places>& slurm, const Paint& paint) {
  if (!slurm) return wrapped("slurm: " + escaped(slurm.error().message()), {.indent = 2});
  std::map<std::string, std::set<std::string>> counts;
  std::string lines;
  std::size_t listed = 0;
  for (std::size_t i = 0; i < runs.cells().size(); ++i) {
    const std::string& run = runs.cells()[i].name;
    const SlurmJob* const job = element_of(*slurm, run, has_ended(runs.status(i).state));
    if (job == nullptr) continue;
    counts[job->state].insert(job->id());
    if (job->state == "PENDING" || ++listed > kMostListed) continue;
    lines += fmt::format("  {:<10} {:<11} {:>10} {:<12} {}{}\n", job->id(), job->state, job->used, job->node, run,
                         job->reason.empty() ? "" : ", " + job->reason);
  }
  std::string text;
  for (const auto& [state, ids] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ids.size(), state);
  if (listed > kMostListed) lines += fmt::format("  and {} more\n", listed - kMostListed);
  return fmt::format("{} {}\n{}", paint.bold("slurm:"), text.empty() ? "nothing waits or runs" : text, lines);
}

Status status(const Text& folder, Console& console) {
  const auto sweep = open_sweep(folder, "status");
  if (!sweep) return sweep.error();
  const auto submissions = read_submissions(*folder);
  if (!submissions) return submissions.error();
  if (submissions->empty()) return print_status(sweep->runs, nullptr, console);
  const Result<Slurm::Places> slurm = Slurm::look(*submissions);
  return print_status(sweep->runs, &slurm, console);
}

}  // namespace

Status print_status(const SweepRuns& runs, const Result<Slurm::Places>* slurm, Console& console) {
  const auto& cells = runs.cells();
  if (console.json) {
    Json list = Json::array();
    for (std::size_t i = 0; i < cells.size(); ++i) {
      Json one = cell_json(cells[i]);
      one.update(status_json(runs.status(i)));
      if (slurm != nullptr && *slurm) {
        const SlurmJob* const job = element_of(**slurm, cells[i].name, has_ended(runs.status(i).state));
        if (job != nullptr) one["slurm"] = element_json(*job);
      }
      list.push_back(std::move(one));
    }
    Json json{{"sweep", runs.folder().string()}, {"cells", list}, {"counts", counts_json(runs.counts())}};
    if (slurm != nullptr && !*slurm) json["slurm"] = {{"unknown", slurm->error().message()}};
    return console.print(json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n");
  }
  std::string text = sweep_mosaic(runs, console.paint);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (runs.status(i).state == RunState::kFailed)
      text += fmt::format("{} {}: {}\n", console.paint.red("failed"), cells[i].name, escaped(runs.status(i).message));
  }
  if (slurm != nullptr) text += slurm_text(runs, *slurm, console.paint);
  return console.print(text + counts_text(runs.counts()) + "\n");
}

void register_sweep_status(CLI::App& sweep, Commands& commands) {
  const auto folder = std::make_shared<Text>();
  CLI::App& command = commands.add(sweep, "status", "How every run of a sweep stands, in its folder and in Slurm.",
                                   "schemamem sweep status sweeps/grid\n"
                                   "schemamem sweep status sweeps/grid --json");
  command.add_option("DIR", *folder, "Folder of the sweep");
  commands.on(command, [folder](Console& console) { return status(*folder, console); });
}

}  // namespace schemamem
