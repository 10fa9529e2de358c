#include "cli/task_options.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/parse.h"

namespace schemamem {

void CaseOptions::add_to(CLI::App& command) {
  command.add_option("--setting", setting, "Address and value bits, 2 to 16 each, such as A3V3")->type_name("AaVv");
  command
      .add_option("--scenario", scenario,
                  "transaction-quarter, transaction-half, transaction-full, immediate, retention, interference or "
                  "overwrite")
      ->type_name("NAME");
  command.add_option("--delay", delay, "Reads of never-written addresses before the last question, 0 to 1000000")
      ->type_name("N");
}

Result<TaskCase> CaseOptions::read() const {
  if (!setting) return Error(ErrorKind::kUsage, "--setting is missing. Add one, such as --setting A3V3.");
  if (!scenario) return Error(ErrorKind::kUsage, "--scenario is missing. Add one, such as --scenario retention.");
  return parse_case(*setting, *scenario, delay ? std::optional<std::string_view>(*delay) : std::nullopt);
}

Result<std::int64_t> read_number(const Text& text, std::string_view flag, std::int64_t fallback, std::int64_t least,
                                 std::int64_t most) {
  if (!text) return fallback;
  return parse_integer(*text, flag, least, most);
}

Result<int> read_threads(const Text& text, int processes) {
  constexpr std::int64_t kMostThreads = 256;
  const std::int64_t cores = std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  const bool is_bound = cores < ::sysconf(_SC_NPROCESSORS_ONLN);  // a launcher has dealt out the cores
  const std::int64_t own = is_bound ? cores : std::max<std::int64_t>(1, cores / processes);
  const auto threads = read_number(text, "--threads", std::min(own, kMostThreads), 1, kMostThreads);
  if (!threads) return threads.error();
  return static_cast<int>(*threads);
}

void add_floor_option(CLI::App& command, Text& floor) {
  command
      .add_option(
          "--floor", floor,
          "Changes of memory smaller than this do not happen: radians of SchemaMem, gates of the others (0: off)")
      ->type_name("X");
}

Result<double> read_floor(const Text& text) { return text ? parse_decimal(*text, "--floor", 0, 1) : 0.0; }

}  // namespace schemamem
