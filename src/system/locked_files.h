#pragma once

#include <cerrno>

#include "system/file_lock.h"
#include "system/file_system.h"
#include "system/folder_claim.h"

namespace schemamem {

/// Files of a locked folder. The lock belongs to the folder that it was taken in, wherever that is moved; paths lead to
/// whatever lies there by now. So every call that changes something by its path first looks whether the lock is still
/// where it was taken, and fails with -ESTALE if not: two runs never write to one path, and a folder that was removed
/// does not come back. What is open already is the folder's own and stays so.
///
/// With a claim, every change of names or bytes first looks whether another host has taken the folder over, and fails
/// with -EKEYREVOKED if so.
class LockedFiles final : public FileSystem {
 public:
  /// All must outlive it.
  LockedFiles(FileSystem& files, const FileLock& lock, const FolderClaim* claim = nullptr)
      : files_(files), lock_(lock), claim_(claim) {}

  Outcome open(const std::filesystem::path& path, Open how) override {
    const bool changes = how == Open::kCreate || how == Open::kAppend || how == Open::kLock;
    if (!changes) return files_.open(path, how);
    return if_ours([&] { return files_.open(path, how); });
  }
  Outcome link(const std::filesystem::path& file, const std::filesystem::path& name) override {
    return if_ours([&] { return files_.link(file, name); });
  }
  Outcome rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return if_ours([&] { return files_.rename(from, to); });
  }
  Outcome remove(const std::filesystem::path& path) override {
    return if_ours([&] { return files_.remove(path); });
  }
  Outcome make_directory(const std::filesystem::path& path) override {
    return if_ours([&] { return files_.make_directory(path); });
  }
  Outcome write(int handle, std::span<const std::byte> bytes) override {
    return if_not_taken([&] { return files_.write(handle, bytes); });
  }
  Outcome truncate(int handle, std::uint64_t size) override {
    return if_not_taken([&] { return files_.truncate(handle, size); });
  }
  Outcome regular_size(int handle) override { return files_.regular_size(handle); }
  Outcome read(int handle, std::span<std::byte> bytes) override { return files_.read(handle, bytes); }
  Outcome sync(int handle) override { return files_.sync(handle); }
  Outcome close(int handle) override { return files_.close(handle); }
  Outcome free_space(const std::filesystem::path& path) override { return files_.free_space(path); }

 private:
  static constexpr Outcome kMoved = -ESTALE;

  template <class Change>
  Outcome if_ours(Change change) {
    return lock_.in_place() ? if_not_taken(change) : kMoved;
  }
  template <class Change>
  Outcome if_not_taken(Change change) {
    if (claim_ == nullptr) return change();
    const Outcome held = claim_->held();
    // A folder that was moved has taken its claim along, and what is open in it.
    return held >= 0 || !lock_.in_place() ? change() : held;
  }

  FileSystem& files_;
  const FileLock& lock_;
  const FolderClaim* claim_;
};

}  // namespace schemamem
