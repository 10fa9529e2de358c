#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/model_commands.h"
#include "cli/model_options.h"
#include "train/step_timing.h"

namespace schemamem {
namespace {

struct BenchOptions {
  ModelOptions model;
  Text batch, tokens, threads, repeats;
  bool general = false;
};

/// How many tokens, where a step and a stream differ.
struct TokenRange {
  std::int64_t fallback, least, most;
};
constexpr TokenRange kStepTokens{400, 1, 4096};
constexpr TokenRange kStreamTokens{20'000, 100, 100'000'000};

Result<StepRequest> read_request(const BenchOptions& options, const TokenRange& range, const Console& console) {
  StepRequest request;
  const auto spec = options.model.read_spec();
  if (!spec) return spec.error();
  request.model = *spec;
  const auto batch = read_number(options.batch, "--batch", 64, 1, 4096);
  if (!batch) return batch.error();
  const auto tokens = read_number(options.tokens, "--tokens", range.fallback, range.least, range.most);
  if (!tokens) return tokens.error();
  const auto threads = read_threads(options.threads);
  if (!threads) return threads.error();
  const auto repeats = read_number(options.repeats, "--repeats", 20, 1, 10'000);
  if (!repeats) return repeats.error();
  request.batch = static_cast<std::size_t>(*batch);
  request.tokens = static_cast<std::size_t>(*tokens);
  request.threads = *threads;
  request.repeats = static_cast<int>(*repeats);
  request.isa = console.isa;
  request.general = options.general;
  return request;
}

Status bench_step(const BenchOptions& options, Console& console) {
  const Result<StepRequest> request = read_request(options, kStepTokens, console);
  if (!request) return request.error();
  const Result<StepTiming> timed = time_until_possible(request->isa, [&] { return time_step(*request); });
  if (!timed) return timed.error();
  const bool possible = is_possible(*timed, request->isa);
  if (console.json) {
    const nlohmann::ordered_json answer{{"model", request->model.name},
                                        {"instruction_set", isa_name(request->isa)},
                                        {"threads", request->threads},
                                        {"batch", request->batch},
                                        {"tokens", request->tokens},
                                        {"milliseconds", timed->milliseconds},
                                        {"gigaflop", timed->gigaflop},
                                        {"gflops", timed->gflops},
                                        {"fma_peak_gflops", timed->fma_peak_gflops},
                                        {"fraction_of_peak", timed->fraction_of_peak},
                                        {"tokens_per_second", timed->tokens_per_second},
                                        {"peak_flops_per_cycle", timed->flops_per_cycle},
                                        {"peak_is_possible", possible},
                                        {"gradient_error", timed->gradient_error}};
    return console.print(answer.dump() + "\n");
  }
  std::string text = fmt::format("{}, {} episodes of {} tokens, {} thread{}, {}\n",
                                 console.paint.bold(request->model.name), request->batch, request->tokens,
                                 request->threads, request->threads == 1 ? "" : "s", isa_name(request->isa));
  text += fmt::format("  gradients    float agrees with double to {:.1e}\n", timed->gradient_error);
  text += fmt::format("  step         {:.1f} ms, best of {}; {:.2f} GFLOP of matrix work\n", timed->milliseconds,
                      request->repeats, timed->gigaflop);
  text +=
      fmt::format("  speed        {:.1f} GFLOP/s, {:.2f} M tokens/s\n", timed->gflops, timed->tokens_per_second * 1e-6);
  text += fmt::format("  FMA peak     {:.1f} GFLOP/s, {:.1f} flops a cycle\n", timed->fma_peak_gflops,
                      timed->flops_per_cycle);
  text +=
      fmt::format("  of the peak  {}\n", console.paint.bold(fmt::format("{:.1f} %", 100 * timed->fraction_of_peak)));
  if (!possible)
    console.err << "note: that peak is not a possible number for this instruction set; the machine was disturbed\n";
  return console.print(text);
}

Status bench_stream(const BenchOptions& options, Console& console) {
  const Result<StepRequest> request = read_request(options, kStreamTokens, console);
  if (!request) return request.error();
  const Result<StreamTiming> timed = time_stream(*request, request->tokens);
  if (!timed) return timed.error();
  if (console.json) {
    const nlohmann::ordered_json answer{{"model", request->model.name},
                                        {"instruction_set", isa_name(request->isa)},
                                        {"tokens", request->tokens},
                                        {"median_microseconds", timed->median_microseconds},
                                        {"p99_microseconds", timed->p99_microseconds},
                                        {"tokens_per_second", timed->tokens_per_second},
                                        {"late_over_early", timed->late_over_early}};
    return console.print(answer.dump() + "\n");
  }
  std::string text = fmt::format(
      "{}, one stream of {} tokens, {}\n  a token  {:.2f} us median, {:.1f} us at the 99th percentile\n"
      "  speed    {:.0f} tokens/s\n",
      console.paint.bold(request->model.name), request->tokens, isa_name(request->isa), timed->median_microseconds,
      timed->p99_microseconds, timed->tokens_per_second);
  if (timed->late_over_early > 0) {
    text += fmt::format("  late     {:.3f} of the speed of a stream that has just begun\n", timed->late_over_early);
  }
  return console.print(text);
}

}  // namespace

void register_bench(CLI::App& program, Commands& commands) {
  CLI::App& bench = commands.add(program, "bench", "Time a model on this machine, beside the machine's own limit.",
                                 "schemamem bench step --model schemamem\nschemamem bench stream --model schemamem\n"
                                 "schemamem bench train --model schemamem");
  const auto step = std::make_shared<BenchOptions>();
  CLI::App& step_command = commands.add(bench, "step", "One training step: forward, backward, merged gradients.",
                                        "schemamem bench step --model schemamem --batch 64 --tokens 400\n"
                                        "schemamem bench step --model gdn --threads 1 --isa avx2 --json");
  step->model.add_to(step_command);
  step_command.add_option("--batch", step->batch, "Episodes (default 64)")->type_name("N");
  step_command.add_option("--tokens", step->tokens, "Tokens an episode (default 400)")->type_name("N");
  step_command.add_option("--threads", step->threads, "Threads (default: all cores)")->type_name("N");
  step_command.add_option("--repeats", step->repeats, "Steps timed; the best counts (default 20)")->type_name("N");
  step_command.add_flag("--general", step->general, "Use the path for any sizes");
  commands.on(step_command, [step](Console& console) { return bench_step(*step, console); });

  const auto stream = std::make_shared<BenchOptions>();
  CLI::App& stream_command = commands.add(bench, "stream", "One stream, token by token.",
                                          "schemamem bench stream --model schemamem --tokens 100000\n"
                                          "schemamem bench stream --model gdn --json");
  stream->model.add_to(stream_command);
  stream_command.add_option("--tokens", stream->tokens, "Length of the stream (default 20000)")->type_name("N");
  stream_command.add_flag("--general", stream->general, "Use the path for any sizes");
  commands.on(stream_command, [stream](Console& console) { return bench_stream(*stream, console); });

  register_bench_train(bench, commands);
}

}  // namespace schemamem
