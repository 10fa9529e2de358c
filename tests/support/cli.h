#pragma once

#include <ios>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_cli.h"

namespace schemamem::test {

struct Reply {
  int code = 0;
  std::string out, err;
};

struct CallOptions {
  bool terminal = false;
  bool no_color = false;
  bool broken_output = false;  // like /dev/full or a closed pipe
  std::string in = {};         // standard input
};

/// Calls the program in this process; `arguments` are separated by spaces.
inline Reply call(const std::string& arguments, CallOptions options = {}) {
  std::vector<std::string> words;
  std::istringstream stream(arguments);
  for (std::string word; stream >> word;) words.push_back(word);
  std::ostringstream out, err;
  std::istringstream in(options.in);
  if (options.broken_output) out.setstate(std::ios::badbit);
  const int code = run_cli(words, {.out = out,
                                   .err = err,
                                   .out_is_terminal = options.terminal,
                                   .err_is_terminal = options.terminal,
                                   .no_color = options.no_color,
                                   .in = &in});
  return {code, out.str(), err.str()};
}

}  // namespace schemamem::test
