#pragma once

#include "cli/commands.h"

namespace schemamem {

void register_paper(CLI::App& program, Commands& commands);
void register_check(CLI::App& program, Commands& commands);
void register_report(CLI::App& program, Commands& commands);

}  // namespace schemamem
