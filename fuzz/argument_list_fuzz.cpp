// Any text as the lists that sweeps and evaluations take on the command line: seeds, models, settings, rounds.
#include "support.h"
#include "sweep/plan.h"
#include "task/registry.h"
#include "task/rounds.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto seeds = parse_seeds(text); fuzz::accepted(seeds, {ErrorKind::kUsage})) fuzz::must(!seeds->empty());
  if (const auto models = parse_models(text); fuzz::accepted(models, {ErrorKind::kUsage})) fuzz::must(!models->empty());
  for (const TaskEntry& task : task_entries()) {
    const auto tasks = parse_tasks(task.name, text);
    if (fuzz::accepted(tasks, {ErrorKind::kUsage})) fuzz::must(!tasks->empty());
  }
  if (const auto rounds = parse_rounds(text); fuzz::accepted(rounds, {ErrorKind::kUsage})) {
    const auto again = parse_rounds(rounds->name());
    fuzz::must(again && *again == *rounds);
  }
  return 0;
}
