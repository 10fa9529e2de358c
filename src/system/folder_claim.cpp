#include "system/folder_claim.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Outcome = FileSystem::Outcome;
using Pulse = SeenClaim::Pulse;
using std::chrono::milliseconds;

constexpr milliseconds kShortNap{2}, kLongNap{250};

ClaimText own_text(milliseconds beat) {
  return {.owner = this_process(),
          .since = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
          .taken = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()),
          .beat = beat};
}

Outcome write_whole(FileSystem& files, int handle, std::string_view text) {
  auto bytes = std::as_bytes(std::span(text));
  while (!bytes.empty()) {
    const Outcome count = files.write(handle, bytes);
    if (count <= 0) return count < 0 ? count : -EIO;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return files.sync(handle);
}

bool has_two_names(int handle) {
  struct stat status {};
  return ::fstat(handle, &status) == 0 && status.st_nlink == 2;
}

/// Makes a claim, complete from its first instant; its handle, or -EEXIST if another one was first.
Outcome make_claim(const fs::path& path, const std::string& line, FileSystem& files) {
  const auto temporary = create_temporary(path, files);
  if (temporary.handle < 0) return temporary.handle;
  const int handle = static_cast<int>(temporary.handle);
  Outcome made = write_whole(files, handle, line);
  if (made >= 0) made = files.link(temporary.path, path);
  // A server may have done it and its answer been lost: then the second try says that the name is taken, by us.
  if (made == -EEXIST && has_two_names(handle)) made = 0;
  const bool no_links = made == -EPERM || made == -ENOTSUP || made == -ENOSYS;
  files.remove(temporary.path);  // or whoever cleans the folder
  if (made >= 0) return handle;
  files.close(handle);
  if (!no_links) return made;
  const Outcome created = files.open(path, FileSystem::Open::kCreate);
  if (created < 0) return created;
  const Outcome written = write_whole(files, static_cast<int>(created), line);
  if (written >= 0) return created;
  files.close(static_cast<int>(created));
  files.remove(path);
  return written;
}

/// A disk that is full or fails is no folder in which nothing can be made.
ErrorKind kind_of(Outcome fault) {
  const bool half_way = fault == -EFBIG || fault == -ENOSPC || fault == -EDQUOT || fault == -EIO;
  return half_way ? ErrorKind::kInputOutput : ErrorKind::kCannotCreate;
}

bool same_file(int handle, int other) {
  struct stat held {
  }, found{};
  return ::fstat(handle, &held) == 0 && ::fstat(other, &found) == 0 && held.st_dev == found.st_dev &&
         held.st_ino == found.st_ino;
}

/// Those that are in the way of a claim.
struct Others {
  const SeenClaim* alive = nullptr;
  const SeenClaim* unknown = nullptr;
  std::uint32_t highest = 0;
};
Others judge(const std::vector<SeenClaim>& claims, const ProcessIdentity& self) {
  Others others;
  for (const SeenClaim& claim : claims) {
    others.highest = std::max(others.highest, claim.number);
    if (claim.text.owner == self) continue;  // left by this process: the lock says that it is not at work there
    if (claim.pulse == Pulse::kAlive) others.alive = &claim;
    if (claim.pulse == Pulse::kUnknown) others.unknown = &claim;
  }
  return others;
}

}  // namespace

FolderClaim::FolderClaim(fs::path path, int handle, const ClaimText& text, FileSystem& files)
    : path_(std::move(path)),
      handle_(handle),
      digits_at_(text.line().size() - kClaimDigits - kClaimEnd),
      every_(text.beat),
      files_(files),
      last_(Clock::now()) {
  try {
    heart_ = std::thread([this] { beat_until_released(); });
  } catch (const std::system_error&) {
    // No thread is to be had: whoever asks whether the claim is held renews it.
  }
}

FolderClaim::~FolderClaim() {
  {
    const std::lock_guard lock(mutex_);
    released_ = true;
  }
  wake_.notify_all();
  if (heart_.joinable()) heart_.join();
  if (held() == 0) files_.remove(path_);
  ::close(handle_);
}

void FolderClaim::beat() const {
  const std::string digits = fmt::format("{:0{}}", ++beats_, kClaimDigits);
  // A beat that fails is one that is not heard; too many of them, and the claim is found to be lost.
  if (::pwrite(handle_, digits.data(), digits.size(), static_cast<off_t>(digits_at_)) < 0) return;
  ::fdatasync(handle_);
}

void FolderClaim::beat_until_released() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, every_, [this] { return released_; })) {
    lock.unlock();
    beat();
    lock.lock();
  }
}

Outcome FolderClaim::held() const {
  if (!heart_.joinable()) {
    const std::lock_guard lock(mutex_);
    if (!released_ && Clock::now() - last_ >= every_) {
      last_ = Clock::now();
      beat();
    }
  }
  // Opening a file asks its server; looking at its name may not.
  const int found = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (found < 0) return errno == ENOENT || errno == ESTALE || errno == ELOOP ? -EKEYREVOKED : -errno;
  const bool own = same_file(handle_, found);
  ::close(found);
  return own ? 0 : -EKEYREVOKED;
}

Result<std::unique_ptr<FolderClaim>> FolderClaim::take(const fs::path& folder, const Waiting& waiting,
                                                       FileSystem& files) {
  ClaimWatch watch(folder);
  const ProcessIdentity self = this_process();
  bool told = false;
  for (;; std::this_thread::sleep_for(kShortNap)) {
    const auto claims = watch.look();
    if (!claims) return claims.error();
    const Others others = judge(*claims, self);
    if (others.alive != nullptr) {
      return Error(ErrorKind::kCannotCreate,
                   fmt::format("{} is in use by {}; wait for it to end, or choose another folder", folder.string(),
                               others.alive->text.who()));
    }
    if (others.unknown != nullptr) {
      if (waiting.stop != nullptr && waiting.stop->load()) {
        return Error(ErrorKind::kInterrupted,
                     fmt::format("stopped on request, before anything was done in {}", folder.string()));
      }
      if (!std::exchange(told, true) && waiting.watching) waiting.watching(others.unknown->text.who());
      std::this_thread::sleep_for(std::min(others.unknown->text.beat / 4, kLongNap));
      continue;
    }
    const ClaimText text = own_text(waiting.beat);
    const fs::path path = folder / claim_name(others.highest + 1);
    const Outcome handle = make_claim(path, text.line(), files);
    if (handle == -EEXIST) continue;
    if (handle < 0) return file_error(kind_of(handle), "claim the folder with", path, handle);
    const auto withdraw = [&] {
      files.remove(path);
      files.close(static_cast<int>(handle));
    };
    // Whoever looks last sees every claim that was made before: one with a higher number, or one that was not judged,
    // and both go back to the beginning, or one does.
    const auto again = ClaimWatch(folder).look();
    if (!again) {
      withdraw();
      return again.error();
    }
    const auto is_judged = [&](const SeenClaim& claim) {
      return std::any_of(claims->begin(), claims->end(), [&](const SeenClaim& dead) {
        return dead.number == claim.number && dead.text.owner == claim.text.owner &&
               dead.text.taken == claim.text.taken;
      });
    };
    const bool first = std::all_of(again->begin(), again->end(), [&](const SeenClaim& claim) {
      return claim.number == others.highest + 1 || (claim.number <= others.highest && is_judged(claim));
    });
    if (!first) {
      withdraw();
      continue;
    }
    for (const SeenClaim& dead : *again) {
      if (dead.number > others.highest) continue;
      const fs::path left = folder / claim_name(dead.number);
      const Outcome removed = files.remove(left);
      if (removed >= 0 || removed == -ENOENT) continue;
      withdraw();
      return file_error(ErrorKind::kInputOutput, "remove the claim", left, removed);
    }
    return std::unique_ptr<FolderClaim>(new FolderClaim(path, static_cast<int>(handle), text, files));
  }
}

}  // namespace schemamem
