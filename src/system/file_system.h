#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"

namespace schemamem {

/// The few calls through which the project touches files. Tests replace them to fail the k-th one. Each call returns
/// its result (zero or more) or the negated errno.
class FileSystem {
 public:
  using Outcome = std::int64_t;
  enum class Open {
    kRead,       // an existing file or folder
    kCreate,     // for writing; it must not exist yet
    kDirectory,  // a folder, to be synced
    kAppend,     // for writing at its end; made if it does not exist; a file of its own, see below
    kLock,       // the same for reading and writing
  };

  virtual ~FileSystem() = default;

  /// Returns a handle for the calls below. Opening never waits, whatever lies at the path.
  ///
  /// A file that is changed in place must be the path's own: through a link, a folder that somebody else has made could
  /// lead the writing to any file of the user. Refused are a symbolic link (-ELOOP), a file with a second name
  /// (-EMLINK), and what is no regular file (-EISDIR, -EINVAL).
  virtual Outcome open(const std::filesystem::path& path, Open how) = 0;
  /// The size of a regular file; -EISDIR for a folder, -EINVAL for anything else.
  virtual Outcome regular_size(int handle) = 0;
  /// Reads or writes at most all of `bytes`; returns how many.
  virtual Outcome read(int handle, std::span<std::byte> bytes) = 0;
  virtual Outcome write(int handle, std::span<const std::byte> bytes) = 0;
  virtual Outcome sync(int handle) = 0;
  /// Cuts a file to its first `size` bytes.
  virtual Outcome truncate(int handle, std::uint64_t size) = 0;
  /// The handle is gone even when this fails.
  virtual Outcome close(int handle) = 0;
  /// Gives a file a second name; -EEXIST if that is taken. Of several who try, one succeeds, on NFS too.
  virtual Outcome link(const std::filesystem::path& file, const std::filesystem::path& name) = 0;
  virtual Outcome rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual Outcome remove(const std::filesystem::path& path) = 0;
  virtual Outcome make_directory(const std::filesystem::path& path) = 0;
  /// Bytes that this user may still write on the device of `path`.
  virtual Outcome free_space(const std::filesystem::path& path) = 0;
};

/// The operating system's files. It holds no state.
FileSystem& posix_files();

/// "cannot <action> <path>: <reason>; <what to do next>" for a negated errno.
Error file_error(ErrorKind kind, const std::string& action, const std::filesystem::path& path,
                 FileSystem::Outcome outcome);

}  // namespace schemamem
