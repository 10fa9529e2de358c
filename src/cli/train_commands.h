#pragma once

#include "cli/commands.h"

namespace schemamem {

void register_train(CLI::App& program, Commands& commands);
void register_resume(CLI::App& program, Commands& commands);
void register_watch(CLI::App& program, Commands& commands);
void register_sweep(CLI::App& program, Commands& commands);
void register_node_plan(CLI::App& program, Commands& commands);
void register_config(CLI::App& program, Commands& commands);

}  // namespace schemamem
