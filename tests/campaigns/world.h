#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/rng.h"
#include "campaigns/campaign.h"
#include "cli/hostile/judge.h"
#include "support/temporary_folder.h"

namespace schemamem::campaign {

/// Files of every kind, as the program has written them: what changed files and random arguments are tried on.
/// Each case has a copy.
class World {
 public:
  explicit World(const Options& options);

  /// A copy of the world for one worker.
  std::filesystem::path make_case(std::size_t worker) const;
  /// As a user without rights, if that can be had: what is drawn may name any place.
  test::Ending run(const std::filesystem::path& in, const std::vector<std::string>& words) const;
  /// Runs a command and says what is wrong with how it ended or with what it left behind, or nothing. Who is `greedy`
  /// may be told that there is not enough memory.
  std::string fault_of(const std::filesystem::path& in, const std::vector<std::string>& words, bool greedy) const;

 private:
  std::filesystem::path base() const { return folder_ / "base"; }

  const Options& options_;
  TemporaryFolder folder_{memory_folder()};
};

// Runs of the world: one that has ended, one that has not, one that was published.
inline const std::string kTinyRun = "schemamem-A2V2-fast-s7-6ad7fe85", kPaperRun = "schemamem-A3V3-fast-s42-c01908b5";
inline const std::string kEnded = "runs/" + kTinyRun, kBegun = "begun/" + kTinyRun,
                         kPublished = "published/" + kPaperRun;

std::vector<std::string> split(const std::string& text);

template <class List>
const auto& one_of(Rng& rng, const List& list) {
  return list[rng.below(std::size(list))];
}
inline bool chance(Rng& rng, std::uint64_t percent) { return rng.below(100) < percent; }

/// Changes bytes in one to three ways.
void mutate(std::string& bytes, Rng& rng);

/// A case in a copy of the world; says what was tried and returns what is wrong, or nothing.
using Trial = std::string (*)(const World&, Rng&, const std::filesystem::path& in, std::string& told);

/// Plays `count` cases, each made from the seed and its number, which begins at `first`; returns how many went wrong.
int play(const Options& options, const World& world, const char* name, std::uint64_t first, int count, Trial trial);

}  // namespace schemamem::campaign
