#pragma once

#include "cli/commands.h"

namespace schemamem {

void register_talk(CLI::App& program, Commands& commands);
void register_explore(CLI::App& program, Commands& commands);
void register_state(CLI::App& program, Commands& commands);
void register_models(CLI::App& program, Commands& commands);

}  // namespace schemamem
