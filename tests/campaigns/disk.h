#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"
#include "system/file_system.h"

namespace schemamem::campaign {

/// Something that a program did to a disk.
struct DiskCall {
  enum class Kind { kCreate, kWrite, kTruncate, kSync, kSyncFolder, kLink, kRename, kRemove, kMakeFolder };

  Kind kind = Kind::kSync;
  int file = -1;                       // of creates, writes, truncates and syncs
  std::filesystem::path path{}, to{};  // of names; below the recorded folder
  std::string bytes{};                 // of a write
  std::uint64_t size = 0;              // of a truncate
};

/// The real files, and a record of everything that changes them, in the order in which it happened.
class RecordingFiles final : public FileSystem {
 public:
  explicit RecordingFiles(std::filesystem::path root) : root_(std::move(root)) {}

  const std::vector<DiskCall>& calls() const { return calls_; }

  Outcome open(const std::filesystem::path& path, Open how) override;
  Outcome regular_size(int handle) override { return posix_files().regular_size(handle); }
  Outcome read(int handle, std::span<std::byte> bytes) override { return posix_files().read(handle, bytes); }
  Outcome write(int handle, std::span<const std::byte> bytes) override;
  Outcome sync(int handle) override;
  Outcome truncate(int handle, std::uint64_t size) override;
  Outcome close(int handle) override { return posix_files().close(handle); }
  Outcome link(const std::filesystem::path& file, const std::filesystem::path& name) override;
  Outcome rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Outcome remove(const std::filesystem::path& path) override;
  Outcome make_directory(const std::filesystem::path& path) override;
  Outcome free_space(const std::filesystem::path& path) override { return posix_files().free_space(path); }

 private:
  std::filesystem::path inside(const std::filesystem::path& path) const {
    const std::filesystem::path relative = path.lexically_relative(root_);
    return relative == "." ? std::filesystem::path() : relative;
  }
  /// Does and records under one lock, so that the record has the order of the deeds.
  template <class Deed>
  Outcome recorded(Deed deed, DiskCall call);

  std::filesystem::path root_;
  std::mutex mutex_;  // a checkpoint is written by a thread of its own
  std::vector<DiskCall> calls_;
  std::map<int, int> files_;                      // by handle
  std::map<int, std::filesystem::path> folders_;  // by handle
  std::map<std::filesystem::path, int> names_;    // the files that there are
  int made_ = 0;
};

/// What may lie on a disk after the power went: folders, and files by name.
struct DiskImage {
  std::set<std::filesystem::path> folders{};
  std::map<std::filesystem::path, std::string> files{};

  void write_to(const std::filesystem::path& folder) const;
  std::string fingerprint() const;
};

/// A disk that keeps what was synced and, of the rest, whatever it likes (docs/trust.md, "Power loss"):
///   - of a file's unsynced writes any number of the first ones, the next one torn; or all of the length, as zeros;
///   - of the unsynced changes of names any subset in which each change has those before it that touch the same names,
///     a folder is removed after what was in it, and nothing lies in a folder that is not there.
/// A sync of a file keeps its content and not its name; a sync of a folder keeps the names in it.
class Disk {
 public:
  void apply(const DiskCall& call);
  /// Every subset of names with every fate of every file's bytes, or, above `most`, so many drawn at random.
  std::vector<DiskImage> images(std::size_t most, Rng& rng) const;

 private:
  struct File {
    std::string durable;
    std::vector<DiskCall> pending;
  };
  using Names = std::map<std::filesystem::path, int>;  // kFolder for a folder
  static constexpr int kFolder = -2;

  static void change(Names& names, const DiskCall& call);
  static bool depends(const DiskCall& later, const DiskCall& earlier);
  static std::string content(const File& file, std::size_t fate);
  static std::size_t fates(const File& file);
  std::vector<Names> possible_names(std::size_t most, Rng& rng) const;

  std::map<int, File> files_;
  Names names_;                    // durable
  std::vector<DiskCall> pending_;  // changes of names that are not
};

}  // namespace schemamem::campaign
