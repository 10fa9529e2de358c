#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/eval_commands.h"
#include "cli/eval_options.h"
#include "eval/calibration.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kUsualEpisodes = 16;

struct CalibrateOptions {
  EvalOptions targets;
  Text episodes;
};

Json json_of(const EvaluatedCheckpoint& about, const std::filesystem::path& weights, const Calibration& found) {
  Json layers = Json::array();
  for (const ChangeSizes& sizes : found.sizes) {
    Json decades = Json::object();
    for (const auto& [exponent, count] : sizes.by_decade) decades[fmt::format("1e{}", exponent)] = count;
    layers.push_back({{"layer", sizes.layer},
                      {"kind", sizes.kind},
                      {"rows", sizes.reads ? "read" : "write"},
                      {"count", sizes.count},
                      {"zero", sizes.zero},
                      {"median", sizes.median},
                      {"p99", sizes.p99},
                      {"p99.9", sizes.p999},
                      {"largest", sizes.most},
                      {"by_decade", decades}});
  }
  return {{"weights", weights.string()},
          {"model", about.model},
          {"setting", about.setting},
          {"seed", about.seed ? Json(*about.seed) : Json()},
          {"recipe", about.recipe},
          {"largest_read", found.largest_read},
          {"smallest_needed_write", found.smallest_write},
          {"gap", found.largest_read > 0 ? Json(found.gap()) : Json()},
          {"floor", found.floor ? Json(*found.floor) : Json()},
          {"changes", layers}};
}

std::string verdict(const Calibration& found) {
  const std::string both = fmt::format("largest change by a read {:.2g}, smallest that a write needs {:.2g}",
                                       found.largest_read, found.smallest_write);
  if (found.floor) return fmt::format("{}: try --floor {}\n", both, *found.floor);
  return fmt::format("{}: there is no gap, and no floor that stops all reads and no write\n", both);
}

std::string text_of(const Calibration& found) {
  std::string text = fmt::format("  {:<6} {:<12} {:<6} {:>10} {:>10} {:>10} {:>10}  sizes by decade\n", "layer",
                                 "change", "rows", "median", "99 %", "99.9 %", "largest");
  for (const ChangeSizes& sizes : found.sizes) {
    std::string decades;
    for (const auto& [exponent, count] : sizes.by_decade) {
      const double share = 100 * static_cast<double>(count) / static_cast<double>(sizes.count);
      if (share >= 0.05) decades += fmt::format("  1e{}: {:.1f} %", exponent, share);
    }
    text += fmt::format("  {:<6} {:<12} {:<6} {:>10.2g} {:>10.2g} {:>10.2g} {:>10.2g}{}\n", sizes.layer, sizes.kind,
                        sizes.reads ? "read" : "write", sizes.median, sizes.p99, sizes.p999, sizes.most, decades);
  }
  return text;
}

Status calibrate_all(const CalibrateOptions& options, Console& console) {
  const auto episodes = read_number(options.episodes, "--episodes", kUsualEpisodes, 1, 4'096);
  if (!episodes) return episodes.error();
  const auto targets = options.targets.read_targets(console);
  if (!targets) return targets.error();
  Json all = Json::array();
  for (const EvalTarget& target : *targets) {
    const auto file = TrainedWeights::load(target.weights);
    if (!file) return file.error();
    const auto model = file->model(console.isa);
    if (!model) return model.error();
    const auto found = calibrate(**model, *file->task(), static_cast<std::size_t>(*episodes), kUnseenEvaluationSeed);
    if (!found) return found.error().with(target.weights.string());
    if (console.json) {
      all.push_back(json_of(file->about(), target.weights, *found));
      continue;
    }
    const std::string title =
        fmt::format("{}  {}\n", console.paint.bold(title_of(file->about())), escaped(target.weights.string()));
    if (const Status printed = console.print(title + text_of(*found) + verdict(*found) + "\n"); !printed)
      return printed;
  }
  return console.json ? console.print(Json{{"calibrations", all}}.dump() + "\n") : Status(Done{});
}

}  // namespace

void register_calibrate(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App& command = commands.add(program, "calibrate",
                                   "Measure how much reads and writes change a memory, and propose a --floor between.",
                                   "schemamem calibrate a3v3-schemamem-steady-s42\n"
                                   "schemamem calibrate results/steady --json");
  options->targets.add_names_to(command);
  command.add_option("--episodes", options->episodes, fmt::format("Episodes to measure ({})", kUsualEpisodes))
      ->type_name("N");
  commands.on(command, [options](Console& console) { return calibrate_all(*options, console); });
}

}  // namespace schemamem
