#include "sweep/cost.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "models/registry.h"
#include "task/batch.h"

namespace schemamem {
namespace {

/// A check that cannot pass any more ends after one round of episodes.
constexpr double kShortCheck = 32;
/// What a step costs besides its tokens (optimiser, folded weights, threads), as tokens of every episode: steps of A3V3
/// with 3, 12 and 50 tokens an episode took 16.7, 20.4 and 35.7 ms, in one run on a busy machine of two cores.
constexpr std::size_t kTokensOfAStep = 40;

/// Steps of the two halves of the curriculum, the same for every setting: a first guess.
struct Guess {
  double transactions, maintenance;  // full history counts as transactions
};
/// Without and with full-history stages. Recipes with Muon, batch 32: docs/recipe.md. Otherwise the means over the
/// paper's runs: 27 of SchemaMem, 54 of the baselines.
constexpr std::array kFast{Guess{1625, 1500}, Guess{3000, 2250}};
constexpr std::array kPaper{Guess{2525, 4950}, Guess{12'350, 41'450}};

/// A level of a task that has levels: nobody knows, and something must be said.
constexpr double kLevel = 2000;

std::vector<Stage> stages_of(const RunRequest& request) { return make_curriculum(request); }

double from_table(const RunRequest& request, const Stage& stage, const std::vector<Stage>& stages) {
  const auto& table = request.recipe.recipe.optimizer.matrices == "muon" ? kFast : kPaper;
  const auto maintains = [](const Stage& one) { return one.phase == Phase::kMaintenance; };
  const auto share = static_cast<double>(std::count_if(stages.begin(), stages.end(), [&](const Stage& one) {
    return !one.fixed && maintains(one) == maintains(stage);
  }));
  if (stage.of_levels) return kLevel;
  const bool has_history =
      std::any_of(stages.begin(), stages.end(), [](const Stage& one) { return one.phase == Phase::kHistory; });
  const Guess& guess = table[has_history ? 1 : 0];
  return (maintains(stage) ? guess.maintenance : guess.transactions) / share;
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
double check_tokens(const Task& task, const Stage& stage, double episodes) {
  double tokens = 0;
  for (const EpisodeCase& one : stage.checked) tokens += episodes * static_cast<double>(task.tokens(one));
  return tokens;
}

}  // namespace

double ExpectedSteps::total() const { return std::accumulate(by_stage.begin(), by_stage.end(), 0.0); }

std::vector<FinishedRun> finished_runs(const std::filesystem::path& folder, std::span<const SweepCell> cells) {
  std::vector<FinishedRun> runs;
  for (const SweepCell& cell : cells) {
    const auto result = read_result(folder / cell.name);
    // One that cannot be read is told by the status of the cell; one of another run says nothing about this.
    if (!result || !result->has_value() || (*result)->hash != run_hash(cell.request)) continue;
    runs.push_back({.model = cell.request.model.text(),
                    .setting = cell.request.task->setting(),
                    .recipe = cell.request.recipe.name,
                    .passed = (*result)->passed,
                    .steps = (*result)->steps});
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
        const bool fits = run.model == request.model.text() && run.recipe == request.recipe.name &&
                          (source == Source::kSameModel || run.setting == request.task->setting());
        const auto spent = fits && source != Source::kTable ? spent_in(run, stage) : std::nullopt;
        if (!spent) continue;
        sum += *spent;
        ++count;
      }
      if (count > 0) ++known;
      const double guess = count > 0 ? sum / count : from_table(request, stage, stages);
      const auto limit = static_cast<double>(stage.limit);
      const auto least = static_cast<double>(validation.every * validation.passes);
      expected.by_stage.push_back(stage.fixed ? limit : std::min(limit, std::max(guess, least)));
    }
    if (known == stages.size()) break;
  }
  return expected;
}

/// Checks that pass are whole.
double all_check_tokens(const RunRequest& request, const Stage& stage, double steps) {
  const auto& validation = request.recipe.recipe.validation;
  const auto episodes = static_cast<double>(validation.episodes);
  const double checks = stage.phase == Phase::kCooldown ? 1 : steps / static_cast<double>(validation.every);
  const double whole = validation.whole ? checks : std::min(checks, static_cast<double>(validation.passes));
  return whole * check_tokens(*request.task, stage, episodes) +
         (checks - whole) * check_tokens(*request.task, stage, std::min(episodes, kShortCheck));
}

Result<CostEstimate> estimate_cost(const RunRequest& request, std::span<const FinishedRun> finished, int threads,
                                   Isa isa, int repeats) {
  const auto timings = time_stages(request, threads, isa, repeats);
  if (!timings) return timings.error();
  const std::vector<Stage> stages = stages_of(request);
  const ExpectedSteps expected = expected_steps(request, finished);
  CostEstimate cost{.seconds = 0, .steps = expected.total(), .source = expected.source};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageTiming& timing = (*timings)[i];
    cost.seconds += expected.by_stage[i] * timing.step +
                    kForwardShare * timing.token * all_check_tokens(request, stages[i], expected.by_stage[i]);
  }
  return cost;
}

std::vector<SweepKind> sweep_kinds(std::span<const SweepCell> cells) {
  std::vector<SweepKind> kinds;
  const auto same = [](const RunRequest& a, const RunRequest& b) {
    return a.model == b.model && a.task->setting() == b.task->setting() && a.recipe.name == b.recipe.name;
  };
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    while (end < cells.size() && same(cells[begin].request, cells[end].request)) ++end;
    kinds.push_back({.cells = cells.subspan(begin, end - begin)});
  }
  return kinds;
}

Result<SweepCost> estimate_sweep(std::span<SweepKind> kinds, std::span<const FinishedRun> finished, int jobs,
                                 int threads, Isa isa, const std::function<void(std::size_t)>& measuring) {
  SweepCost all;
  double longest = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    measuring(i);
    const auto cost = estimate_cost(kinds[i].cells.front().request, finished, threads, isa);
    if (!cost) return cost.error();
    kinds[i].cost = *cost;
    all.seconds += cost->seconds * static_cast<double>(kinds[i].cells.size());
    longest = std::max(longest, cost->seconds);
  }
  all.wall_seconds = std::max(longest, all.seconds / jobs);
  return all;
}

Result<std::vector<double>> step_work(const RunRequest& request) {
  const auto model = make_model(request);
  if (!model) return model.error();
  std::vector<double> work;
  for (const Stage& stage : stages_of(request)) {
    // The longest case stands for all: what matters is the order.
    std::size_t tokens = 0;
    for (const EpisodeCase& one : stage.checked) tokens = std::max(tokens, request.task->tokens(one));
    work.push_back(static_cast<double>(request.recipe.recipe.batch.episodes) *
                   (*model)->training_flops(std::array{tokens + kTokensOfAStep}));
  }
  return work;
}

Result<double> expected_work(const RunRequest& request, std::span<const FinishedRun> finished) {
  const auto work = step_work(request);
  if (!work) return work.error();
  const ExpectedSteps expected = expected_steps(request, finished);
  return std::inner_product(work->begin(), work->end(), expected.by_stage.begin(), 0.0);
}

}  // namespace schemamem
