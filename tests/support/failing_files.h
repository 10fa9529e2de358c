#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "system/file_system.h"

namespace schemamem {

/// The real files, for a test that looks at some calls.
class ForwardingFiles : public FileSystem {
 public:
  Outcome open(const std::filesystem::path& path, Open how) override { return posix_files().open(path, how); }
  Outcome regular_size(int handle) override { return posix_files().regular_size(handle); }
  Outcome read(int handle, std::span<std::byte> bytes) override { return posix_files().read(handle, bytes); }
  Outcome write(int handle, std::span<const std::byte> bytes) override { return posix_files().write(handle, bytes); }
  Outcome sync(int handle) override { return posix_files().sync(handle); }
  Outcome truncate(int handle, std::uint64_t size) override { return posix_files().truncate(handle, size); }
  Outcome close(int handle) override { return posix_files().close(handle); }
  Outcome link(const std::filesystem::path& file, const std::filesystem::path& name) override {
    return posix_files().link(file, name);
  }
  Outcome rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return posix_files().rename(from, to);
  }
  Outcome remove(const std::filesystem::path& path) override { return posix_files().remove(path); }
  Outcome make_directory(const std::filesystem::path& path) override { return posix_files().make_directory(path); }
  Outcome free_space(const std::filesystem::path& path) override { return posix_files().free_space(path); }
};

/// The real files, except that the k-th call (from 0) fails with one error, and that writes may come up short. The
/// names of all calls are recorded, to be looked at when no other thread uses it.
class FailingFiles final : public FileSystem {
 public:
  static constexpr std::size_t kNever = ~std::size_t{0};

  FailingFiles(std::size_t fail_at, int error, std::size_t longest_write = kNever)
      : fail_at_(fail_at), error_(error), longest_write_(longest_write) {}

  const std::vector<std::string>& calls() const { return calls_; }
  bool failed() const { return calls_.size() > fail_at_; }

  Outcome open(const std::filesystem::path& path, Open how) override {
    const char* name = how == Open::kCreate ? "create" : how == Open::kDirectory ? "open_directory" : "open";
    return guarded(name, [&] { return posix_files().open(path, how); });
  }
  Outcome regular_size(int handle) override {
    return guarded("regular_size", [&] { return posix_files().regular_size(handle); });
  }
  Outcome read(int handle, std::span<std::byte> bytes) override {
    return guarded("read", [&] { return posix_files().read(handle, bytes); });
  }
  Outcome write(int handle, std::span<const std::byte> bytes) override {
    const auto part = bytes.first(std::min(longest_write_, bytes.size()));
    return guarded("write", [&] { return posix_files().write(handle, part); });
  }
  Outcome sync(int handle) override {
    return guarded("sync", [&] { return posix_files().sync(handle); });
  }
  Outcome truncate(int handle, std::uint64_t size) override {
    return guarded("truncate", [&] { return posix_files().truncate(handle, size); });
  }
  Outcome close(int handle) override {
    const Outcome closed = posix_files().close(handle);  // a failing close frees the handle too
    return guarded("close", [&] { return closed; });
  }
  Outcome link(const std::filesystem::path& file, const std::filesystem::path& name) override {
    return guarded("link", [&] { return posix_files().link(file, name); });
  }
  Outcome rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return guarded("rename", [&] { return posix_files().rename(from, to); });
  }
  Outcome remove(const std::filesystem::path& path) override {
    return guarded("remove", [&] { return posix_files().remove(path); });
  }
  Outcome make_directory(const std::filesystem::path& path) override {
    return guarded("make_directory", [&] { return posix_files().make_directory(path); });
  }
  Outcome free_space(const std::filesystem::path& path) override {
    return guarded("free_space", [&] { return posix_files().free_space(path); });
  }

 private:
  template <class Call>
  Outcome guarded(const char* name, Call call) {
    {
      const std::lock_guard lock(mutex_);
      calls_.emplace_back(name);
      if (calls_.size() - 1 == fail_at_) return -error_;
    }
    return call();
  }

  std::size_t fail_at_;
  int error_;
  std::size_t longest_write_;
  std::mutex mutex_;  // a checkpoint is written by a thread of its own
  std::vector<std::string> calls_;
};

}  // namespace schemamem
