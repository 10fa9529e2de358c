#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "paper/numbers.h"
#include "report/ledger.h"
#include "report/statistics.h"

namespace schemamem {

/// within   |ours - paper| is at most the paper's SD over its training seeds, plus what rounding may hide: half a unit
///          of the last digit of the mean, and as much of the SD where that is printed
/// better   outside of it, on the good side: higher accuracy; fewer steps; lower accuracy of written values without S
/// worse    outside of it, on the other side; any difference where equality is asked for (resources); steps of a run
///          that never reached its target
/// missing  no run has the number
/// Our own SD is told beside it but widens nothing: noisy runs shall not agree with the paper more easily.
enum class Verdict { kWithin, kBetter, kWorse, kMissing };
std::string_view verdict_name(Verdict verdict);
Verdict judge(const PaperCell& paper, const std::optional<Summary>& ours);

/// A number of the paper and ours beside it.
struct DiffCell {
  PaperCell paper{};
  std::vector<std::uint64_t> seeds{};  // of the runs in our mean; of per_seed: the row's seed
  std::optional<Summary> ours{};
  bool capped = false;  // one of the runs ended at its step limit
  Verdict verdict = Verdict::kMissing;
};

/// Which of our numbers stand beside the paper's.
struct Selection {
  std::string recipe;
  std::uint64_t eval_seed = kPaperEvaluationSeed;
};

/// Our number for one cell of the paper.
DiffCell compare(const Ledger& ledger, const Selection& selection, const PaperCell& paper);
/// Every number of the paper's tables, in their order.
std::vector<DiffCell> diff(const Ledger& ledger, const Selection& selection);

/// {"cells": [{"table", "model", "setting", "column", "delay", "seeds", "ours_mean", "ours_sd", "paper_mean",
/// "paper_sd", "verdict"}, ...]}, one cell a line (docs/formats.md, "The paper's numbers beside ours").
std::string diff_json(const std::vector<DiffCell>& cells);
/// The way back; `what` names the file. What the JSON does not hold (capped, rounding) is lost.
Result<std::vector<DiffCell>> parse_diff(std::string_view text, const std::string& what);
Result<std::vector<DiffCell>> read_diff(const std::filesystem::path& file);

}  // namespace schemamem
