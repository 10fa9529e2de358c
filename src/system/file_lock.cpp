#include "system/file_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/text.h"
#include "system/file_system.h"
#include "system/process_identity.h"

namespace schemamem {
namespace {

constexpr int kNone = -1;
constexpr std::chrono::milliseconds kNap{2};

std::string own_line() {
  return fmt::format("process {} on {} since {:%Y-%m-%dT%H:%M:%SZ}\n", ::getpid(), host_name(),
                     fmt::gmtime(std::time(nullptr)));
}

/// The whole file, for an open file description: such a lock ends with the last handle that shares it, and unlike one
/// of flock() it can be asked for without being taken.
struct flock whole_file(short type) {
  struct flock region {};
  region.l_type = type;
  region.l_whence = SEEK_SET;
  return region;
}

/// What the holder has written: untrusted, and empty for a moment after the lock was taken.
std::string holder(int handle) {
  std::array<char, 512> text{};
  const ssize_t count = ::pread(handle, text.data(), text.size(), 0);
  std::string_view line(text.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  line = line.substr(0, line.find('\n'));
  return line.empty() ? "another process" : printable(line);
}

Status write_holder(int handle, const std::filesystem::path& path) {
  const std::string text = own_line();
  if (::ftruncate(handle, 0) != 0) return file_error(ErrorKind::kInputOutput, "write the lock file", path, -errno);
  const ssize_t count = ::pwrite(handle, text.data(), text.size(), 0);
  if (count == static_cast<ssize_t>(text.size())) return Done{};
  return file_error(ErrorKind::kInputOutput, "write the lock file", path, count < 0 ? -errno : -ENOSPC);
}

/// 0, or what is in the way.
int take(int handle, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  struct flock region = whole_file(F_WRLCK);
  while (::fcntl(handle, F_OFD_SETLK, &region) != 0) {
    const int reason = errno;
    const bool held = reason == EAGAIN || reason == EACCES;
    if (!held || std::chrono::steady_clock::now() >= deadline) return reason;
    std::this_thread::sleep_for(kNap);
  }
  return 0;
}

}  // namespace

FileLock::FileLock(FileLock&& other) noexcept
    : handle_(std::exchange(other.handle_, kNone)), path_(std::move(other.path_)) {}

bool FileLock::in_place() const {
  struct stat held {
  }, found{};
  return ::fstat(handle_, &held) == 0 && ::lstat(path_.c_str(), &found) == 0 && held.st_dev == found.st_dev &&
         held.st_ino == found.st_ino;
}

FileLock::~FileLock() {
  if (handle_ == kNone) return;
  [[maybe_unused]] const int emptied = ::ftruncate(handle_, 0);  // the release matters, not the text
  ::close(handle_);
}

Result<FileLock> FileLock::acquire(const std::filesystem::path& path, std::chrono::milliseconds patience) {
  const FileSystem::Outcome opened = posix_files().open(path, FileSystem::Open::kLock);
  if (opened < 0) return file_error(ErrorKind::kCannotCreate, "open the lock file", path, opened);
  const int handle = static_cast<int>(opened);
  if (const int reason = take(handle, patience); reason != 0) {
    const std::string who = holder(handle);
    ::close(handle);
    if (reason != EAGAIN && reason != EACCES) return file_error(ErrorKind::kInputOutput, "lock", path, -reason);
    return Error(ErrorKind::kCannotCreate,
                 fmt::format("{} is in use by {}; wait for it to end, or choose another folder",
                             (path.has_parent_path() ? path.parent_path() : ".").string(), who));
  }
  FileLock lock(handle, path);
  // What was opened may have been moved away before it was locked.
  if (!lock.in_place()) return file_error(ErrorKind::kCannotCreate, "lock", path, -ESTALE);
  if (Status written = write_holder(handle, path); !written) return written.error();
  return lock;
}

std::optional<std::string> FileLock::holder_of(const std::filesystem::path& path) {
  // What is no regular file was locked by nobody: acquire() refuses it.
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (handle < 0) return std::nullopt;
  if (posix_files().regular_size(handle) < 0) {
    ::close(handle);
    return std::nullopt;
  }
  struct flock region = whole_file(F_RDLCK);
  const bool held = ::fcntl(handle, F_OFD_GETLK, &region) == 0 && region.l_type != F_UNLCK;
  std::optional<std::string> who;
  if (held) who = holder(handle);
  ::close(handle);
  return who;
}

}  // namespace schemamem
