#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace schemamem {

/// Instruction sets that the kernels are compiled for. A machine that runs one runs all before it.
enum class Isa { kScalar, kBaseline, kNeon, kAvx2, kAvx512 };

std::string_view isa_name(Isa isa);
std::optional<Isa> isa_from_name(std::string_view name);

/// Those compiled into this binary that this machine can run, slowest first; never empty.
std::vector<Isa> available_isas();
/// The last of them.
Isa best_isa();

}  // namespace schemamem
