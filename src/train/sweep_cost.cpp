#include "train/sweep_cost.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "base/files.h"
#include "models/registry.h"
#include "task/batch.h"
#include "train/trainer.h"

namespace schemamem {
namespace {

constexpr std::uint64_t kLargestResult = 1 << 20;
/// A check that cannot pass any more ends after one round of episodes.
constexpr double kShortCheck = 32;
/// Forward and backward cost about three times the forward alone.
constexpr double kForwardShare = 1.0 / 3;

/// Steps of the two halves of the curriculum, the same for every setting: a first guess.
struct TableRow {
  std::string_view model;
  double transactions, maintenance;  // full history counts as transactions
};
/// Recipes with Muon, batch 32: docs/recipe.md. Otherwise the means over the paper's 27 runs a model.
constexpr std::array kFast{TableRow{"schemamem", 3000, 2250}, TableRow{"mamba3", 1500, 1500},
                           TableRow{"gdn", 1750, 1500}};
constexpr std::array kPaper{TableRow{"schemamem", 12'350, 41'450}, TableRow{"mamba3", 1850, 3600},
                            TableRow{"gdn", 3200, 6300}};

std::vector<Stage> stages_of(const RunRequest& request) {
  return make_curriculum(request.recipe.recipe, request.setting, request.model);
}

double from_table(const RunRequest& request, const Stage& stage, const std::vector<Stage>& stages) {
  const auto& table = request.recipe.recipe.optimizer.matrices == "muon" ? kFast : kPaper;
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const TableRow& one) { return one.model == request.model; });
  const auto maintains = [](const Stage& one) { return one.phase == Phase::kMaintenance; };
  const auto share = static_cast<double>(std::count_if(stages.begin(), stages.end(), [&](const Stage& one) {
    return one.phase != Phase::kCooldown && maintains(one) == maintains(stage);
  }));
  if (row == table.end()) return 0;
  return (maintains(stage) ? row->maintenance : row->transactions) / share;
}

/// Steps that `run` spent in `stage`; nothing if it never was there.
std::optional<double> spent_in(const FinishedRun& run, const Stage& stage) {
  std::int64_t before = 0;
  for (const PassedStage& passed : run.passed) {
    if (passed.name == stage.name) return static_cast<double>(passed.step - before);
    before = passed.step;
  }
  return std::nullopt;
}

/// Tokens of one whole check, forward.
double check_tokens(const Stage& stage, double episodes) {
  double tokens = 0;
  for (const TaskCase& one : stage.checked) tokens += episodes * static_cast<double>(episode_size(one).tokens());
  return tokens;
}

/// Tokens that all checks of a stage read when it takes so many steps: those that pass are whole.
double all_check_tokens(const RunRequest& request, const Stage& stage, double steps) {
  const auto& validation = request.recipe.recipe.validation;
  const auto episodes = static_cast<double>(validation.episodes);
  const double checks = stage.phase == Phase::kCooldown ? 1 : steps / static_cast<double>(validation.every);
  const double whole = validation.whole ? checks : std::min(checks, static_cast<double>(validation.passes));
  return whole * check_tokens(stage, episodes) +
         (checks - whole) * check_tokens(stage, std::min(episodes, kShortCheck));
}

/// Timed stages are the last of the history and transaction phases and every one of maintenance; the others are like
/// the next timed one.
bool is_timed(const std::vector<Stage>& stages, std::size_t i) {
  const Phase phase = stages[i].phase;
  return phase == Phase::kMaintenance || (phase != Phase::kCooldown && stages[i + 1].phase != phase);
}

/// Puts the trainer, with its weights as they are, at the first step of a stage.
Status place_at(Trainer& trainer, std::size_t stage) {
  const auto tensors = TensorFile::parse(encode_tensors(trainer.optimizer_tensors()), "calibration");
  if (!tensors) return tensors.error();
  return trainer.restore(*tensors, {.position = {.step = trainer.position().step, .stage = stage},
                                    .passed = {},
                                    .optimizer_steps = trainer.optimizer_steps()});
}

}  // namespace

double ExpectedSteps::total() const { return std::accumulate(by_stage.begin(), by_stage.end(), 0.0); }

std::vector<FinishedRun> finished_runs(const std::filesystem::path& folder, std::span<const SweepCell> cells) {
  std::vector<FinishedRun> runs;
  for (const SweepCell& cell : cells) {
    const auto text = read_text_file(folder / cell.name / "result.json", kLargestResult);
    if (!text) continue;
    try {
      const auto json = nlohmann::json::parse(*text);
      if (json.at("hash") != run_hash(cell.request)) continue;
      FinishedRun run{.model = cell.request.model,
                      .setting = cell.request.setting.name(),
                      .recipe = cell.request.recipe.name,
                      .passed = {},
                      .steps = json.at("steps")};
      for (const auto& stage : json.at("passed"))
        run.passed.push_back({stage.at("name"), stage.at("step"), stage.at("lowest")});
      runs.push_back(std::move(run));
    } catch (const nlohmann::json::exception&) {
      continue;  // the status of the cell tells
    }
  }
  return runs;
}

ExpectedSteps expected_steps(const RunRequest& request, std::span<const FinishedRun> finished) {
  using Source = ExpectedSteps::Source;
  const std::vector<Stage> stages = stages_of(request);
  const auto& validation = request.recipe.recipe.validation;
  ExpectedSteps expected;
  for (const Source source : {Source::kSameCell, Source::kSameModel, Source::kTable}) {
    expected = {.by_stage = {}, .source = source};
    std::size_t known = 0;
    for (const Stage& stage : stages) {
      double sum = 0, count = 0;
      for (const FinishedRun& run : finished) {
        const bool fits = run.model == request.model && run.recipe == request.recipe.name &&
                          (source == Source::kSameModel || run.setting == request.setting.name());
        const auto spent = fits && source != Source::kTable ? spent_in(run, stage) : std::nullopt;
        if (!spent) continue;
        sum += *spent;
        ++count;
      }
      if (count > 0) ++known;
      const double guess = count > 0 ? sum / count : from_table(request, stage, stages);
      const auto limit = static_cast<double>(stage.limit);
      const auto least = static_cast<double>(validation.every * validation.passes);
      expected.by_stage.push_back(stage.phase == Phase::kCooldown ? limit : std::min(limit, std::max(guess, least)));
    }
    if (known == stages.size()) break;
  }
  return expected;
}

Result<CostEstimate> estimate_cost(const RunRequest& request, std::span<const FinishedRun> finished, int threads,
                                   Isa isa, int repeats) {
  require(repeats > 0, "estimate_cost: something must be timed");
  const auto model =
      make_model<float>(request.model, request.setting.input_width(), request.setting.output_width(), {.isa = isa});
  if (!model) return model.error();
  const std::vector<Stage> stages = stages_of(request);
  const ExpectedSteps expected = expected_steps(request, finished);
  Trainer trainer(**model, {.recipe = request.recipe.recipe, .setting = request.setting, .seed = request.seed}, threads,
                  isa);
  const StopFlag never{false};
  std::vector<double> step_seconds(stages.size()), token_seconds(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!is_timed(stages, i)) continue;
    // Processor time, and the fastest counts: what else the machine does should not.
    double fastest = std::numeric_limits<double>::infinity(), tokens = 0;
    for (int k = 0; k <= repeats; ++k) {
      if (const Status placed = place_at(trainer, i); !placed) return placed.error();
      const std::clock_t start = std::clock();
      const Result<StepReport> report = trainer.step(never);
      if (!report) return report.error();
      if (k == 0) continue;  // warms up
      const double seconds = static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC) / threads;
      fastest = std::min(fastest, seconds / static_cast<double>(report->tokens));
      tokens += static_cast<double>(report->tokens) / repeats;
    }
    token_seconds[i] = fastest;
    step_seconds[i] = fastest * tokens;
  }
  for (std::size_t i = stages.size(); i-- > 0;) {
    if (is_timed(stages, i)) continue;
    const std::size_t like = stages[i].phase == Phase::kCooldown ? i - 1 : i + 1;
    step_seconds[i] = step_seconds[like];
    token_seconds[i] = token_seconds[like];
  }
  CostEstimate cost{.seconds = 0, .steps = expected.total(), .source = expected.source};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    cost.seconds += expected.by_stage[i] * step_seconds[i] +
                    kForwardShare * token_seconds[i] * all_check_tokens(request, stages[i], expected.by_stage[i]);
  }
  return cost;
}

Result<double> expected_work(const RunRequest& request, std::span<const FinishedRun> finished) {
  const auto model = make_model<float>(request.model, request.setting.input_width(), request.setting.output_width());
  if (!model) return model.error();
  const std::vector<Stage> stages = stages_of(request);
  const ExpectedSteps expected = expected_steps(request, finished);
  double work = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    // The longest case stands for all: what matters is the order.
    std::size_t tokens = 0;
    for (const TaskCase& one : stages[i].checked) tokens = std::max(tokens, episode_size(one).tokens());
    work += expected.by_stage[i] * static_cast<double>(request.recipe.recipe.batch.episodes) *
            (*model)->training_flops(std::array{tokens});
  }
  return work;
}

}  // namespace schemamem
