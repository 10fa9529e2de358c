#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "paper/diff.h"
#include "report/ledger.h"

namespace schemamem {

/// Something that a ledger can be asked for; src/paper/data/claims.json has one for each number of a claim.
///
///   number              mean over training seeds of a column: parameters, persistent_elements or steps
///   accuracy            the same of a named column at a delay, or one training seed's
///   spread              sample SD of that over training seeds
///   gap                 distance between the means of two models
///   settings_ahead      in how many settings the mean of `model` is higher than that of `than`
///   highest_checkpoint  the highest accuracy of any run, setting and column
///   checkpoint_mean     mean over all runs of all settings
///   checkpoints_ahead   how many runs are more accurate in `mode` than in `than_mode`
///   runs_passed         how many runs of all models reached their target
struct Quantity {
  std::string kind;
  std::string model, than, setting;
  std::vector<std::string> settings;  // settings_ahead: those that begin so; none means all nine
  std::vector<std::string> columns;
  std::string mode, than_mode;
  std::optional<std::int64_t> delay;
  std::optional<std::uint64_t> seed;
};

/// What the ledger has for a quantity.
struct Measurement {
  double value = 0;
  std::optional<double> sd{};     // over training seeds, where the value is their mean
  std::int64_t have = 0, of = 0;  // seeds, settings or runs it was made from, and those the paper had
  double low = 0, high = 0;       // what the value can be once the missing settings and runs are there
  std::vector<const LedgerRun*> runs{};
};
/// Nothing when no run has a part of it.
std::optional<Measurement> measure(const Ledger& ledger, const Selection& selection, const Quantity& quantity);

struct ClaimTerm {
  std::string label, unit;       // percent, points, steps, count
  std::optional<double> stated;  // by the paper
  Quantity quantity;
};

/// `left relation right`; both are labels of terms, right may be a number.
struct Comparison {
  std::string left, relation;  // < > <= >= ==
  std::variant<std::string, double> right;
};

/// A sentence of the paper with numbers in it, and when we say that it holds: if all comparisons do.
struct Claim {
  std::string id, section, quote, note;
  std::vector<ClaimTerm> terms;
  std::vector<Comparison> rule;
};
/// src/paper/data/claims.json, compiled into the program.
std::string_view claims_json();
/// The claims in it, in the order of the paper.
std::vector<Claim> paper_claims();
/// "SchemaMem > Mamba-3 and SchemaMem > Gated DeltaNet"
std::string rule_text(const Claim& claim);

enum class ClaimVerdict { kHolds, kFails, kUnmeasured };
std::string_view claim_verdict_name(ClaimVerdict verdict);

struct ClaimResult {
  ClaimVerdict verdict = ClaimVerdict::kUnmeasured;
  std::vector<std::optional<Measurement>> values;  // one a term
};
/// A claim about all settings or all runs is decided as soon as the missing ones cannot change the answer; until then
/// it is not measured.
ClaimResult judge_claim(const Ledger& ledger, const Selection& selection, const Claim& claim);

}  // namespace schemamem
