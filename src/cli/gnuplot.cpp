#include "cli/gnuplot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "base/text.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

bool runs(const fs::path& path) { return fs::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0; }

struct Outcome {
  int code = -1;
  std::string said{};  // on standard output and error
};

Result<Outcome> run_in(const fs::path& folder, const fs::path& program, const std::string& first,
                       const std::string& second, const std::string& third) {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0) return Error(ErrorKind::kFailed, "cannot make a pipe to " + program.string());
  const std::array<const char*, 5> arguments{program.c_str(), first.c_str(), second.c_str(), third.c_str(), nullptr};
  const pid_t child = ::fork();
  if (child < 0) return Error(ErrorKind::kFailed, "cannot start " + program.string());
  if (child == 0) {  // only calls that are safe between fork and exec
    if (::chdir(folder.c_str()) != 0 || ::dup2(pipe[1], STDOUT_FILENO) < 0 || ::dup2(pipe[1], STDERR_FILENO) < 0)
      ::_exit(127);
    ::close(pipe[0]);
    ::close(pipe[1]);
    ::execv(program.c_str(), const_cast<char* const*>(arguments.data()));  // execv writes to none of them
    ::_exit(127);
  }
  ::close(pipe[1]);
  Outcome outcome;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t size = ::read(pipe[0], piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    outcome.said.append(piece.data(), static_cast<std::size_t>(size));
  }
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// Blanks the date in a PDF, byte for byte, so that its table of offsets stays right: the same figure is the same file.
Status forget_date(const fs::path& picture) {
  const auto read = read_text_file(picture, 64 << 20);
  if (!read) return read.error();
  std::string text = *read;
  const std::size_t first = text.find("/CreationDate (");
  const std::size_t last = first == std::string::npos ? first : text.find(')', first);
  if (last == std::string::npos) return Done{};
  std::fill(text.begin() + first, text.begin() + last + 1, ' ');
  return write_file_atomically(picture, text);
}

}  // namespace

std::optional<fs::path> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return runs(name) ? std::optional(fs::absolute(name)) : std::nullopt;
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name; runs(candidate))
      return fs::absolute(candidate);
  return std::nullopt;
}

Status draw_figure(const fs::path& gnuplot, const fs::path& folder, const std::string& name,
                   const std::string& format) {
  const fs::path picture = folder / (name + "." + format);
  std::error_code absent;
  fs::remove(picture, absent);
  const auto outcome = run_in(folder, gnuplot, "-e", fmt::format("format='{}'", format), name + ".gp");
  if (!outcome) return outcome.error();
  if (outcome->code == 0 && fs::exists(picture)) return format == "pdf" ? forget_date(picture) : Done{};
  return Error(
      ErrorKind::kFailed,
      fmt::format("{} could not draw {}: {}. The script {}.gp stays beside it.", gnuplot.string(), picture.string(),
                  outcome->said.empty() ? fmt::format("exit code {}", outcome->code) : printable(outcome->said), name));
}

}  // namespace schemamem
