#include "cli/gnuplot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "system/files.h"
#include "system/helper.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

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
  // A script can ask gnuplot to run any command. Ours do not, but they hold names that came from files: besides quoting
  // those, the way from a script to a command is closed. gnuplot itself has no switch for that.
  constexpr std::chrono::minutes kPatience{10};
  const auto outcome = run_helper(gnuplot, {"-e", fmt::format("format='{}'", format), name + ".gp"},
                                  {.folder = place, .starts_others = false, .patience = kPatience});
  if (!outcome) return outcome.error();
  const std::string said = outcome->out + outcome->error;
  Result<std::string> drawn = read_text_file(place / picture.filename(), kLargestPicture);
  if (outcome->end == ProcessEnd{} && drawn) {
    if (format == "pdf") forget_date(drawn.value());
    return write_file_atomically(picture, *drawn);
  }
  return Error(ErrorKind::kFailed,
               fmt::format("{} could not draw {}: {}. The script {}.gp stays beside it.", gnuplot.string(),
                           picture.string(), said.empty() ? how_it_ended(outcome->end) : printable(said), name));
}

}  // namespace schemamem
