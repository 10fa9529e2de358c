#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/evaluation_record.h"
#include "record/guest.h"

namespace schemamem {

/// What `result.json` says about the end of a run.
struct RunEnd {
  bool passed = false;           // false: it ended at its step limit, short of its target
  std::int64_t steps = 0;        // of the optimiser
  std::int64_t tx_steps = 0;     // until the last transaction stage was passed, full-history training included
  std::int64_t maint_steps = 0;  // the rest
  double seconds = 0;
  double target = 0;  // final validation threshold in %
};

/// One run folder as data: its manifest, its end, its evaluation records.
struct LedgerRun {
  std::filesystem::path folder;
  std::string model;
  std::string variant{};  // "slots=64:width=64": where the model's sizes are not the published ones; empty: they are
  std::string form{};     // "commit=pull": its options that are not at their defaults
  std::string task = std::string(kFirstTask);
  std::string setting, recipe, hash;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> parameters, persistent_elements;  // as the program that trained it counted them
  std::map<std::string, std::string> config;                    // every field of the recipe, as TOML text
  std::map<std::string, std::string> facts;                     // the manifest's other texts: version, commit, isa, cpu
  std::optional<RunEnd> end;                                    // nothing: not finished
  std::vector<EvaluationRecord> evaluations;
  std::optional<Guest> guest{};  // of a model that is not ours: then there is no recipe, hash, config or end

  bool capped() const { return end && !end->passed; }
  /// Of the first task, with a model of published sizes: what tables and curves by delay are about.
  bool is_published_kind() const { return task == kFirstTask && variant.empty(); }
  /// "schemamem:slots=64:width=64:commit=pull", as command lines spell it.
  std::string model_text() const;
};

/// Which accuracy is asked for; one value a training seed.
struct Query {
  std::string recipe{}, model{}, setting{};
  std::string scenario{}, group{};  // of a named column: see at()
  std::int64_t delay = 0;
  std::string mode = "recurrent";
  std::uint64_t eval_seed = 0;
  std::string kind = "table";
  double floor = 0;      // records with another floor, or with none, are never taken instead
  std::string rounds{};  // of "writes"

  /// The same for another column, delay or mode.
  Query at(const NamedColumn& column, std::int64_t at_delay) const;
  Query in_mode(std::string other) const;
};

struct SeedValue {
  std::uint64_t seed = 0;  // of the training
  double exact = 0;        // % of the queries with every bit right
  const LedgerRun* run = nullptr;
  const EvaluationCell* cell = nullptr;  // where it was read
};

/// Runs, read once, and every number that tables, figures and pages take from them. Nothing is corrected here: a wrong
/// number is evaluated again.
///
/// One cell of a table is one recipe. Refused as bad data, with the names of both runs: two runs of the same recipe,
/// model, setting and seed, and runs of the same recipe, model and setting whose recipes differ in a value although
/// they carry one name.
///
/// Runs of other tasks and of models of other sizes are kept apart: they are in others() and nowhere else. Options of a
/// model are part of its recipe: runs of one recipe, model and setting that differ in them are refused too.
///
/// Guests, models that are not ours, have no recipe: they stand beside the runs of every recipe. One that bears the
/// name of one of `models` is bad data.
class Ledger {
 public:
  /// `paths` are folders of runs and guests, or folders whose sub-folders are some. A folder that is named twice counts
  /// once. Models stand in the order of `models`, all others behind them, by name. `is_option` tells which fields of a
  /// model are no sizes; without it none is.
  using IsOption = std::function<bool(std::string_view model, std::string_view field)>;
  static Result<Ledger> read(std::span<const std::filesystem::path> paths, const std::vector<std::string>& models = {},
                             const IsOption& is_option = {});

  /// Runs of before the manifest had persistent elements: `count` tells those of a model and setting.
  using Count = std::function<std::optional<std::int64_t>(const LedgerRun&)>;
  void supply_persistent_elements(const Count& count);

  /// By recipe, model, setting and seed.
  const std::vector<LedgerRun>& runs() const { return runs_; }
  /// Guests of the first task, by name, setting and seed; and their names.
  const std::vector<LedgerRun>& guests() const { return guests_; }
  std::vector<std::string> guest_names() const;
  /// In the same order, within a model and setting by task and sizes.
  const std::vector<LedgerRun>& others() const { return others_; }
  std::vector<std::string> recipes() const;
  /// "endless (schemamem:commit=pull)": with the models whose options are not at their defaults.
  std::string recipe_text(std::string_view recipe) const;
  /// Those that a page lets one choose from: one without a name where there are guests alone.
  std::vector<std::string> shown_recipes() const;
  /// The seeds of evaluation episodes that any record has, those of others() included, rising.
  std::set<std::uint64_t> eval_seeds() const;
  /// A guest's whatever the recipe.
  std::vector<const LedgerRun*> runs_of(std::string_view recipe, std::string_view model,
                                        std::string_view setting) const;

  /// The runs' values by rising seed; runs without such a cell are left out. Of several records that have it, the one
  /// with the most episodes counts.
  std::vector<SeedValue> values(const Query& query) const;
  /// The delays at which any run of the query has a value, rising; query.delay is of no meaning.
  std::vector<std::int64_t> delays(const Query& query) const;
  /// Accuracy lost between two delays, within each seed that has both: exact is the difference in points.
  std::vector<SeedValue> drops(const Query& query, std::int64_t from, std::int64_t to) const;

 private:
  std::vector<LedgerRun> runs_, guests_, others_;
};

/// The recipe to report on: `wanted`, or the only one there is. Several without a choice, or one that no run has, is a
/// usage error that lists them; a ledger of nothing but others() is a missing input.
Result<std::string> choose_recipe(const Ledger& ledger, const std::optional<std::string>& wanted);

}  // namespace schemamem
