#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "system/file_system.h"

namespace schemamem {

/// A whole regular file in owned memory. A file longer than `most` bytes is refused before anything is read (bad data);
/// one that cannot be opened is a missing input.
Result<Buffer<std::byte>> read_file(const std::filesystem::path& path, std::uint64_t most,
                                    FileSystem& files = posix_files());
/// Looks at how a file begins, and at the size of the whole, before the rest is read.
struct FrontJudge {
  std::size_t bytes = 0;  // how many it wants to see; fewer of a shorter file
  std::function<Status(std::span<const std::byte> front, std::uint64_t size)> judge;
};
/// A whole file, unless its beginning is refused: then the rest is not read and takes no memory.
Result<Buffer<std::byte>> read_judged_file(const std::filesystem::path& path, std::uint64_t most,
                                           const FrontJudge& front, FileSystem& files = posix_files());
/// The same as text, for configurations and records; the bytes are not checked.
Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t most,
                                   FileSystem& files = posix_files());

/// The last `most` bytes of a regular file that may grow meanwhile, or all of it if it is shorter; nothing if there is
/// no file. Anything else, such as a pipe or a device, is refused without waiting for it (bad data).
Result<std::optional<std::string>> read_tail(const std::filesystem::path& path, std::uint64_t most);

/// True only where there certainly is nothing of this name, not even a link that leads nowhere. An error on the way (a
/// folder that may not be searched, a circle of links, a failing device) is no absence: whoever opens the file is told.
bool is_absent(const std::filesystem::path& path);

/// A file beside another one, of a name that says that it does not stay (`remove_temporaries`), opened for writing; or
/// the negated errno as its handle.
struct TemporaryFile {
  std::filesystem::path path;
  FileSystem::Outcome handle = 0;
};
TemporaryFile create_temporary(const std::filesystem::path& beside, FileSystem& files = posix_files());

/// A file that is complete or absent. What is written goes to a temporary file in the same folder; commit() syncs it,
/// renames it over `path` and syncs the folder. Until the rename an earlier file is untouched, whatever fails; without
/// a commit the temporary file is removed. A symbolic link at `path` is replaced, not followed.
///
/// A failure to sync the folder is an error although the complete file is already in its place: it may not survive a
/// power cut.
class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::filesystem::path& path, FileSystem& files = posix_files());
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  /// After a failure every later write and the commit fail as well.
  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  /// Once, at the end.
  Status commit();

 private:
  AtomicFile(FileSystem& files, std::filesystem::path path, std::filesystem::path temporary, int handle);
  Error failed(const char* action, FileSystem::Outcome outcome);
  void discard();

  FileSystem* files_;
  std::filesystem::path path_, temporary_;
  int handle_;  // kNone once closed or moved from
};

/// A file that grows by whole lines: a log. What was written before the last sync() survives a power cut. It is a
/// regular file with one name: links are refused, since they could lead anywhere (FileSystem::open).
class AppendFile {
 public:
  /// Opens or makes the file and cuts it to its first `keep` bytes. A file that is shorter is bad data.
  static Result<AppendFile> open(const std::filesystem::path& path, std::uint64_t keep,
                                 FileSystem& files = posix_files());
  /// The same, and keeps all of it.
  static Result<AppendFile> open_whole(const std::filesystem::path& path, FileSystem& files = posix_files());
  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile();

  Status write(std::string_view text);
  Status sync();
  std::uint64_t size() const { return size_; }

 private:
  AppendFile(FileSystem& files, std::filesystem::path path, int handle, std::uint64_t size)
      : files_(&files), path_(std::move(path)), handle_(handle), size_(size) {}

  FileSystem* files_;
  std::filesystem::path path_;
  int handle_;
  std::uint64_t size_;
};

Status write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes,
                             FileSystem& files = posix_files());
Status write_file_atomically(const std::filesystem::path& path, std::string_view text,
                             FileSystem& files = posix_files());
Status write_file_atomically(const std::filesystem::path& path, std::span<const std::span<const std::byte>> pieces,
                             FileSystem& files = posix_files());

/// Makes the folder and its parents; each is synced into its parent, so that it survives a power cut.
Status make_directories(const std::filesystem::path& path, FileSystem& files = posix_files());
/// The same for `below`, a relative path inside the folder `root`. That folder must be there, since one that was
/// removed is not to come back half, and what is below it must be folders, not links, so that all that is written stays
/// in it.
Status make_directories_in(const std::filesystem::path& root, const std::filesystem::path& below,
                           FileSystem& files = posix_files());
/// Makes the entries of a folder survive a power cut.
Status sync_directory(const std::filesystem::path& path, FileSystem& files = posix_files());
/// The names in a folder, sorted, without temporary files of this module.
Result<std::vector<std::string>> list_directory(const std::filesystem::path& path);
/// Removes what killed writers left behind. Only for who holds the folder's lock (file_lock.h): a living writer's
/// temporary file would go too.
Status remove_temporaries(const std::filesystem::path& directory, FileSystem& files = posix_files());
/// Bytes that this user may still write on the device of `path`.
Result<std::uint64_t> free_space(const std::filesystem::path& path, FileSystem& files = posix_files());

}  // namespace schemamem
