#include "cli/gnuplot.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "system/files.h"
#include "system/no_children.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

/// What cannot be looked at, such as a file in a folder of another user, cannot be started either.
bool runs(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown) && ::access(path.c_str(), X_OK) == 0;
}

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
    // A script can ask gnuplot to run any command. Ours do not, but they hold names that came from files: besides
    // quoting those, the way from a script to a command is closed. gnuplot itself has no switch for that.
    forbid_children();
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
void forget_date(std::string& picture) {
  const std::size_t first = picture.find("/CreationDate (");
  const std::size_t last = first == std::string::npos ? first : picture.find(')', first);
  if (last == std::string::npos) return;
  std::fill(picture.begin() + static_cast<std::ptrdiff_t>(first),
            picture.begin() + static_cast<std::ptrdiff_t>(last) + 1, ' ');
}

/// A folder for gnuplot to work in, gone at the end.
class Workshop {
 public:
  static Result<Workshop> open() {
    std::error_code none;
    std::string pattern = (fs::temp_directory_path(none) / "schemamem-figure-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      return file_error(ErrorKind::kCannotCreate, "create the folder", pattern, -errno);
    return Workshop(pattern);
  }
  Workshop(Workshop&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  Workshop& operator=(Workshop&&) = delete;
  ~Workshop() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }

 private:
  explicit Workshop(fs::path folder) : folder_(std::move(folder)) {}

  fs::path folder_;
};

constexpr std::uint64_t kLargestPicture = 64 << 20;

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
  const Result<Workshop> workshop = Workshop::open();
  if (!workshop) return workshop.error();
  const fs::path& place = workshop->folder();
  for (const char* part : {".gp", ".csv"}) {
    const auto text = read_text_file(folder / (name + part), kLargestPicture);
    if (!text) return text.error();
    if (const Status copied = write_file_atomically(place / (name + part), *text); !copied) return copied;
  }
  const auto outcome = run_in(place, gnuplot, "-e", fmt::format("format='{}'", format), name + ".gp");
  if (!outcome) return outcome.error();
  Result<std::string> drawn = read_text_file(place / picture.filename(), kLargestPicture);
  if (outcome->code == 0 && drawn) {
    if (format == "pdf") forget_date(drawn.value());
    return write_file_atomically(picture, *drawn);
  }
  return Error(
      ErrorKind::kFailed,
      fmt::format("{} could not draw {}: {}. The script {}.gp stays beside it.", gnuplot.string(), picture.string(),
                  outcome->said.empty() ? fmt::format("exit code {}", outcome->code) : printable(outcome->said), name));
}

}  // namespace schemamem
