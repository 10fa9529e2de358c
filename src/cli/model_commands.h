#pragma once

#include "cli/commands.h"

namespace schemamem {

void register_inspect(CLI::App& program, Commands& commands);
void register_verify(CLI::App& program, Commands& commands);
void register_bench(CLI::App& program, Commands& commands);

}  // namespace schemamem
