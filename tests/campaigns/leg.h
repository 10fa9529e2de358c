#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "task/setting.h"
#include "train/run.h"

namespace schemamem::campaign {

/// A piece of the curriculum that a process can run to its end in about a second. The final target is no recipe's to
/// lower, so that a run of a few steps would never see the phases behind it: a leg begins in the first stage of its
/// phase, with a checkpoint that the library wrote, and ends at a step limit or behind the cool-down.
struct Leg {
  std::string model;
  Setting setting{2, 2};
  std::vector<std::string> overrides;  // of the recipe `fast`
  Phase phase = Phase::kTransactions;  // where it begins

  std::string name() const;
  /// `schemamem train` on this folder.
  std::vector<std::string> train(const std::filesystem::path& run, int threads) const;
  /// Makes the folder as it is before the first process sees it.
  void prepare(const std::filesystem::path& run) const;
  /// The phase that a run has reached, by its files.
  Phase reached(const std::filesystem::path& run) const;
  Curriculum curriculum() const;
  std::size_t first_stage() const;

 private:
  RunRequest request() const;
};

/// All phases of all models. `episodes` of each case of a check: more make checks longer.
std::vector<Leg> tiny_legs(int episodes);
/// The recipe `fast` at A3V3 for 300 steps and more: from the start, and from maintenance on.
std::vector<Leg> real_legs();

/// What a killed save leaves: temporary files, and checkpoints without their marker.
std::set<std::string> leftovers(const std::filesystem::path& run);

}  // namespace schemamem::campaign
