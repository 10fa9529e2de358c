#pragma once

#include <cstdint>

namespace schemamem {

/// The seed of the paper's validation and evaluation episodes, and a second one that nothing was ever validated on.
inline constexpr std::uint64_t kPaperEvaluationSeed = 20'261'001;
inline constexpr std::uint64_t kUnseenEvaluationSeed = 20'270'407;

}  // namespace schemamem
