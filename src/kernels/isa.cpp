#include "kernels/isa.h"

#include <array>
#include <utility>

namespace schemamem {
namespace {

constexpr std::array<std::pair<Isa, std::string_view>, 5> kNames{{{Isa::kScalar, "scalar"},
                                                                  {Isa::kBaseline, "baseline"},
                                                                  {Isa::kNeon, "neon"},
                                                                  {Isa::kAvx2, "avx2"},
                                                                  {Isa::kAvx512, "avx512"}}};

[[maybe_unused]] bool machine_has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

[[maybe_unused]] bool machine_has_avx512() {
#if defined(__x86_64__)
  return machine_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#else
  return false;
#endif
}

}  // namespace

std::string_view isa_name(Isa isa) {
  for (const auto& [value, name] : kNames) {
    if (value == isa) return name;
  }
  return "unknown";
}

std::optional<Isa> isa_from_name(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas;
#if defined(SCHEMAMEM_HAS_scalar)
  isas.push_back(Isa::kScalar);
#endif
#if defined(SCHEMAMEM_HAS_baseline)
  isas.push_back(Isa::kBaseline);
#endif
#if defined(SCHEMAMEM_HAS_neon)
  isas.push_back(Isa::kNeon);
#endif
#if defined(SCHEMAMEM_HAS_avx2)
  if (machine_has_avx2()) isas.push_back(Isa::kAvx2);
#endif
#if defined(SCHEMAMEM_HAS_avx512)
  if (machine_has_avx512()) isas.push_back(Isa::kAvx512);
#endif
  return isas;
}

Isa best_isa() { return available_isas().back(); }

}  // namespace schemamem
