#include "system/files.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Open = FileSystem::Open;
using Outcome = FileSystem::Outcome;

constexpr int kNone = -1;
constexpr std::string_view kTemporaryPrefix = ".schemamem-";
constexpr std::string_view kTemporarySuffix = ".tmp";

bool is_temporary(std::string_view name) {
  return name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporarySuffix);
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// Closes a handle that was opened for reading, where closing cannot lose anything.
class ReadHandle {
 public:
  ReadHandle(FileSystem& files, Outcome handle) : files_(files), handle_(static_cast<int>(handle)) {}
  ReadHandle(const ReadHandle&) = delete;
  ReadHandle& operator=(const ReadHandle&) = delete;
  ~ReadHandle() { files_.close(handle_); }
  operator int() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  FileSystem& files_;
  int handle_;
};

/// Fills `bytes` as far as the file goes; returns how far.
Outcome read_all(FileSystem& files, int handle, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const Outcome count = files.read(handle, bytes.subspan(done));
    if (count < 0) return count;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<Outcome>(done);
}

}  // namespace

Result<Buffer<std::byte>> read_file(const fs::path& path, std::uint64_t most, FileSystem& files) {
  return read_judged_file(path, most, {}, files);
}

Result<Buffer<std::byte>> read_judged_file(const fs::path& path, std::uint64_t most, const FrontJudge& front,
                                           FileSystem& files) {
  const Outcome opened = files.open(path, Open::kRead);
  if (opened < 0) return file_error(ErrorKind::kMissingInput, "open", path, opened);
  const ReadHandle handle(files, opened);
  const Outcome size = files.regular_size(handle);
  if (size < 0) return file_error(ErrorKind::kMissingInput, "read", path, size);
  if (static_cast<std::uint64_t>(size) > most) {
    return Error(ErrorKind::kBadData,
                 fmt::format("{}: the file has {} bytes; at most {} are accepted here", path.string(), size, most));
  }
  Buffer<std::byte> beginning(std::min(front.bytes, static_cast<std::size_t>(size)));
  Outcome count = read_all(files, handle, beginning.span());
  if (count < 0) return file_error(ErrorKind::kInputOutput, "read", path, count);
  if (front.judge && std::cmp_equal(count, beginning.size())) {
    if (const Status fit = front.judge(beginning.span(), static_cast<std::uint64_t>(size)); !fit) return fit.error();
  }
  Buffer<std::byte> bytes(static_cast<std::size_t>(size));
  std::copy(beginning.begin(), beginning.end(), bytes.begin());
  if (std::cmp_equal(count, beginning.size())) {
    const Outcome rest = read_all(files, handle, bytes.span().subspan(beginning.size()));
    if (rest < 0) return file_error(ErrorKind::kInputOutput, "read", path, rest);
    count += rest;
  }
  std::byte beyond{};
  const Outcome more = read_all(files, handle, {&beyond, 1});
  if (more < 0) return file_error(ErrorKind::kInputOutput, "read", path, more);
  if (count != size || more != 0) {
    return Error(ErrorKind::kInputOutput,
                 fmt::format("{}: the file changed while it was read (expected {} bytes, found {}); try again when "
                             "its writer is done",
                             path.string(), size, more != 0 ? "more" : std::to_string(count)));
  }
  return bytes;
}

Result<std::string> read_text_file(const fs::path& path, std::uint64_t most, FileSystem& files) {
  const Result<Buffer<std::byte>> bytes = read_file(path, most, files);
  if (!bytes) return bytes.error();
  std::string text(bytes->size(), '\0');
  std::copy(bytes->begin(), bytes->end(), std::as_writable_bytes(std::span(text)).begin());
  return text;
}

Result<std::optional<std::string>> read_tail(const fs::path& path, std::uint64_t most) {
  FileSystem& files = posix_files();
  const Outcome opened = files.open(path, Open::kRead);
  if (opened == -ENOENT) return std::optional<std::string>();
  if (opened < 0) return file_error(ErrorKind::kInputOutput, "open", path, opened);
  const ReadHandle handle(files, opened);
  const Outcome size = files.regular_size(handle);
  if (size < 0) return file_error(ErrorKind::kBadData, "read", path, size);
  const std::uint64_t wanted = std::min(most, static_cast<std::uint64_t>(size));
  if (::lseek(handle, static_cast<off_t>(size) - static_cast<off_t>(wanted), SEEK_SET) < 0)
    return file_error(ErrorKind::kInputOutput, "read", path, -errno);
  std::string text(wanted, '\0');
  const Outcome count = read_all(files, handle, std::as_writable_bytes(std::span(text)));
  if (count < 0) return file_error(ErrorKind::kInputOutput, "read", path, count);
  text.resize(static_cast<std::size_t>(count));
  return std::optional(std::move(text));
}

bool is_absent(const fs::path& path) {
  std::error_code unknown;
  return fs::symlink_status(path, unknown).type() == fs::file_type::not_found;
}

TemporaryFile create_temporary(const fs::path& beside, FileSystem& files) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    const fs::path path =
        folder_of(beside) / fmt::format("{}{}-{}{}", kTemporaryPrefix, ::getpid(), attempt, kTemporarySuffix);
    const Outcome handle = files.open(path, Open::kCreate);
    if (handle == -EEXIST) continue;  // another thread, another host, or what a killed process left behind
    return {path, handle};
  }
}

AtomicFile::AtomicFile(FileSystem& files, fs::path path, fs::path temporary, int handle)
    : files_(&files), path_(std::move(path)), temporary_(std::move(temporary)), handle_(handle) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : files_(other.files_),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      handle_(std::exchange(other.handle_, kNone)) {}

AtomicFile::~AtomicFile() { discard(); }

Result<AtomicFile> AtomicFile::create(const fs::path& path, FileSystem& files) {
  require(path.has_filename(), "AtomicFile::create: the caller names a file");
  // A rename would replace a device such as /dev/null as well.
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  if (fs::is_directory(status)) return file_error(ErrorKind::kCannotCreate, "write", path, -EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return file_error(ErrorKind::kCannotCreate, "write", path, -EINVAL);
  }
  TemporaryFile temporary = create_temporary(path, files);
  if (temporary.handle < 0) return file_error(ErrorKind::kCannotCreate, "create", path, temporary.handle);
  return AtomicFile(files, path, std::move(temporary.path), static_cast<int>(temporary.handle));
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  if (handle_ == kNone) return failed("write", -EBADF);
  while (!bytes.empty()) {
    const Outcome count = files_->write(handle_, bytes);
    if (count <= 0) return failed("write", count < 0 ? count : -EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return Done{};
}

Status AtomicFile::commit() {
  if (handle_ == kNone) return failed("write", -EBADF);
  if (const Outcome synced = files_->sync(handle_); synced < 0) return failed("write", synced);
  // The folder is opened before the rename, so that only its sync can fail afterwards.
  const Outcome folder = files_->open(folder_of(path_), Open::kDirectory);
  if (folder < 0) return failed("write", folder);
  const ReadHandle open_folder(*files_, folder);
  if (const Outcome closed = files_->close(std::exchange(handle_, kNone)); closed < 0) return failed("write", closed);
  if (const Outcome renamed = files_->rename(temporary_, path_); renamed < 0) return failed("replace", renamed);
  temporary_.clear();
  if (const Outcome synced = files_->sync(open_folder); synced < 0) {
    return failed("make sure that a power cut does not undo the writing of", synced);
  }
  return Done{};
}

Error AtomicFile::failed(const char* action, Outcome outcome) {
  discard();
  return file_error(ErrorKind::kInputOutput, action, path_, outcome);
}

void AtomicFile::discard() {
  if (handle_ != kNone) files_->close(std::exchange(handle_, kNone));
  if (!temporary_.empty()) files_->remove(temporary_);
  temporary_.clear();
}

Status write_file_atomically(const fs::path& path, std::span<const std::span<const std::byte>> pieces,
                             FileSystem& files) {
  Result<AtomicFile> file = AtomicFile::create(path, files);
  if (!file) return file.error();
  for (const std::span<const std::byte> piece : pieces) {
    if (Status written = file.value().write(piece); !written) return written;
  }
  return file.value().commit();
}

Status write_file_atomically(const fs::path& path, std::span<const std::byte> bytes, FileSystem& files) {
  return write_file_atomically(path, std::span(&bytes, 1), files);
}

Status write_file_atomically(const fs::path& path, std::string_view text, FileSystem& files) {
  return write_file_atomically(path, std::as_bytes(std::span(text)), files);
}

namespace {

/// One folder in a folder that is there, unless it is there already.
Status make_directory(const fs::path& folder, FileSystem& files) {
  std::error_code unknown;
  if (fs::is_directory(folder, unknown)) return Done{};
  const Outcome made = files.make_directory(folder);
  if (made == -EEXIST) {
    if (fs::is_directory(folder, unknown)) return Done{};  // another process was quicker
    return file_error(ErrorKind::kCannotCreate, "create the folder", folder, -ENOTDIR);
  }
  if (made < 0) return file_error(ErrorKind::kCannotCreate, "create the folder", folder, made);
  return sync_directory(folder_of(folder), files);
}

}  // namespace

Status make_directories(const fs::path& path, FileSystem& files) {
  require(!path.empty(), "make_directories: the caller names a folder");
  fs::path folder;
  for (const fs::path& part : path.lexically_normal()) {
    folder /= part;
    if (part.empty()) continue;
    if (Status made = make_directory(folder, files); !made) return made;
  }
  return Done{};
}

Status make_directories_in(const fs::path& root, const fs::path& below, FileSystem& files) {
  require(below.is_relative(), "make_directories_in: the caller names a folder below the root");
  fs::path folder = root;
  for (const fs::path& part : below) {
    require(part != "..", "make_directories_in: a folder below the root");
    folder /= part;
    std::error_code unknown;
    if (fs::is_symlink(fs::symlink_status(folder, unknown)))
      return file_error(ErrorKind::kCannotCreate, "write in", folder, -ELOOP);
    if (Status made = make_directory(folder, files); !made) return made;
  }
  return Done{};
}

Status sync_directory(const fs::path& path, FileSystem& files) {
  const Outcome opened = files.open(path, Open::kDirectory);
  if (opened < 0) return file_error(ErrorKind::kInputOutput, "open the folder", path, opened);
  const ReadHandle handle(files, opened);
  if (const Outcome synced = files.sync(handle); synced < 0) {
    return file_error(ErrorKind::kInputOutput, "sync the folder", path, synced);
  }
  return Done{};
}

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// Not by std::filesystem: its iterator ends the process when memory runs out in it.
Result<std::vector<std::string>> names_in(const fs::path& path, bool temporary) {
  const auto failed = [&](int reason) {
    return file_error(ErrorKind::kMissingInput, "list the folder", path, -reason);
  };
  const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
  if (!folder) return failed(errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && is_temporary(name) == temporary) names.emplace_back(name);
  }
  if (errno != 0) return failed(errno);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Result<std::vector<std::string>> list_directory(const fs::path& path) { return names_in(path, false); }

Status remove_temporaries(const fs::path& directory, FileSystem& files) {
  const Result<std::vector<std::string>> names = names_in(directory, true);
  if (!names) return names.error();
  for (const std::string& name : *names) {
    const Outcome removed = files.remove(directory / name);
    if (removed < 0 && removed != -ENOENT) {
      return file_error(ErrorKind::kInputOutput, "remove the temporary file", directory / name, removed);
    }
  }
  return Done{};
}

Result<std::uint64_t> free_space(const fs::path& path, FileSystem& files) {
  const Outcome bytes = files.free_space(path);
  if (bytes < 0) return file_error(ErrorKind::kInputOutput, "measure the free space of", path, bytes);
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace schemamem
