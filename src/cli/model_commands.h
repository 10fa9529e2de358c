#pragma once

#include "cli/commands.h"

namespace schemamem {

void register_inspect(CLI::App& program, Commands& commands);
void register_verify(CLI::App& program, Commands& commands);
void register_bench(CLI::App& program, Commands& commands);
/// Below `bench`.
void register_bench_train(CLI::App& bench, Commands& commands);

}  // namespace schemamem
