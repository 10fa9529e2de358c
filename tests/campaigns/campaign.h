#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/rng.h"
#include "campaigns/leg.h"

namespace schemamem::campaign {

struct Options {
  std::filesystem::path program, folder;  // the program under test; where runs are made
  std::uint64_t seed = 1;
  int jobs = 2;                         // cases side by side
  std::filesystem::path shim{};         // preloaded to make calls fail
  std::string mpirun{}, mpi_program{};  // starts ranks of the program that was built with MPI
};

/// What an uninterrupted run of a leg gives.
struct Reference {
  Leg leg{};
  std::filesystem::path start{};  // a prepared folder, to be copied
  int code = 0;                   // the exit code
  double seconds = 0;
  std::string hashes{};
};
std::vector<Reference> run_references(const Options& options, const std::vector<Leg>& legs);

/// Counts by name, from any thread.
class Tally {
 public:
  void add(const std::string& name) {
    const std::lock_guard lock(mutex_);
    ++counts_[name];
  }
  int count(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }
  void say(const std::string& line);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, int> counts_;
};

/// One case: a run of its own in a fresh copy of a leg's start. What is drawn depends on the seed and the number of the
/// case; at which instruction a signal arrives is the machine's.
struct Case {
  const Options& options;
  const Reference& reference;
  std::filesystem::path run;
  Rng rng;
  int number = 0;

  std::filesystem::path log() const;
  /// `train` or `resume`, with one or two threads.
  std::vector<std::string> command();
  /// Runs on to the end; true if code and hashes are the reference's. Otherwise tells, and leaves the folder.
  bool ends_as_the_reference(Tally& tally) {
    return ends_as_the_reference(tally, options.program, [](const auto& words) { return words; });
  }
  /// The same with another program, and what it makes of the command.
  using Words = std::vector<std::string>;
  bool ends_as_the_reference(Tally& tally, const std::filesystem::path& program,
                             const std::function<Words(const Words&)>& arguments);
};

/// Draws cases, legs in turn, until `enough`; each is made, played and removed by one of options.jobs threads.
void play(const Options& options, const std::vector<Reference>& references, const std::function<bool()>& enough,
          const std::function<void(Case&)>& one);

/// Each returns whether everything was as it must be, and prints one line of summary.
bool kill_campaign(const Options& options, int kills);
bool signal_campaign(const Options& options, int signals);
bool thread_campaign(const Options& options);
/// Legs on 1, 2, 3, 4 and 8 ranks; `whole`: of 300 steps.
bool rank_campaign(const Options& options, bool whole);
/// kill -9 of a rank so often; the job ends, and the run goes on with another number of ranks.
bool rank_kill_campaign(const Options& options, int kills);
/// About so many disks that a lost power may have left, over all points of a run of each model.
bool power_campaign(const Options& options, std::size_t images);
/// Every `every`-th call of each kind fails once, in each scene; of allocations, which are many, every
/// `allocations`-th.
bool fault_campaign(const Options& options, int every, int allocations);
/// So many files with changed bytes before commands that read them.
bool changed_files_campaign(const Options& options, int files);
/// So many random lists of words.
bool random_arguments_campaign(const Options& options, int arguments);

}  // namespace schemamem::campaign
