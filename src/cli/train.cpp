#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "cli/live_view.h"
#include "cli/model_options.h"
#include "cli/signals.h"
#include "cli/train_commands.h"
#include "models/registry.h"
#include "train/run.h"

namespace schemamem {
namespace {

constexpr std::int64_t kDefaultSeed = 42;

struct TrainOptions {
  ModelOptions model;
  Text seed, recipe, out, threads;
  std::vector<std::string> overrides;
};
struct ResumeOptions {
  Text run, threads;
};

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  }
  return "unknown";
}

std::string command_of(const RunRequest& request, const TrainOptions& options) {
  std::string command =
      fmt::format("schemamem train --model {} --setting {} --seed {} --recipe {}", request.model.text(),
                  request.task->setting(), request.seed, options.recipe.value_or("fast"));
  if (options.model.task) command += fmt::format(" --task {}", request.task->name());
  for (const std::string& one : options.overrides) command += " --set " + one;
  return command;
}

Status report(const RunResult& result, const RunOptions& options, Console& console) {
  if (console.json) {
    nlohmann::ordered_json passed = nlohmann::ordered_json::array();
    for (const PassedStage& stage : result.passed)
      passed.push_back({{"name", stage.name}, {"step", stage.step}, {"lowest", stage.lowest}});
    const nlohmann::ordered_json answer{
        {"run", options.folder.string()}, {"status", result.status}, {"steps", result.steps},
        {"seconds", result.seconds},      {"passed", passed},        {"fell_back", result.fell_back}};
    if (const Status printed = console.print(answer.dump(-1, ' ', true) + "\n"); !printed) return printed;
  } else {
    const bool passed = result.status == "passed";
    const char* const how = passed            ? (result.was_done ? "was finished" : "finished")
                            : result.was_done ? "had ended"
                                              : "ended";
    std::string text =
        fmt::format("{} {} after {} steps, {:.1f} s\n", options.folder.string(), how, result.steps, result.seconds);
    for (const PassedStage& stage : result.passed)
      text +=
          fmt::format("  {:<22} passed at step {:>7} with {:.2f} %\n", escaped(stage.name), stage.step, stage.lowest);
    if (result.fell_back)
      text += "  the cool-down ended below the target: the weights from before it, which passed, are kept\n";
    if (const Status printed = console.print(text); !printed) return printed;
  }
  if (result.status == "passed") return Done{};
  return Error(ErrorKind::kStepLimit,
               fmt::format("{} ended at its step limit, short of its target. The run is kept and marked; it is no "
                           "success.",
                           options.folder.string()));
}

Status run(const RunRequest& request, const RunOptions& options, Console& console) {
  const auto model = make_model(request, {.isa = options.isa});
  if (!model) return model.error();
  const StopOnSignal signals;
  LiveView view(console.err, Paint(console.paint_err), console.live, request);
  const Result<RunResult> result = train_run(**model, request, options, signals.flag(), view);
  view.close();
  if (!result) return result.error();
  return report(*result, options, console);
}

/// Another instruction set rounds differently: a run goes on with the one it began with.
Result<Isa> isa_of(const StoredRun& stored, const std::filesystem::path& folder) {
  const auto isas = available_isas();
  const auto isa = isa_from_name(stored.isa);
  if (isa && std::find(isas.begin(), isas.end(), *isa) != isas.end()) return *isa;
  return Error(ErrorKind::kUsage,
               fmt::format("{} was begun with the instruction set {}, which this machine or build does not have; the "
                           "results would differ. Continue it on a machine that has it, or train anew.",
                           folder.string(), stored.isa));
}

Status train(const TrainOptions& given, Console& console) {
  RunRequest request;
  const auto model = given.model.read_model();
  if (!model) return model.error();
  request.model = *model;
  auto task = given.model.read_task();
  if (!task) return task.error();
  request.task = std::move(task).value();
  if (const auto spec = model_spec(request); !spec) return spec.error();
  const auto seed = read_number(given.seed, "--seed", kDefaultSeed, 0, kLargestSeed);
  if (!seed) return seed.error();
  request.seed = static_cast<std::uint64_t>(*seed);
  auto recipe = resolve_recipe(given.recipe.value_or("fast"), given.overrides);
  if (!recipe) return recipe.error();
  request.recipe = std::move(recipe).value();
  const auto threads = read_threads(given.threads);
  if (!threads) return threads.error();
  const std::filesystem::path folder =
      given.out ? std::filesystem::path(*given.out) : "runs" / std::filesystem::path(run_name(request));
  Isa isa = console.isa;
  if (const auto stored = read_run(folder)) {  // what else is there is told by the run itself
    const auto begun = isa_of(*stored, folder);
    if (!begun) return begun.error();
    isa = *begun;
  }
  return run(request,
             {.folder = folder,
              .threads = *threads,
              .isa = isa,
              .environment = {{"command", command_of(request, given)}, {"cpu", processor()}}},
             console);
}

Status resume(const ResumeOptions& given, Console& console) {
  if (!given.run) return Error(ErrorKind::kUsage, "`schemamem resume` needs the folder of a run.");
  const auto stored = read_run(*given.run);
  if (!stored) return stored.error();
  const auto threads = read_threads(given.threads);
  if (!threads) return threads.error();
  const auto isa = isa_of(*stored, *given.run);
  if (!isa) return isa.error();
  return run(stored->request, {.folder = *given.run, .threads = *threads, .isa = *isa, .environment = {}}, console);
}

}  // namespace

void register_train(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App& command =
      commands.add(program, "train", "Train a model through the curriculum, or continue a run.",
                   "schemamem train --model schemamem --setting A3V3 --seed 42 --recipe fast\n"
                   "schemamem train --model gdn --setting A4V4 --recipe paper --out runs/mine\n"
                   "schemamem train --model schemamem:slots=64 --task mqar --setting V256L64P4 --recipe levels\n"
                   "schemamem train --model schemamem --recipe steady --set cooldown.steps=1000 --threads 2");
  options->model.add_to(command);
  command.add_option("--seed", options->seed, "Root of every random stream (42)")->type_name("N");
  command.add_option("--recipe", options->recipe, recipe_help())->type_name("NAME");
  command.add_option("--set", options->overrides, "Override a field of the recipe; may be repeated")
      ->type_name("FIELD=VALUE")
      ->allow_extra_args(false);
  command.add_option("--out", options->out, "Folder of the run (runs/<model>-<setting>-<recipe>-s<seed>-<hash>)")
      ->type_name("DIR");
  command.add_option("--threads", options->threads, "Threads; the result is the same for any number (all cores)")
      ->type_name("N");
  explain_progress(command);
  commands.on_until_stopped(command, [options](Console& console) { return train(*options, console); });
}

void register_resume(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<ResumeOptions>();
  CLI::App& command = commands.add(program, "resume", "Continue a run that was stopped or killed.",
                                   "schemamem resume runs/schemamem-A3V3-fast-s42-1a2b3c4d");
  command.add_option("RUN", options->run, "Folder of the run");
  command.add_option("--threads", options->threads, "Threads; the result is the same for any number (all cores)")
      ->type_name("N");
  explain_progress(command);
  commands.on_until_stopped(command, [options](Console& console) { return resume(*options, console); });
}

}  // namespace schemamem
