#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace schemamem {

/// The right to write in a folder, held through one file in it. The operating system takes it back when the process
/// ends, however it ends, so that a lock is never stale. It is advisory: it keeps out only who asks for it.
///
/// The file says who holds it (process, host, since when) and stays, empty, after the release: removing it would let
/// two processes lock two files of one name.
class FileLock {
 public:
  /// Takes the lock, or refuses if it is still held after `patience`; the message names the holder.
  static Result<FileLock> acquire(const std::filesystem::path& path,
                                  std::chrono::milliseconds patience = std::chrono::milliseconds(0));
  /// Who holds the lock, nothing if nobody does. Looking is no taking: it never makes another process be refused.
  static std::optional<std::string> holder_of(const std::filesystem::path& path);
  /// Whether the file that was locked still lies at its path: not when it, or the folder around it, was moved, removed
  /// or replaced since. Then another process may hold the lock of what lies there.
  bool in_place() const;
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  ~FileLock();

 private:
  FileLock(int handle, std::filesystem::path path) : handle_(handle), path_(std::move(path)) {}

  int handle_;
  std::filesystem::path path_;
};

}  // namespace schemamem
