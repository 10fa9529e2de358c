#pragma once

#include <atomic>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

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
};

/// The whole program but for the process around it: `args` without the program's name. Returns the exit code.
int run_cli(std::vector<std::string> args, const Surroundings& around);

}  // namespace schemamem
