#pragma once

#include "cli/commands.h"

namespace schemamem {

void register_eval(CLI::App& program, Commands& commands);
void register_ablate(CLI::App& program, Commands& commands);
void register_calibrate(CLI::App& program, Commands& commands);
void register_score(CLI::App& program, Commands& commands);

}  // namespace schemamem
