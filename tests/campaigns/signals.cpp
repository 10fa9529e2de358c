#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "campaigns/campaign.h"
#include "campaigns/child.h"
#include "train/checkpoint.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr int kStopped = 75;
constexpr double kLongest = 2;
constexpr double kStartUp = 0.03;  // seconds in which a process loads, parses and opens its files

/// The checkpoint that a stop has left was taken while a check was due: the signal came in a validation.
bool stopped_in_check(const Case& one) {
  const Checkpoints checkpoints(one.run);
  const auto steps = checkpoints.complete();
  if (steps.empty()) return false;
  const auto state = nlohmann::json::parse(std::ifstream(checkpoints.folder(steps.front()) / "state.json"));
  const Position at{.step = state["step"],
                    .stage = state["stage"],
                    .stage_step = state["stage_step"],
                    .checked_at = state["checked_at"]};
  return one.reference.leg.curriculum().check_due(at);
}

struct Extremes {
  std::mutex mutex;
  double longest = 0;
};

void signal_once(Case& one, Tally& tally, Extremes& extremes) {
  constexpr std::array kSignals{SIGINT, SIGTERM, SIGUSR1};
  const int signal = kSignals[one.rng.below(kSignals.size())];
  const bool early = one.rng.below(3) == 0, held = one.rng.below(2) == 0;
  const Seconds instant(one.rng.uniform() * (early ? kStartUp : one.reference.seconds));
  Child child(one.options.program, one.command(), one.log(), held);
  if (early && !held) {  // as soon as the program itself holds signals back, long before it trains
    if (child.wait_for_hold(signal, Seconds(1))) tally.add("in hold");
  } else {
    std::this_thread::sleep_for(instant);
  }
  const auto sent = std::chrono::steady_clock::now();
  child.send(signal);
  const End end = child.wait(Seconds(60)).value();
  const double waited = Seconds(std::chrono::steady_clock::now() - sent).count();

  if (end.code == one.reference.code) return tally.add("too late");
  // Before its first instruction a process cannot hold anything back; then it has touched nothing either.
  if (end.signal == signal && !held && !fs::exists(one.run / "lock")) return tally.add("before main");
  tally.add("signals");
  if (early) tally.add("early");
  if (stopped_in_check(one)) tally.add("in checks");
  {
    const std::lock_guard lock(extremes.mutex);
    extremes.longest = std::max(extremes.longest, waited);
  }
  if (end.code == kStopped && waited < kLongest) return;
  tally.add("failures");
  tally.say(fmt::format("FAILED: case {} ({}), signal {} after {:.4f} s: exit code {}, signal {}, after {:.2f} s",
                        one.number, one.reference.leg.name(), signal, instant.count(), end.code, end.signal, waited));
}

}  // namespace

bool signal_campaign(const Options& options, int signals) {
  Tally tally;
  Extremes extremes;
  const std::vector<Reference> references = run_references(options, tiny_legs(64));
  play(
      options, references, [&] { return tally.count("signals") >= signals; },
      [&](Case& one) {
        signal_once(one, tally, extremes);
        if (one.ends_as_the_reference(tally)) {
          fs::remove_all(one.run);
          fs::remove(one.log());
        }
      });
  tally.say(
      fmt::format("signals: {} (seed {}), to save and end with code {} within {} s, the slowest after {:.2f} s; {} in "
                  "the first {:.0f} "
                  "ms, {} before the program was ready for them, {} during a check; {} came before the program's first "
                  "instruction, "
                  "{} after its end; {} failures, {} mismatches",
                  tally.count("signals"), options.seed, kStopped, kLongest, extremes.longest, tally.count("early"),
                  1e3 * kStartUp, tally.count("in hold"), tally.count("in checks"), tally.count("before main"),
                  tally.count("too late"), tally.count("failures"), tally.count("mismatches")));
  constexpr int kMany = 50;
  const bool covered = signals < kMany || (tally.count("in hold") > 0 && tally.count("in checks") > 0);
  if (!covered) tally.say("signals: none came while the program started, or none during a check");
  return tally.count("failures") == 0 && tally.count("mismatches") == 0 && covered;
}

}  // namespace schemamem::campaign
