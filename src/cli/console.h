#pragma once

#include <fmt/format.h>

#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "base/result.h"
#include "kernels/isa.h"
#include "system/ranks.h"

namespace schemamem {

/// Colours for a terminal, or none. Padding comes first, paint last: escape sequences have no width.
class Paint {
 public:
  explicit Paint(bool on = false) : on_(on) {}

  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string red(std::string_view text) const { return wrap("1;31", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  std::string cyan(std::string_view text) const { return wrap("36", text); }

 private:
  std::string wrap(std::string_view code, std::string_view text) const {
    return on_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  bool on_;
};

/// What a command speaks to: results go to `out`, talk to `err`.
struct Console {
  std::ostream& out;
  std::ostream& err;
  Paint paint;           // for `out`
  bool json = false;     // results as JSON
  Isa isa = best_isa();  // --isa
  bool live = false;     // `err` is a terminal: a block may be drawn again in place
  bool paint_err = false;
  std::istream* in = nullptr;
  bool converses = false;  // a person types and reads: `in` and `out` are a terminal
  Ranks& ranks = alone();

  /// Writes a piece of the result. A full disk or a reader that has gone ends the command at once.
  Status print(std::string_view text) {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (out) return Done{};
    return Error(ErrorKind::kInputOutput,
                 "Writing the result to standard output failed: the disk is full or the reader has gone. The output is "
                 "incomplete; write it elsewhere.");
  }
};

}  // namespace schemamem
