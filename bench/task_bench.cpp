// Tokens a second on one core for training episodes from addressed streams, bit encoding included.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "check_only.h"
#include "support/oracle.h"
#include "task/address_value.h"
#include "task/batch.h"
#include "task/episode_stream.h"

namespace schemamem {
namespace {

constexpr double kWanted = 20e6;  // tokens a second: under 2 % of the training step they feed
constexpr std::size_t kEpisodes = 512;

/// A batch is timed only after every one of its episodes agrees with the oracle.
bool agrees_with_oracle(const std::vector<TaskCase>& cases, const Batch& batch) {
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Setting setting = cases[i].setting;
    std::vector<Token> tokens(batch.rows(i).size());
    EpisodeMaker(setting).make(cases[i], {.seed = 42, .purpose = Purpose::kBenchmark, .index = i}, tokens);
    const auto expected =
        test::oracle(setting.address_bits, setting.value_bits, std::string(info(cases[i].scenario).name), tokens);
    if (test::answers_of(tokens) != expected) return false;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (batch.rows(i).labels[t] != expected[t].label) return false;
    }
  }
  return true;
}

/// Seconds this thread has computed, so that neighbours on the machine do not count.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double tokens_per_second(const Task& task, const std::vector<EpisodeCase>& cases, EpisodeSource& source, Batch& batch) {
  double best = 0;
  std::uint64_t index = 0;
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::size_t tokens = 0;
    const double start = thread_seconds();
    double seconds = 0;
    do {
      batch.fill(task, source, cases, {.seed = 42, .purpose = Purpose::kBenchmark, .index = index});
      index += cases.size();
      tokens += batch.tokens();
      seconds = thread_seconds() - start;
    } while (seconds < 0.05);
    best = std::max(best, static_cast<double>(tokens) / seconds);
  }
  return best;
}

int run(bool only_checks) {
  fmt::print("{:<32}{:>16}{:>20}\n", "case", "M tokens/s", "ratio to 20 M/s");
  bool fast_enough = true;
  for (const Setting setting : {Setting{3, 3}, Setting{5, 5}}) {
    for (const ScenarioInfo& scenario : all_scenarios()) {
      const TaskCase request{
          .setting = setting, .scenario = scenario.scenario, .delay = scenario.takes_delay() ? 96U : 0U};
      const std::vector<TaskCase> cases(kEpisodes, request);
      const std::size_t length = episode_size(request).tokens();
      const AddressValueTask task(setting);
      const std::vector<EpisodeCase> asked(kEpisodes, episode_case(request.scenario, request.delay));
      const auto source = task.source();
      Batch batch(task.shape(), kEpisodes, kEpisodes * length);
      batch.fill(task, *source, asked, {.seed = 42, .purpose = Purpose::kBenchmark, .index = 0});
      if (!agrees_with_oracle(cases, batch)) {
        fmt::print(stderr, "{}: the batch disagrees with the oracle, so it is not timed\n", request.name());
        return 1;
      }
      if (only_checks) continue;
      const double rate = tokens_per_second(task, asked, *source, batch);
      fast_enough = fast_enough && rate >= kWanted;
      fmt::print("{:<32}{:>16.1f}{:>20.2f}\n", request.name(), rate / 1e6, rate / kWanted);
    }
  }
  if (only_checks) return 0;
  fmt::print("{}\n", fast_enough ? "every case reaches 20 M tokens/s a core" : "some case is slower than wanted");
  return 0;
}

}  // namespace
}  // namespace schemamem

int main(int argc, char** argv) { return schemamem::run(checks_only(argc, argv)); }
