#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/suggest.h"
#include "base/text.h"
#include "cli/model_commands.h"
#include "cli/task_options.h"
#include "eval/golden.h"
#include "record/tensor_files.h"

namespace schemamem {
namespace {

struct VerifyOptions {
  std::vector<std::string> files;
  Text scalar;
};

Result<Scalar> read_scalar(const Text& text) {
  if (!text || *text == "double") return Scalar::kDouble;
  if (*text == "float") return Scalar::kFloat;
  const std::vector<std::string> known{"double", "float"};
  return Error(ErrorKind::kUsage,
               fmt::format("--scalar must be double or float, found {}.{}", quote(*text), did_you_mean(*text, known)));
}

constexpr const char* kKinds[] = {"output", "state", "angle", "gradient"};

nlohmann::ordered_json report_json(const std::string& file, const GoldenReport& report) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const GoldenComparison& c : report.comparisons) {
    tensors.push_back({{"tensor", c.tensor},
                       {"kind", c.kind},
                       {"error", c.error},
                       {"tolerance", c.tolerance},
                       {"passed", c.passed()}});
  }
  nlohmann::ordered_json largest;
  for (const char* kind : kKinds) largest[kind] = report.largest(kind);
  return {{"file", file},        {"model", report.model},     {"level", report.level},
          {"case", report.what}, {"passed", report.passed()}, {"largest_error", largest},
          {"tensors", tensors}};
}

std::string report_text(const std::string& file, const GoldenReport& report, const Paint& paint) {
  std::string text = fmt::format("{} {}  {} {}", report.passed() ? paint.green("ok    ") : paint.red("FAILED"), file,
                                 escaped(report.model), escaped(report.level));
  for (const char* kind : kKinds) {
    const bool present = std::any_of(report.comparisons.begin(), report.comparisons.end(),
                                     [&](const GoldenComparison& c) { return c.kind == kind; });
    if (present) text += fmt::format("  {} {:.1e}", kind, report.largest(kind));
  }
  text += '\n';
  for (const GoldenComparison& c : report.comparisons) {
    if (!c.passed())
      text += fmt::format("         {} {}: error {:.2e}, allowed {:.0e}\n", c.kind, escaped(c.tensor), c.error,
                          c.tolerance);
  }
  return text;
}

Status verify(const VerifyOptions& options, Console& console) {
  if (options.files.empty()) {
    return Error(ErrorKind::kUsage,
                 "No file was given. Name one or more golden vector files, such as "
                 "tests/data/golden/schemamem/recurrent_short.safetensors.");
  }
  const Result<Scalar> scalar = read_scalar(options.scalar);
  if (!scalar) return scalar.error();
  nlohmann::ordered_json reports = nlohmann::ordered_json::array();
  std::size_t failed = 0;
  for (const std::string& path : options.files) {
    const Result<TensorFile> file = load_tensors(path);
    if (!file) return file.error();
    const Result<GoldenReport> report = verify_golden(*file, *scalar, console.isa);
    if (!report) return report.error();
    failed += report->passed() ? 0 : 1;
    if (console.json) {
      reports.push_back(report_json(path, *report));
    } else if (const Status printed = console.print(report_text(path, *report, console.paint)); !printed) {
      return printed;
    }
  }
  const char* const scalar_name = *scalar == Scalar::kDouble ? "double" : "float";
  if (console.json) {
    const nlohmann::ordered_json answer{{"passed", failed == 0},
                                        {"scalar", scalar_name},
                                        {"instruction_set", isa_name(console.isa)},
                                        {"files", reports}};
    if (const Status printed = console.print(answer.dump() + "\n"); !printed) return printed;
  }
  if (failed == 0) return Done{};
  return Error(ErrorKind::kFailed, fmt::format("{} of {} files differ from their golden vectors in {} on {}.", failed,
                                               options.files.size(), scalar_name, isa_name(console.isa)));
}

}  // namespace

void register_verify(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App& command =
      commands.add(program, "verify", "Compare a model with golden vectors: outputs, states, gradients.",
                   "schemamem verify tests/data/golden/schemamem/*.safetensors\n"
                   "schemamem verify --scalar float --isa avx2 tests/data/golden/gdn/t7.safetensors --json");
  command.add_option("files", options->files, "Golden vector files (safetensors)")->type_name("FILE");
  command.add_option("--scalar", options->scalar, "double (default) or float")->type_name("TYPE");
  commands.on(command, [options](Console& console) { return verify(*options, console); });
}

}  // namespace schemamem
