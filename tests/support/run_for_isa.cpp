// run_for_isa ISA PROGRAM ARGUMENTS...: runs a test program that was compiled for one instruction set, or exits with 77
// ("skipped" to ctest) where this machine cannot: there, it might not even reach its own main().

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "kernels/isa.h"

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: run_for_isa ISA PROGRAM ARGUMENTS...\n");
    return 2;
  }
  const auto isa = schemamem::isa_from_name(arguments[1]);
  const auto available = schemamem::available_isas();
  if (!isa || std::find(available.begin(), available.end(), *isa) == available.end()) {
    std::printf("skipped: this machine cannot run %s\n", arguments[1]);
    return 77;
  }
  execv(arguments[2], arguments + 2);
  std::perror(arguments[2]);
  return 1;
}
