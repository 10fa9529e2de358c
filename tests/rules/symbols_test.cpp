#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/source_tree.h"

namespace schemamem::rules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Weak functions in the output of `nm -C --defined-only` that do not belong to an instruction set's namespace. The
/// linker keeps one copy of a weak function for the whole program: if it keeps one that was compiled with AVX-512, a
/// machine without it stops with an illegal instruction, far from any kernel.
std::vector<std::string> shared_functions(const std::string& nm_output) {
  static const std::regex weak(R"(^[0-9a-f]+ W (.*)$)");
  std::vector<std::string> found;
  for (const std::string& line : lines_of(nm_output)) {
    std::smatch match;
    if (std::regex_match(line, match, weak) && line.find("isa_") == std::string::npos) found.push_back(match[1].str());
  }
  return found;
}

TEST(Symbols, NoFunctionCompiledForANewerInstructionSetCanBeSharedWithTheRest) {
  if (std::string(SCHEMAMEM_BUILD_TYPE) != "Release") GTEST_SKIP() << "only optimised code inlines what it should";
  for (const char* room : {"kernels", "models"})
    for (const char* isa : {"avx2", "avx512"}) {
      const auto folder = kBinary / "CMakeFiles" / ("schemamem_" + std::string(room) + "_" + isa + ".dir");
      for (const auto& object : files_below(folder, {".o"})) {
        const Outcome outcome = run("nm -C --defined-only " + quoted(object));
        ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
        EXPECT_THAT(shared_functions(outcome.output), IsEmpty())
            << object << ": mark these [[gnu::always_inline]] or move them into the namespace of the instruction set";
      }
    }
}

TEST(SharedFunctions, AreWeakCodeOutsideTheNamespacesOfInstructionSets) {
  EXPECT_THAT(shared_functions("0000000000000000 T schemamem::isa_avx2::dot(float)\n"
                               "0000000000000000 W schemamem::isa_avx2::Lanes::zero()\n"
                               "0000000000000000 V typeinfo for schemamem::Error\n"
                               "0000000000000010 W std::vector<float>::push_back(float)\n"),
              ElementsAre("std::vector<float>::push_back(float)"));
}

}  // namespace
}  // namespace schemamem::rules
