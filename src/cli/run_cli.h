#pragma once

#include <atomic>
#include <functional>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "system/ranks.h"

namespace schemamem {

/// The world around one call of the program.
struct Surroundings {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool no_color = false;  // the variable NO_COLOR is set, or the terminal is dumb
  std::istream* in = nullptr;
  bool in_is_terminal = false;
  const std::atomic<bool>* reader_gone = nullptr;  // set when somebody closed the pipe that is written to
  Ranks& ranks = alone();                          // processes that this one was started together with
  std::function<void(int)> end_all{};              // ends those that wait for this one, with an exit code
};

/// The whole program but for the process around it: `args` without the program's name. Returns the exit code. Of
/// several ranks the first one speaks: what is wrong with the arguments is the same for all, and a command that ranks
/// cannot share is its own. The code of a job is that of rank 0; another that fails by itself says so and ends the job.
int run_cli(std::vector<std::string> args, const Surroundings& around);

}  // namespace schemamem
