#pragma once

#include <cerrno>

#include "system/file_lock.h"
#include "system/file_system.h"

namespace schemamem {

/// Files of a locked folder. The lock belongs to the folder that it was taken in, wherever that is moved; paths lead to
/// whatever lies there by now. So every call that changes something by its path first looks whether the lock is still
/// where it was taken, and fails with -ESTALE if not: two runs never write to one path, and a folder that was removed
/// does not come back. What is open already is the folder's own and stays so.
class LockedFiles final : public FileSystem {
 public:
  /// Both must outlive it.
  LockedFiles(FileSystem& files, const FileLock& lock) : files_(files), lock_(lock) {}

  Outcome open(const std::filesystem::path& path, Open how) override {
    const bool changes = how == Open::kCreate || how == Open::kAppend || how == Open::kLock;
    return changes && !lock_.in_place() ? kMoved : files_.open(path, how);
  }
  Outcome rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return lock_.in_place() ? files_.rename(from, to) : kMoved;
  }
  Outcome remove(const std::filesystem::path& path) override { return lock_.in_place() ? files_.remove(path) : kMoved; }
  Outcome make_directory(const std::filesystem::path& path) override {
    return lock_.in_place() ? files_.make_directory(path) : kMoved;
  }
  Outcome regular_size(int handle) override { return files_.regular_size(handle); }
  Outcome read(int handle, std::span<std::byte> bytes) override { return files_.read(handle, bytes); }
  Outcome write(int handle, std::span<const std::byte> bytes) override { return files_.write(handle, bytes); }
  Outcome sync(int handle) override { return files_.sync(handle); }
  Outcome truncate(int handle, std::uint64_t size) override { return files_.truncate(handle, size); }
  Outcome close(int handle) override { return files_.close(handle); }
  Outcome free_space(const std::filesystem::path& path) override { return files_.free_space(path); }

 private:
  static constexpr Outcome kMoved = -ESTALE;

  FileSystem& files_;
  const FileLock& lock_;
};

}  // namespace schemamem
