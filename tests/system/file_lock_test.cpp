#include "system/file_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <thread>

#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

/// A process that takes the lock and then does nothing until it is killed.
class Holder {
 public:
  explicit Holder(const std::filesystem::path& path) {
    std::array<int, 2> ready{};
    require(::pipe(ready.data()) == 0, "Holder: no pipe");
    child_ = ::fork();
    require(child_ >= 0, "Holder: no process");
    if (child_ == 0) {
      const Result<FileLock> lock = FileLock::acquire(path);
      const char answer = lock ? 'y' : 'n';
      if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char answer = 'n';
    require(::read(ready[0], &answer, 1) == 1 && answer == 'y', "Holder: the lock was refused");
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { kill(); }

  pid_t process() const { return child_; }
  void kill() {
    if (child_ == 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
};

TEST(FileLock, WhoHoldsItCanBeAskedWithoutTakingIt) {
  const TemporaryFolder folder;
  EXPECT_EQ(FileLock::holder_of(folder / "lock"), std::nullopt);
  Holder holder(folder / "lock");
  EXPECT_THAT(FileLock::holder_of(folder / "lock").value_or("nobody"),
              HasSubstr("process " + std::to_string(holder.process())));
  holder.kill();
  EXPECT_EQ(FileLock::holder_of(folder / "lock"), std::nullopt);
  EXPECT_TRUE(FileLock::acquire(folder / "lock"));
}

TEST(FileLock, ASecondProcessIsRefusedAtOnceAndToldWhoHoldsIt) {
  const TemporaryFolder folder;
  const Holder holder(folder / "lock");

  const Result<FileLock> second = FileLock::acquire(folder / "lock");

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(second.error().message(),
              HasSubstr(folder.path().string() + " is in use by process " + std::to_string(holder.process()) + " on "));
  EXPECT_THAT(second.error().message(),
              MatchesRegex(".* since 20..-..-..T..:..:..Z; wait for it to end, or choose another folder"));
}

TEST(FileLock, ASecondHolderInTheSameProcessIsRefusedToo) {
  const TemporaryFolder folder;
  const Result<FileLock> first = FileLock::acquire(folder / "lock");
  ASSERT_TRUE(first);
  EXPECT_THAT(FileLock::acquire(folder / "lock").error().message(), HasSubstr("process " + std::to_string(::getpid())));
}

TEST(FileLock, DeathReleasesIt) {
  const TemporaryFolder folder;
  Holder holder(folder / "lock");
  ASSERT_FALSE(FileLock::acquire(folder / "lock"));
  holder.kill();
  EXPECT_TRUE(FileLock::acquire(folder / "lock"));
}

TEST(FileLock, OneWithPatienceWaitsForItsRelease) {
  const TemporaryFolder folder;
  std::optional<Holder> holder(folder / "lock");
  std::thread waiting([&] { EXPECT_TRUE(FileLock::acquire(folder / "lock", std::chrono::minutes(1))); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  holder.reset();
  waiting.join();
}

TEST(FileLock, PatienceHasAnEnd) {
  const TemporaryFolder folder;
  const Holder holder(folder / "lock");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(FileLock::acquire(folder / "lock", std::chrono::milliseconds(20)).error().message(),
              HasSubstr("in use by process " + std::to_string(holder.process())));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
}

TEST(FileLock, TheEndOfItsScopeReleasesItAndEmptiesTheFile) {
  const TemporaryFolder folder;
  {
    Result<FileLock> lock = FileLock::acquire(folder / "lock");
    ASSERT_TRUE(lock);
    const FileLock moved = std::move(lock).value();
    EXPECT_FALSE(FileLock::acquire(folder / "lock"));
  }
  EXPECT_EQ(read_text_file(folder / "lock", 100).value(), "");
  EXPECT_TRUE(FileLock::acquire(folder / "lock"));
}

TEST(FileLock, WhatTheFileSaysIsNotTrusted) {
  const TemporaryFolder folder;
  const Holder holder(folder / "lock");
  const auto refusal_when_it_says = [&](const std::string& text) {
    std::filesystem::resize_file(folder / "lock", 0);
    FILE* file = std::fopen((folder / "lock").c_str(), "w");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return FileLock::acquire(folder / "lock").error().message();
  };
  EXPECT_THAT(refusal_when_it_says(""), HasSubstr("in use by another process"));
  EXPECT_THAT(refusal_when_it_says("\x1b[2J"), HasSubstr(R"(in use by \x1b[2J)"));
  EXPECT_LT(refusal_when_it_says(std::string(10'000, 'x')).size(), 400U);
}

TEST(FileLock, AFileWithAnotherNameIsRefusedAndNotEmptied) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "victim", std::string_view("precious\n")));
  std::filesystem::create_hard_link(folder / "victim", folder / "lock");
  const Error error = FileLock::acquire(folder / "lock").error();
  EXPECT_EQ(error.kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(error.message(), HasSubstr("other names (hard links)"));
  EXPECT_EQ(read_text_file(folder / "victim", 100).value(), "precious\n");
}

TEST(FileLock, APipeIsRefusedAndHeldByNobody) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "lock").c_str(), 0600), 0);
  EXPECT_FALSE(FileLock::acquire(folder / "lock"));
  EXPECT_EQ(FileLock::holder_of(folder / "lock"), std::nullopt);
}

TEST(FileLock, AFolderThatDoesNotExistIsNamed) {
  const TemporaryFolder folder;
  const Error error = FileLock::acquire(folder / "none/lock").error();
  EXPECT_EQ(error.kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(error.message(), HasSubstr("none/lock: No such file or directory"));
}

TEST(FileLock, ThatWasMovedAwayOrReplacedIsNotInItsPlace) {
  const TemporaryFolder folder;
  const Result<FileLock> lock = FileLock::acquire(folder / "lock");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->in_place());
  std::filesystem::rename(folder / "lock", folder / "moved");
  EXPECT_FALSE(lock->in_place());
  ASSERT_TRUE(write_file_atomically(folder / "lock", std::string_view("another")));
  EXPECT_FALSE(lock->in_place());
}

}  // namespace
}  // namespace schemamem
