#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "campaigns/campaign.h"
#include "campaigns/child.h"
#include "models/registry.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

/// Sees checkpoints begin: each makes a folder first.
class SaveWatch {
 public:
  explicit SaveWatch(const fs::path& run) : handle_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    require(handle_ >= 0 && ::inotify_add_watch(handle_, (run / "checkpoints").c_str(), IN_CREATE) >= 0,
            "SaveWatch: inotify does not watch the checkpoints");
  }
  SaveWatch(const SaveWatch&) = delete;
  SaveWatch& operator=(const SaveWatch&) = delete;
  ~SaveWatch() { ::close(handle_); }

  /// Waits until `count` saves have begun; false if that takes too long.
  bool wait(int count, Seconds longest) {
    const auto until = std::chrono::steady_clock::now() + longest;
    while (seen_ < count) {
      const Seconds left = until - std::chrono::steady_clock::now();
      if (left.count() <= 0) return false;
      pollfd ready{.fd = handle_, .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 1 + static_cast<int>(1e3 * left.count())) <= 0) continue;
      alignas(inotify_event) std::array<char, 4096> bytes{};
      const ssize_t size = ::read(handle_, bytes.data(), bytes.size());
      for (ssize_t at = 0; at < size; ++seen_)
        at += static_cast<ssize_t>(sizeof(inotify_event) + reinterpret_cast<inotify_event*>(&bytes[at])->len);
    }
    return true;
  }

 private:
  int handle_;
  int seen_ = 0;
};

/// From tens of microseconds to tens of milliseconds: a save writes four files, and each part of it shall be hit.
Seconds within_a_save(Rng& rng) { return Seconds(2e-5 * std::pow(2e3, rng.uniform())); }

/// Kills a process of the case at a random instant, or soon after a checkpoint was begun. False if it had ended.
bool kill_once(Case& one, bool aimed) {
  constexpr int kSaves = 4;  // at least so many are in every leg
  SaveWatch watch(one.run);
  Child child(one.options.program, one.command(), one.log());
  if (aimed) {
    watch.wait(1 + static_cast<int>(one.rng.below(kSaves)), Seconds(one.reference.seconds));
    std::this_thread::sleep_for(within_a_save(one.rng));
  } else {
    std::this_thread::sleep_for(Seconds(one.reference.seconds * one.rng.uniform()));
  }
  child.send(SIGKILL);
  return child.wait(Seconds(60)).value().signal == SIGKILL;
}

void count_kill(const Case& one, const std::set<std::string>& before, Tally& tally) {
  tally.add("kills");
  tally.add(one.reference.leg.model);
  tally.add(std::string(phase_name(one.reference.leg.reached(one.run))));
  const auto after = leftovers(one.run);
  if (std::any_of(after.begin(), after.end(), [&](const std::string& name) { return !before.contains(name); }))
    tally.add("inside");
}

}  // namespace

bool kill_campaign(const Options& options, int kills) {
  Tally tally;
  const std::vector<Reference> references = run_references(options, tiny_legs(2));
  play(
      options, references, [&] { return tally.count("kills") >= kills; },
      [&](Case& one) {
        bool killed = false;
        // One in four is killed again while it resumes.
        const int times = one.rng.below(4) == 0 ? 2 : 1;
        for (int i = 0; i < times; ++i) {
          const auto before = leftovers(one.run);
          if (!kill_once(one, one.rng.below(3) == 0)) break;
          killed = true;
          count_kill(one, before, tally);
        }
        if (!killed) tally.add("too late");
        tally.add("runs");
        if (one.ends_as_the_reference(tally)) {
          fs::remove_all(one.run);
          fs::remove(one.log());
        }
      });
  std::string by_model, by_phase;
  bool everywhere = true;
  for (const std::string& model : model_names()) by_model += fmt::format(", {} {}", model, tally.count(model));
  for (const Phase phase : {Phase::kHistory, Phase::kTransactions, Phase::kMaintenance, Phase::kCooldown}) {
    const int count = tally.count(std::string(phase_name(phase)));
    by_phase += fmt::format(", {} {}", phase_name(phase), count);
    everywhere = everywhere && count > 0;
  }
  const int inside = tally.count("inside"), wrong = tally.count("mismatches");
  tally.say(
      fmt::format("kills: {} in {} runs (seed {}), {} inside a save{}{}; {} runs ended before their kill; "
                  "{} mismatches",
                  tally.count("kills"), tally.count("runs"), options.seed, inside, by_model, by_phase,
                  tally.count("too late"), wrong));
  // A few kills may miss a phase; many may not, and a tenth of them must have hit a save.
  constexpr int kMany = 100;
  const bool covered = kills < kMany || (everywhere && inside >= kills / 10);
  if (!covered) tally.say("kills: too few of them inside a save, or a phase without any");
  return wrong == 0 && covered;
}

}  // namespace schemamem::campaign
