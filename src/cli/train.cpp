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
#include "train/follow.h"
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

/// The instruction set that a manifest names, if this machine has it.
std::optional<Isa> available(const StoredRun& stored) {
  const auto isas = available_isas();
  const auto isa = isa_from_name(stored.isa);
  return isa && std::find(isas.begin(), isas.end(), *isa) != isas.end() ? isa : std::nullopt;
}

/// Another instruction set rounds differently: a run goes on with the one it began with.
Result<Isa> isa_of(const StoredRun& stored, const std::filesystem::path& folder) {
  if (const auto isa = available(stored)) return *isa;
  return Error(ErrorKind::kUsage,
               fmt::format("{} was begun with the instruction set {}, which this machine or build does not have; the "
                           "results would differ. Continue it on a machine that has it, or train anew.",
                           folder.string(), stored.isa));
}

/// What is to be trained, and how.
struct Order {
  RunRequest request;
  RunOptions options;
};

Result<Order> read_order(const TrainOptions& given, Console& console) {
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
  const auto threads = read_threads(given.threads, console.ranks.beside());
  if (!threads) return threads.error();
  const std::filesystem::path folder =
      given.out ? std::filesystem::path(*given.out) : "runs" / std::filesystem::path(run_name(request));
  Isa isa = console.isa;
  if (const auto stored = read_run(folder)) {  // what else is there is told by the run itself
    const auto begun = isa_of(*stored, folder);
    if (!begun) return begun.error();
    isa = *begun;
  }
  RunOptions options{.folder = folder,
                     .threads = *threads,
                     .isa = isa,
                     .environment = {{"command", command_of(request, given)}, {"cpu", processor()}}};
  return Order{std::move(request), std::move(options)};
}

Result<Order> read_order(const ResumeOptions& given, Console& console) {
  if (!given.run) return Error(ErrorKind::kUsage, "`schemamem resume` needs the folder of a run.");
  const auto stored = read_run(*given.run);
  if (!stored) return stored.error();
  const auto threads = read_threads(given.threads, console.ranks.beside());
  if (!threads) return threads.error();
  const auto isa = isa_of(*stored, *given.run);
  if (!isa) return isa.error();
  return Order{stored->request, {.folder = *given.run, .threads = *threads, .isa = *isa, .environment = {}}};
}

/// What follows when the survivors of a rank that died are being stopped.
void tell_of_silence(const std::filesystem::path& folder, std::ostream& err) {
  err << fmt::format(
             "Asked to stop, but another rank does not answer. If it has died, the run ends here: `schemamem resume "
             "{}`, on any number of ranks, continues it from its last checkpoint.\n",
             folder.string())
      << std::flush;
}

/// Rank 0, or a process alone.
Status lead(const Result<Order>& order, Console& console) {
  const auto fail = [&](const Error& error) {
    share_text(console.ranks, std::nullopt);
    return error;
  };
  if (!order) return fail(order.error());
  const RunRequest& request = order->request;
  const RunOptions& options = order->options;
  const auto model = make_model(request, {.isa = options.isa});
  if (!model) return fail(model.error());
  share_text(console.ranks, manifest_text(request, options, **model));
  const StopOnSignal signals;
  LiveView view(console.err, Paint(console.paint_err), console.live, request);
  console.ranks.watch(&signals.flag(), [&] { tell_of_silence(options.folder, console.err); });
  const Result<RunResult> result =
      train_run(**model, request, options, signals.flag(), view, posix_files(), console.ranks);
  console.ranks.watch(nullptr, {});
  view.close();
  if (!result) return result.error();
  return report(*result, options, console);
}

/// The other ranks: what is trained is what rank 0 says, and what becomes of it is told there.
Status follow(const Text& threads_text, Console& console) {
  const std::optional<std::string> manifest = share_text(console.ranks, std::nullopt);
  if (!manifest) return Done{};
  const auto stored = parse_run(*manifest, "the order of rank 0");
  if (!stored) return stored.error();
  const auto isa = available(*stored);
  if (!isa) {
    return Error(ErrorKind::kUsage,
                 fmt::format("rank 0 trains with the instruction set {}, which this machine does not have. A new run "
                             "may take --isa {}; one that was begun needs machines that have it.",
                             stored->isa, isa_name(best_isa())));
  }
  const auto threads = read_threads(threads_text, console.ranks.beside());
  if (!threads) return threads.error();
  const auto model = make_model(stored->request, {.isa = *isa});
  if (!model) return model.error();
  const StopOnSignal signals;
  return follow_run(**model, stored->request, {.folder = {}, .threads = *threads, .isa = *isa, .environment = {}},
                    signals.flag(), console.ranks);
}

template <class Options>
Status run(const Options& given, Console& console) {
  return console.ranks.is_first() ? lead(read_order(given, console), console) : follow(given.threads, console);
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
  command
      .add_option("--threads", options->threads,
                  "Threads of each process; the result is the same for any number (all cores, shared out)")
      ->type_name("N");
  explain_progress(command);
  commands.on_until_stopped(command, [options](Console& console) { return run(*options, console); });
  commands.share(command);
}

void register_resume(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<ResumeOptions>();
  CLI::App& command = commands.add(program, "resume", "Continue a run that was stopped or killed.",
                                   "schemamem resume runs/schemamem-A3V3-fast-s42-1a2b3c4d");
  command.add_option("RUN", options->run, "Folder of the run");
  command
      .add_option("--threads", options->threads,
                  "Threads of each process; the result is the same for any number (all cores, shared out)")
      ->type_name("N");
  explain_progress(command);
  commands.on_until_stopped(command, [options](Console& console) { return run(*options, console); });
  commands.share(command);
}

}  // namespace schemamem
