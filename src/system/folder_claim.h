#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "system/claim_watch.h"
#include "system/file_system.h"
#include "system/threads.h"

namespace schemamem {

/// The right to write in a folder, among hosts that share it and perhaps no locks (decision 0026). A claim is a file
/// `claim-<n>` that tells its owner and has a pulse: a thread renews its count. Claims are made by a link, which of
/// several one gets. A claim whose owner is dead is taken over by making the one with the next number, and removing the
/// earlier ones; its owner, if it wakes up, finds its file gone.
///
/// It is kept together with the folder's lock (file_lock.h), which keeps processes of one host apart at no cost.
class FolderClaim {
 public:
  struct Waiting {
    std::chrono::milliseconds beat{5000};
    const StopFlag* stop = nullptr;                          // ends the waiting
    std::function<void(const std::string& who)> watching{};  // told once: whether this owner lives is not known yet
  };
  /// Claims a folder whose lock the caller holds. It is refused (kCannotCreate) while another owner is alive; where
  /// that has to be seen first, this waits for as many of its beats as make it dead.
  static Result<std::unique_ptr<FolderClaim>> take(const std::filesystem::path& folder, const Waiting& waiting,
                                                   FileSystem& files = posix_files());
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;
  /// Gives it back: the file goes.
  ~FolderClaim();

  /// 0 while the claim is this one's; -EKEYREVOKED once it was taken over. Other errors: it cannot be seen.
  FileSystem::Outcome held() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  FolderClaim(std::filesystem::path path, int handle, const ClaimText& text, FileSystem& files);
  /// One more, in place; the file's length stays.
  void beat() const;
  void beat_until_released();

  std::filesystem::path path_;
  int handle_;
  std::size_t digits_at_;
  std::chrono::milliseconds every_;
  FileSystem& files_;
  mutable std::uint64_t beats_ = 0;                     // of whoever beats: the thread, or where there is none
  mutable std::chrono::steady_clock::time_point last_;  // who asks whether the claim is held
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool released_ = false;
  std::thread heart_;
};

}  // namespace schemamem
