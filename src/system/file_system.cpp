#include "system/file_system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <limits>
#include <system_error>

namespace schemamem {
namespace {

/// Repeats a call that a signal has interrupted.
template <class Call>
FileSystem::Outcome uninterrupted(Call call) {
  for (;;) {
    const auto outcome = call();
    if (outcome >= 0) return outcome;
    if (errno != EINTR) return -errno;
  }
}

/// The handle of a regular file that has this one name; anything else is closed and refused.
FileSystem::Outcome owned(FileSystem::Outcome handle) {
  if (handle < 0) return handle;
  struct stat status {};
  FileSystem::Outcome fault = 0;
  if (::fstat(static_cast<int>(handle), &status) != 0) {
    fault = -errno;
  } else if (S_ISDIR(status.st_mode)) {
    fault = -EISDIR;
  } else if (!S_ISREG(status.st_mode)) {
    fault = -EINVAL;
  } else if (status.st_nlink > 1) {
    fault = -EMLINK;
  }
  if (fault == 0) return handle;
  ::close(static_cast<int>(handle));
  return fault;
}

class PosixFiles final : public FileSystem {
 public:
  Outcome open(const std::filesystem::path& path, Open how) override {
    // Opening a pipe must not wait for its other end, nor a terminal become ours: both are refused anyway.
    int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    if (how == Open::kRead) flags |= O_RDONLY;
    if (how == Open::kDirectory) flags |= O_RDONLY | O_DIRECTORY;
    if (how == Open::kCreate) flags |= O_WRONLY | O_CREAT | O_EXCL;
    if (how == Open::kAppend) flags |= O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW;
    if (how == Open::kLock) flags |= O_RDWR | O_CREAT | O_NOFOLLOW;
    const Outcome handle = uninterrupted([&] { return ::open(path.c_str(), flags, 0666); });
    return how == Open::kAppend || how == Open::kLock ? owned(handle) : handle;
  }
  Outcome regular_size(int handle) override {
    struct stat status {};
    if (::fstat(handle, &status) != 0) return -errno;
    if (S_ISDIR(status.st_mode)) return -EISDIR;
    if (!S_ISREG(status.st_mode)) return -EINVAL;
    return status.st_size;
  }
  Outcome read(int handle, std::span<std::byte> bytes) override {
    return uninterrupted([&] { return ::read(handle, bytes.data(), bytes.size()); });
  }
  Outcome write(int handle, std::span<const std::byte> bytes) override {
    return uninterrupted([&] { return ::write(handle, bytes.data(), bytes.size()); });
  }
  Outcome sync(int handle) override {
    const Outcome outcome = uninterrupted([&] { return ::fsync(handle); });
    // Some file systems have no way to sync a folder and say so; there is nothing more to be done on them.
    return outcome == -EINVAL || outcome == -ENOTSUP ? 0 : outcome;
  }
  Outcome truncate(int handle, std::uint64_t size) override {
    return uninterrupted([&] { return ::ftruncate(handle, static_cast<off_t>(size)); });
  }
  Outcome close(int handle) override {
    // Linux frees the descriptor before it reports EINTR: closing again could close somebody else's.
    return ::close(handle) == 0 || errno == EINTR ? 0 : -errno;
  }
  Outcome link(const std::filesystem::path& file, const std::filesystem::path& name) override {
    return ::link(file.c_str(), name.c_str()) == 0 ? 0 : -errno;
  }
  Outcome rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : -errno;
  }
  Outcome remove(const std::filesystem::path& path) override { return ::remove(path.c_str()) == 0 ? 0 : -errno; }
  Outcome make_directory(const std::filesystem::path& path) override {
    return ::mkdir(path.c_str(), 0777) == 0 ? 0 : -errno;
  }
  Outcome free_space(const std::filesystem::path& path) override {
    struct statvfs status {};
    const Outcome outcome = uninterrupted([&] { return ::statvfs(path.c_str(), &status); });
    if (outcome < 0) return outcome;
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<Outcome>::max());
    std::uint64_t bytes = 0;
    const bool overflow =
        __builtin_mul_overflow(std::uint64_t{status.f_bavail}, std::uint64_t{status.f_frsize}, &bytes);
    return static_cast<Outcome>(overflow || bytes > kMost ? kMost : bytes);
  }
};

std::string reason(int code) {
  switch (code) {
    case EINVAL:
    case ENXIO:  // a pipe that nobody reads, or a device that is not there
      return "not a regular file";
    case ELOOP:
      return "a symbolic link is in the way";
    case ESTALE:
      return "the folder was moved, removed or replaced while it was in use";
    case EKEYREVOKED:
      return "another process has taken over, because nothing was heard of this one";
    case EMLINK:
      return "the file has other names (hard links)";
    default:
      return std::generic_category().message(code);
  }
}

const char* advice(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another folder";
    case EFBIG:
      return "raise the limit (ulimit -f), or write where larger files are possible";
    case EACCES:
    case EPERM:
      return "check the permissions of the file and its folder";
    case EROFS:
      return "choose a folder on a writable device";
    case ENOENT:
      return "check the spelling, and that the folder exists";
    case EISDIR:
      return "name a file instead of a folder";
    case ENOTDIR:
      return "a part of the path is a file, not a folder";
    case EINVAL:
    case ENXIO:
      return "name a regular file";
    case ELOOP:
      return "links are not followed here; put a file or folder of its own in its place";
    case ESTALE:
      return "what was saved before is whole, wherever it lies: go on there";
    case EKEYREVOKED:
      return "what was saved before is whole, and the other one goes on with it";
    case EMLINK:
      return "writing here would change the others, too; put a copy in its place";
    case ENAMETOOLONG:
      return "choose a shorter name";
    case EMFILE:
    case ENFILE:
      return "close some files or raise the limit (ulimit -n)";
    case EIO:
      return "the device reports a fault; check it before trying again";
    default:
      return "check the path and try again";
  }
}

}  // namespace

FileSystem& posix_files() {
  static PosixFiles files;
  return files;
}

Error file_error(ErrorKind kind, const std::string& action, const std::filesystem::path& path,
                 FileSystem::Outcome outcome) {
  require(outcome < 0, "file_error: the call succeeded");
  const int code = static_cast<int>(-outcome);
  if (code == ESTALE) kind = ErrorKind::kInputOutput;        // it was there, and work was under way
  if (code == EKEYREVOKED) kind = ErrorKind::kCannotCreate;  // it is somebody else's
  return {kind, fmt::format("cannot {} {}: {}; {}", action, path.string(), reason(code), advice(code))};
}

}  // namespace schemamem
