#pragma once

#include "cli/commands.h"

namespace schemamem {

/// `schemamem task`, and below it one function for each of its commands.
void register_task(CLI::App& program, Commands& commands);

void register_task_describe(CLI::App& task, Commands& commands);
void register_task_sample(CLI::App& task, Commands& commands);
void register_task_dump(CLI::App& task, Commands& commands);
void register_task_hash(CLI::App& task, Commands& commands);

}  // namespace schemamem
