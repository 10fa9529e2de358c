#include "campaigns/campaign.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "campaigns/child.h"
#include "support/run_hashes.h"

namespace schemamem::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kLongestRun{1800};

}  // namespace

void Tally::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

std::vector<Reference> run_references(const Options& options, const std::vector<Leg>& legs) {
  std::vector<Reference> references;
  for (const Leg& leg : legs) {
    const std::string name = fmt::format("{}-{}", leg.model, phase_name(leg.phase));
    Reference reference{.leg = leg, .start = options.folder / ("start-" + name)};
    leg.prepare(reference.start);
    const fs::path run = options.folder / ("whole-" + name);
    fs::copy(reference.start, run, fs::copy_options::recursive);
    const auto begun = std::chrono::steady_clock::now();
    Child child(options.program, leg.train(run, 1), options.folder / (name + ".log"));
    const auto end = child.wait(kLongestRun);
    require(end && (end->code == 0 || end->code == 2), "the uninterrupted run of " + leg.name() + " failed");
    reference.code = end->code;
    reference.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    reference.hashes = test::result_hashes(run);
    references.push_back(std::move(reference));
  }
  return references;
}

fs::path Case::log() const { return run.string() + ".log"; }

std::vector<std::string> Case::command() {
  const int threads = 1 + static_cast<int>(rng.below(2));
  const bool resumes = rng.below(2) == 0 && fs::exists(run / "run.json");
  if (resumes) return {"resume", run.string(), "--threads", std::to_string(threads)};
  return reference.leg.train(run, threads);
}

bool Case::ends_as_the_reference(Tally& tally, const fs::path& with,
                                 const std::function<Words(const Words&)>& arguments) {
  Child child(with, arguments(command()), log());
  const auto end = child.wait(kLongestRun);
  const std::string hashes = test::result_hashes(run);
  if (end && end->code == reference.code && hashes == reference.hashes) return true;
  tally.say(fmt::format("MISMATCH in case {} ({}), kept in {}\n  exit code {} of {}\n  hashes {}\n      of {}", number,
                        reference.leg.name(), run.string(), end ? end->code : -1, reference.code, hashes,
                        reference.hashes));
  tally.add("mismatches");
  return false;
}

void play(const Options& options, const std::vector<Reference>& references, const std::function<bool()>& enough,
          const std::function<void(Case&)>& one) {
  std::atomic<int> next = 0;
  const auto work = [&] {
    while (!enough()) {
      const int number = next++;
      const Reference& reference = references[static_cast<std::size_t>(number) % references.size()];
      Case drawn{.options = options,
                 .reference = reference,
                 .run = options.folder / fmt::format("case-{}", number),
                 .rng = Rng::stream(options.seed, Purpose::kTest, static_cast<std::uint64_t>(number)),
                 .number = number};
      fs::copy(reference.start, drawn.run, fs::copy_options::recursive);
      one(drawn);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

bool thread_campaign(const Options& options) {
  Tally tally;
  const std::vector<Reference> references = run_references(options, real_legs());
  for (const Reference& reference : references) {
    for (const int threads : {2, 3, 4, 7, 8}) {
      const fs::path run = options.folder / fmt::format("threads-{}", threads);
      fs::copy(reference.start, run, fs::copy_options::recursive);
      Child child(options.program, reference.leg.train(run, threads), run.string() + ".log");
      child.wait(kLongestRun);
      const bool same = test::result_hashes(run) == reference.hashes;
      if (!same) tally.say(fmt::format("MISMATCH: {} with {} threads", reference.leg.name(), threads));
      tally.add(same ? "same" : "mismatches");
      fs::remove_all(run);
    }
  }
  tally.say(fmt::format("threads: {} legs of the recipe fast with 1, 2, 3, 4, 7 and 8 threads, {} mismatches",
                        references.size(), tally.count("mismatches")));
  return tally.count("mismatches") == 0;
}

}  // namespace schemamem::campaign
