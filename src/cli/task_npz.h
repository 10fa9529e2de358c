#pragma once

#include "cli/console.h"
#include "cli/task_options.h"

namespace schemamem {

/// Which episodes other programs are asked: of several scenarios and delays, those of `eval` unless named.
struct EpisodesOptions {
  CaseOptions request;
  Text episodes, eval_seed;
};

/// `task dump --npz`: the rows of the episodes and what is expected, as NumPy arrays (docs/formats.md, "Episodes for
/// other programs").
Status dump_npz(const EpisodesOptions& options, const std::string& file, Console& console);
/// `task dump --about`: the line that says which episodes predictions are for.
Status print_about(const EpisodesOptions& options, Console& console);

}  // namespace schemamem
