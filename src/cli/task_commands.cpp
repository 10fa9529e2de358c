#include "cli/task_commands.h"

namespace schemamem {

void register_task(CLI::App& program, Commands& commands) {
  CLI::App& task = commands.add(program, "task", "The address-value task: look at its settings and episodes.",
                                "schemamem task describe --setting A4V5\n"
                                "schemamem task sample --setting A3V3 --scenario retention --delay 96\n"
                                "schemamem task dump --setting A3V3 --scenario immediate --episodes 2\n"
                                "schemamem task hash --setting A3V3 --scenario retention --delay 96 --json");
  register_task_describe(task, commands);
  register_task_sample(task, commands);
  register_task_dump(task, commands);
  register_task_hash(task, commands);
}

}  // namespace schemamem
