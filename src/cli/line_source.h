#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace schemamem {

/// One line of what somebody says, or why there is none.
struct SaidLine {
  enum class Kind { kLine, kTooLong, kStopped, kEnd };  // kStopped: Ctrl-C at the prompt
  Kind kind = Kind::kEnd;
  std::string text{};
};

/// Where lines come from. None is kept longer than the bound it was made with; the rest of a longer one is passed over.
class LineSource {
 public:
  virtual ~LineSource() = default;
  virtual SaidLine next(const std::string& prompt) = 0;
  /// Whether more has arrived already, so that answers need not be hurried.
  virtual bool more_waits() const { return false; }
};

/// Lines of a pipe or a file, without prompts.
std::unique_ptr<LineSource> lines_of(std::istream& in, std::size_t longest);

/// What a half-written line may go on with.
using Complete = std::function<std::vector<std::string>(std::string_view line)>;
/// Lines of a person at a terminal, who can edit them, get earlier ones back and complete words (docs/decisions/0016).
/// Built without libedit, plain lines behind a prompt.
std::unique_ptr<LineSource> typed_lines(std::istream& in, std::size_t longest, Complete complete);

}  // namespace schemamem
