#include <fmt/format.h>

#include <cerrno>
#include <utility>

#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Outcome = FileSystem::Outcome;

constexpr int kNone = -1;

}  // namespace

AppendFile::AppendFile(AppendFile&& other) noexcept
    : files_(other.files_),
      path_(std::move(other.path_)),
      handle_(std::exchange(other.handle_, kNone)),
      size_(other.size_) {}

AppendFile::~AppendFile() {
  if (handle_ != kNone) files_->close(handle_);
}

Result<AppendFile> AppendFile::open_whole(const fs::path& path, FileSystem& files) {
  const Outcome handle = files.open(path, FileSystem::Open::kAppend);
  if (handle < 0) return file_error(ErrorKind::kCannotCreate, "open", path, handle);
  AppendFile file(files, path, static_cast<int>(handle), 0);
  const Outcome size = files.regular_size(file.handle_);
  if (size < 0) return file_error(ErrorKind::kCannotCreate, "open", path, size);
  file.size_ = static_cast<std::uint64_t>(size);
  return file;
}

Result<AppendFile> AppendFile::open(const fs::path& path, std::uint64_t keep, FileSystem& files) {
  Result<AppendFile> opened = open_whole(path, files);
  if (!opened) return opened;
  AppendFile& file = opened.value();
  if (file.size_ < keep) {
    return Error(ErrorKind::kBadData,
                 fmt::format("{}: expected at least {} bytes, found {}; the file was cut or replaced", path.string(),
                             keep, file.size_));
  }
  if (const Outcome cut = files.truncate(file.handle_, keep); cut < 0)
    return file_error(ErrorKind::kInputOutput, "cut", path, cut);
  file.size_ = keep;
  return opened;
}

Status AppendFile::write(std::string_view text) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  while (!bytes.empty()) {
    const Outcome count = files_->write(handle_, bytes);
    if (count <= 0) return file_error(ErrorKind::kInputOutput, "write", path_, count < 0 ? count : -EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    size_ += static_cast<std::uint64_t>(count);
  }
  return Done{};
}

Status AppendFile::sync() {
  const Outcome synced = files_->sync(handle_);
  if (synced < 0) return file_error(ErrorKind::kInputOutput, "write", path_, synced);
  return Done{};
}

}  // namespace schemamem
