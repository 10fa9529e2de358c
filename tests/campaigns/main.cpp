#include <fmt/format.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "campaigns/campaign.h"
#include "support/temporary_folder.h"

namespace {

/// A folder of its own for one campaign, removed if that went well.
bool in_a_folder(schemamem::campaign::Options& options, const std::function<bool()>& campaign,
                 const std::filesystem::path& below = std::filesystem::temp_directory_path()) {
  std::string pattern = (below / "schemamem-campaign-XXXXXX").string();
  schemamem::require(::mkdtemp(pattern.data()) != nullptr, "no folder can be made for the campaign");
  options.folder = pattern;
  const bool good = campaign();
  if (good) std::filesystem::remove_all(options.folder);
  return good;
}

}  // namespace

/// Campaigns against the real program: kill -9, signals, numbers of threads, lost power, failing calls, after which
/// everything must end with the same SHA-256 of weights, optimiser and metrics as a run that nobody disturbed; changed
/// files and random arguments, on which it must end well.
int main(int argc, char** argv) {
  using namespace schemamem;
  CLI::App app("Kills, signals and threads against the real program");
  campaign::Options options;
  int kills = 0, signals = 0;
  bool threads = false;
  std::size_t power = 0;
  bool ranks = false, long_ranks = false;
  int rank_kills = 0;
  int faults = 0, allocations = 0, mutations = 0, arguments = 0;
  app.add_option("program", options.program, "build/schemamem")->required();
  app.add_option("--kills", kills, "kill -9 so often");
  app.add_option("--signals", signals, "SIGINT, SIGTERM, SIGUSR1 so often");
  app.add_flag("--threads", threads, "Compare 1, 2, 3, 4, 7 and 8 threads");
  app.add_option("--power", power, "Replay so many disks that a lost power may have left");
  app.add_option("--faults", faults, "Every so many-th system call fails once");
  app.add_option("--allocations", allocations, "With --faults: every so many-th allocation fails once");
  app.add_option("--shim", options.shim, "With --faults: the library that makes calls fail");
  app.add_option("--mutations", mutations, "So many files with changed bytes");
  app.add_option("--arguments", arguments, "So many random lists of arguments");
  app.add_flag("--ranks", ranks, "Compare 1, 2, 3, 4 and 8 ranks");
  app.add_flag("--long-ranks", long_ranks, "The same over 300 steps");
  app.add_option("--rank-kills", rank_kills, "kill -9 of a rank so often");
  app.add_option("--mpirun", options.mpirun, "With ranks: what starts them");
  app.add_option("--mpi-program", options.mpi_program, "With ranks: the program built with MPI");
  app.add_option("--seed", options.seed, "Of everything that is drawn");
  app.add_option("--jobs", options.jobs, "Cases side by side");
  CLI11_PARSE(app, argc, argv);
  options.program = std::filesystem::absolute(options.program);  // a campaign may start it elsewhere
  if (!options.shim.empty()) options.shim = std::filesystem::absolute(options.shim);
  try {
    bool good = true;
    if (kills > 0) good = in_a_folder(options, [&] { return campaign::kill_campaign(options, kills); }) && good;
    if (signals > 0) good = in_a_folder(options, [&] { return campaign::signal_campaign(options, signals); }) && good;
    if (threads) good = in_a_folder(options, [&] { return campaign::thread_campaign(options); }) && good;
    if (ranks || long_ranks)
      good = in_a_folder(options, [&] { return campaign::rank_campaign(options, long_ranks); }) && good;
    if (rank_kills > 0)
      good = in_a_folder(options, [&] { return campaign::rank_kill_campaign(options, rank_kills); }) && good;
    if (power > 0) good = in_a_folder(options, [&] { return campaign::power_campaign(options, power); }) && good;
    if (faults > 0)
      good = in_a_folder(
                 options, [&] { return campaign::fault_campaign(options, faults, allocations); }, memory_folder()) &&
             good;
    if (mutations > 0)
      good = in_a_folder(options, [&] { return campaign::changed_files_campaign(options, mutations); }) && good;
    if (arguments > 0)
      good = in_a_folder(options, [&] { return campaign::random_arguments_campaign(options, arguments); }) && good;
    return good ? 0 : 1;
  } catch (const std::exception& fault) {
    fmt::print(stderr, "error: {}\n", fault.what());
    return 1;
  }
}
