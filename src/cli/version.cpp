#include "cli/version.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/build_info.h"
#include "launch/job.h"

namespace schemamem {

Status print_version(Console& console) {
  const BuildInfo build = build_info();
  const std::string mpi = mpi_library();
  if (console.json) {
    nlohmann::ordered_json answer{{"version", build.version},
                                  {"commit", build.commit},
                                  {"instruction_set", isa_name(console.isa)},
                                  {"compiler", build.compiler},
                                  {"build_type", build.build_type}};
    if (!mpi.empty()) answer["mpi"] = mpi;
    return console.print(answer.dump() + "\n");
  }
  return console.print(
      fmt::format("schemamem {}\ncommit           {}\ninstruction set  {}\ncompiler         {}, {}\n{}", build.version,
                  build.commit, isa_name(console.isa), build.compiler, build.build_type,
                  mpi.empty() ? "" : fmt::format("mpi              {}\n", mpi)));
}

}  // namespace schemamem
