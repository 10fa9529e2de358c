#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <mutex>
#include <thread>

#include "campaigns/campaign.h"
#include "campaigns/child.h"
#include "support/run_hashes.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr Seconds kLongestRun{1800};
/// Within so long a job ends when one of its ranks has died.
constexpr Seconds kLongestEnd{10};
/// mpirun's code for a rank that was killed: 128 and the signal.
constexpr int kKilled = 128 + SIGKILL;

/// A command of the program on so many ranks.
std::vector<std::string> job(const Options& options, int ranks, const std::vector<std::string>& command) {
  std::vector<std::string> words{"--allow-run-as-root", "--oversubscribe",  "--mca", "mpi_yield_when_idle", "1", "-np",
                                 std::to_string(ranks), options.mpi_program};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

/// The ranks of a job on this machine: mpirun starts them itself.
std::vector<pid_t> ranks_of(const Child& mpirun) {
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", mpirun.id()));
  std::vector<pid_t> found;
  for (pid_t id = 0; children >> id;) {
    std::ifstream name(fmt::format("/proc/{}/comm", id));
    std::string text;
    if (name >> text && text.starts_with("schemamem")) found.push_back(id);
  }
  return found;
}

/// Phases with carried states, behind those of all legs.
std::vector<Leg> lane_legs() {
  std::vector<Leg> legs;
  for (Leg leg : tiny_legs(2)) {
    if (leg.phase != Phase::kMaintenance) continue;
    leg.phase = Phase::kLanes;
    for (const char* one : {"batch.episodes=9", "lanes.steps=24", "lanes.count=5", "lanes.tokens=24"})
      leg.overrides.emplace_back(one);
    legs.push_back(leg);
  }
  return legs;
}

struct Slowest {
  std::mutex mutex;
  double seconds = 0;
};

/// Kills a rank at a random instant. False if the job had ended.
bool kill_a_rank(Case& one, int ranks, Tally& tally, Slowest& slowest) {
  Child mpirun(one.options.mpirun, job(one.options, ranks, one.command()), one.log());
  // Ranks come after about half a second, and take their time on few cores.
  std::this_thread::sleep_for(Seconds((0.5 + (1 + 0.5 * ranks) * one.reference.seconds) * one.rng.uniform()));
  std::vector<pid_t> alive = ranks_of(mpirun);
  while (alive.empty() && !mpirun.wait(Seconds(0.01))) alive = ranks_of(mpirun);
  if (alive.empty()) return false;
  ::kill(alive[one.rng.below(alive.size())], SIGKILL);
  const auto killed = Clock::now();
  const auto end = mpirun.wait(kLongestEnd);
  const double took = Seconds(Clock::now() - killed).count();
  if (end && (end->code == 0 || end->code == 2)) return false;  // it had left the job already
  {
    const std::lock_guard lock(slowest.mutex);
    slowest.seconds = std::max(slowest.seconds, took);
  }
  if (end && end->code == kKilled) return true;
  tally.add("failures");
  tally.say(fmt::format("FAILED: case {} ({}) on {} ranks: {} after {:.1f} s, expected code {}", one.number,
                        one.reference.leg.name(), ranks, end ? fmt::format("code {}", end->code) : "not ended", took,
                        kKilled));
  return true;
}

}  // namespace

bool rank_campaign(const Options& options, bool whole) {
  Tally tally;
  std::vector<Leg> legs = whole ? real_legs() : std::vector<Leg>();
  if (!whole) {
    for (const Leg& leg : tiny_legs(2))
      if (leg.phase == Phase::kTransactions || leg.phase == Phase::kHistory) legs.push_back(leg);
  }
  for (const Leg& leg : lane_legs()) legs.push_back(leg);
  constexpr std::array kRanks{1, 2, 3, 4, 8};
  const std::vector<Reference> references = run_references(options, legs);
  for (const Reference& reference : references) {
    for (const int ranks : kRanks) {
      const fs::path run = options.folder / fmt::format("ranks-{}", ranks);
      fs::copy(reference.start, run, fs::copy_options::recursive);
      Child mpirun(options.mpirun, job(options, ranks, reference.leg.train(run, 1)), run.string() + ".log");
      const auto end = mpirun.wait(kLongestRun);
      const bool same = end && end->code == reference.code && test::result_hashes(run) == reference.hashes;
      if (!same)
        tally.say(fmt::format("MISMATCH: {} on {} ranks, code {}", reference.leg.name(), ranks, end ? end->code : -1));
      tally.add(same ? "same" : "mismatches");
      fs::remove_all(run);
    }
  }
  tally.say(fmt::format("ranks: {} legs on {} ranks, beside the build without MPI: {} mismatches", references.size(),
                        fmt::join(kRanks, ", "), tally.count("mismatches")));
  return tally.count("mismatches") == 0;
}

bool rank_kill_campaign(const Options& options, int kills) {
  Tally tally;
  Slowest slowest;
  std::vector<Leg> legs = lane_legs();
  for (const Leg& leg : tiny_legs(2)) legs.push_back(leg);
  play(
      options, run_references(options, legs), [&] { return tally.count("kills") >= kills; },
      [&](Case& one) {
        const int ranks = 2 + static_cast<int>(one.rng.below(3));
        if (kill_a_rank(one, ranks, tally, slowest)) {
          tally.add("kills");
          tally.add(fmt::format("on {}", ranks));
        } else {
          tally.add("too late");
        }
        // It goes on with another number of ranks: one more, or the program without MPI.
        const bool same = one.rng.below(3) == 0 ? one.ends_as_the_reference(tally)
                                                : one.ends_as_the_reference(tally, options.mpirun, [&](auto command) {
                                                    return job(options, ranks + 1, command);
                                                  });
        if (!same) return;
        fs::remove_all(one.run);
        fs::remove(one.log());
      });
  tally.say(
      fmt::format("killed ranks: {} (seed {}), {} of 2, {} of 3 and {} of 4; the slowest job ended after {:.1f} "
                  "s; {} failures, {} mismatches",
                  tally.count("kills"), options.seed, tally.count("on 2"), tally.count("on 3"), tally.count("on 4"),
                  slowest.seconds, tally.count("failures"), tally.count("mismatches")));
  return tally.count("failures") == 0 && tally.count("mismatches") == 0;
}

}  // namespace schemamem::campaign
