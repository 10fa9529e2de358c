#include "system/folder_claim.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <set>
#include <thread>

#include "support/claims.h"
#include "support/failing_files.h"
#include "support/temporary_folder.h"
#include "system/files.h"
#include "system/locked_files.h"

namespace schemamem {
namespace {

using std::chrono::milliseconds;
using test::claim_of_another_host;
using test::put_claim;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

constexpr milliseconds kQuick{20};

Result<std::unique_ptr<FolderClaim>> take(const std::filesystem::path& folder, FileSystem& files = posix_files()) {
  return FolderClaim::take(folder, {.beat = kQuick}, files);
}
std::vector<std::string> names(const std::filesystem::path& folder) { return list_directory(folder).value(); }

/// A process of this host that claims the folder and then does nothing, or beats, until it is killed.
class Owner {
 public:
  explicit Owner(const std::filesystem::path& folder) {
    std::array<int, 2> ready{};
    require(::pipe(ready.data()) == 0, "Owner: no pipe");
    child_ = ::fork();
    require(child_ >= 0, "Owner: no process");
    if (child_ == 0) {
      const auto claim = take(folder);
      const char answer = claim ? 'y' : 'n';
      if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char answer = 'n';
    require(::read(ready[0], &answer, 1) == 1 && answer == 'y', "Owner: the claim was refused");
    ::close(ready[0]);
    ::close(ready[1]);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { kill(); }
  void kill() {
    if (child_ == 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  pid_t process() const { return child_; }

 private:
  pid_t child_ = 0;
};

TEST(FolderClaim, IsAFileWhileItIsHeldAndGoneAfterwards) {
  const TemporaryFolder folder;
  {
    const auto claim = take(folder.path());
    ASSERT_TRUE(claim);
    EXPECT_EQ((*claim)->held(), 0);
    EXPECT_THAT(names(folder.path()), ElementsAre("claim-1"));
    EXPECT_EQ(parse_claim(read_text_file(folder / "claim-1", 4096).value(), "c").value().owner, this_process());
  }
  EXPECT_THAT(names(folder.path()), IsEmpty());
}

TEST(FolderClaim, OfALivingProcessIsRefusedAndNamed) {
  const TemporaryFolder folder;
  const Owner owner(folder.path());
  const auto second = take(folder.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(second.error().message(),
              AllOf(HasSubstr(fmt::format("in use by process {} on {}", owner.process(), host_name())),
                    HasSubstr("choose another folder")));
}

TEST(FolderClaim, OfAKilledProcessOfThisHostIsTakenOverAtOnce) {
  const TemporaryFolder folder;
  Owner owner(folder.path());
  owner.kill();
  const auto begin = std::chrono::steady_clock::now();
  const auto second = take(folder.path());
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kSilentBeats * kQuick);
  EXPECT_THAT(names(folder.path()), ElementsAre("claim-2"));
}

TEST(FolderClaim, OfAProcessWhoseNumberAnotherOneHasByNowIsTakenOver) {
  const TemporaryFolder folder;
  const Owner other(folder.path());
  ClaimText text = parse_claim(read_text_file(folder / "claim-1", 4096).value(), "c").value();
  ++text.owner.start;
  put_claim(folder.path(), 1, text.line());
  EXPECT_TRUE(take(folder.path()));
}

TEST(FolderClaim, OfAnotherHostIsTakenOverOnceItWasSilentForItsBeatsByOurClock) {
  const TemporaryFolder folder;
  put_claim(folder.path(), 1, claim_of_another_host().line());
  std::string watched;
  const auto begin = std::chrono::steady_clock::now();
  const auto claim =
      FolderClaim::take(folder.path(), {.beat = kQuick, .watching = [&](const std::string& who) { watched = who; }});
  ASSERT_TRUE(claim) << claim.error().message();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, kSilentBeats * kQuick);
  EXPECT_THAT(watched, HasSubstr(" on elsewhere since 2026-01-31T12:00:00Z"));
  EXPECT_THAT(names(folder.path()), ElementsAre("claim-2"));
}

TEST(FolderClaim, OfAnotherHostThatBeatsIsRefused) {
  const TemporaryFolder folder;
  ClaimText text = claim_of_another_host();
  text.beat = milliseconds(200);
  put_claim(folder.path(), 1, text.line());
  std::thread heart([&] {
    for (int i = 0; i < 4; ++i, ++text.beats) {
      std::this_thread::sleep_for(milliseconds(50));
      ASSERT_TRUE(write_file_atomically(folder / "claim-1", text.line()));
    }
  });
  const auto refused = take(folder.path());
  heart.join();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("on elsewhere"));
}

TEST(FolderClaim, ARequestToStopEndsTheWaiting) {
  const TemporaryFolder folder;
  ClaimText text = claim_of_another_host();
  text.beat = milliseconds(10'000);
  put_claim(folder.path(), 1, text.line());
  const StopFlag stop{true};
  EXPECT_EQ(FolderClaim::take(folder.path(), {.beat = kQuick, .stop = &stop}).error().kind(), ErrorKind::kInterrupted);
  EXPECT_THAT(names(folder.path()), ElementsAre("claim-1"));
}

TEST(FolderClaim, BeatsInPlaceAndIsSeenAlive) {
  const TemporaryFolder folder;
  const auto claim = take(folder.path());
  ASSERT_TRUE(claim);
  const std::string before = read_text_file(folder / "claim-1", 4096).value();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::string after = before;
  while (after == before && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kQuick);
    after = read_text_file(folder / "claim-1", 4096).value();
  }
  ASSERT_EQ(after.size(), before.size());
  ClaimText renewed = parse_claim(after, "c").value();
  EXPECT_GT(renewed.beats, 0U);
  renewed.beats = 0;
  EXPECT_EQ(renewed, parse_claim(before, "c").value());
}

TEST(FolderClaim, ThatWasTakenOverIsNotHeldAndWritesNothingMore) {
  const TemporaryFolder folder;
  const auto lock = FileLock::acquire(folder / "lock");
  auto claim = take(folder.path());
  ASSERT_TRUE(lock && claim);
  LockedFiles files(posix_files(), *lock, claim->get());
  auto log = AppendFile::open(folder / "log", 0, files);
  ASSERT_TRUE(log.value().write("mine\n"));
  std::filesystem::remove(folder / "claim-1");
  put_claim(folder.path(), 2, claim_of_another_host().line());

  EXPECT_EQ((*claim)->held(), -EKEYREVOKED);
  const Status written = log.value().write("not mine\n");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(written.error().message(), HasSubstr("another process has taken over"));
  EXPECT_FALSE(write_file_atomically(folder / "a", std::string_view("a"), files));
  claim.value().reset();
  EXPECT_THAT(names(folder.path()), ElementsAre("claim-2", "lock", "log")) << "the other one's claim stays";
  EXPECT_EQ(read_text_file(folder / "log", 100).value(), "mine\n");
}

TEST(FolderClaim, OfSeveralProcessesThatFindADeadOneExactlyOneTakesIt) {
  const TemporaryFolder folder;
  for (int round = 0; round < 25; ++round) {
    ClaimText dead = claim_of_another_host();
    dead.owner.host = host_name();
    dead.owner.start += 1;
    put_claim(folder.path(), 1, dead.line());
    std::array<int, 2> go{}, told{};
    ASSERT_EQ(::pipe(go.data()), 0);
    ASSERT_EQ(::pipe(told.data()), 0);
    std::vector<pid_t> takers;
    for (int i = 0; i < 6; ++i) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) {
        ::close(go[1]);
        char nothing = 0;
        [[maybe_unused]] const ssize_t ended = ::read(go[0], &nothing, 1);  // all begin when the pipe is closed
        const auto claim = take(folder.path());
        const char answer = claim && (*claim)->held() == 0 ? 'y' : 'n';
        [[maybe_unused]] const ssize_t told_bytes = ::write(told[1], &answer, 1);
        for (;;) ::pause();
      }
      takers.push_back(child);
    }
    ::close(go[0]);
    ::close(go[1]);
    std::string answers(takers.size(), '?');
    for (char& answer : answers) ASSERT_EQ(::read(told[0], &answer, 1), 1);
    EXPECT_EQ(std::count(answers.begin(), answers.end(), 'y'), 1) << "round " << round;
    EXPECT_EQ(names(folder.path()).size(), 1U);
    for (const pid_t taker : takers) {
      ::kill(taker, SIGKILL);
      ::waitpid(taker, nullptr, 0);
    }
    ::close(told[0]);
    ::close(told[1]);
    for (const std::string& name : names(folder.path())) std::filesystem::remove(folder / name);
  }
}

TEST(FolderClaim, WhateverCallFailsNothingIsClaimedByHalf) {
  const TemporaryFolder folder(memory_folder());
  std::set<std::string> failed;
  for (std::size_t k = 0;; ++k) {
    ClaimText dead = claim_of_another_host();
    dead.owner.host = host_name();
    dead.owner.start += 1;
    put_claim(folder.path(), 1, dead.line());
    FailingFiles files(k, EIO);
    {
      const auto claim = take(folder.path(), files);
      if (claim) {
        EXPECT_EQ((*claim)->held(), 0) << k;
      } else {
        EXPECT_THAT(claim.error().message(), HasSubstr(folder.path().string())) << k;
      }
    }
    if (!files.failed()) break;
    failed.insert(files.calls()[k]);
    const auto healed = take(folder.path());
    ASSERT_TRUE(healed) << k << ' ' << files.calls()[k] << ": " << healed.error().message();
    ASSERT_TRUE(remove_temporaries(folder.path())) << "as a run does";
  }
  EXPECT_THAT(failed, IsSupersetOf({"create", "write", "sync", "link", "remove"}));
}

/// A file system without hard links, as there are.
class NoLinks final : public ForwardingFiles {
 public:
  Outcome link(const std::filesystem::path&, const std::filesystem::path&) override { return -EPERM; }
};

TEST(FolderClaim, IsMadeWithoutLinksWhereThereAreNone) {
  const TemporaryFolder folder;
  NoLinks files;
  const auto claim = take(folder.path(), files);
  ASSERT_TRUE(claim) << claim.error().message();
  EXPECT_EQ((*claim)->held(), 0);
  EXPECT_THAT(names(folder.path()), ElementsAre("claim-1"));
}

TEST(FolderClaim, AFileOfThatNameThatIsNoneIsBadData) {
  for (const std::string& text :
       {std::string("x"), std::string("{}"), std::string(5000, ' '), claim_of_another_host().line() + "{}",
        std::string(R"({"format":1,"host":"a","boot":"b","processes":"c","process":1,"start":1,"since":"x","taken":1,)"
                    R"("beat_ms":999999999,"beats":"000000000000"})"),
        std::string(R"({"format":1,"host":"a","boot":"b","processes":"c","process":1,"start":1,"since":"x","taken":1,)"
                    R"("beat_ms":5000,"beats":"-1"})")}) {
    const TemporaryFolder folder;
    put_claim(folder.path(), 1, text);
    const auto claim = take(folder.path());
    ASSERT_FALSE(claim) << text;
    EXPECT_EQ(claim.error().kind(), ErrorKind::kBadData) << text;
    EXPECT_THAT(claim.error().message(), HasSubstr("claim-1")) << text;
  }
}

TEST(FolderClaim, WhatItsFileSaysIsEscapedWhereItIsShown) {
  ClaimText text = claim_of_another_host();
  text.owner.host = "\x1b[2J";
  EXPECT_THAT(text.who(), HasSubstr(R"(on \x1b[2J since)"));
}

TEST(ProcessIdentity, IsAliveUntilItEndsAndUnknownElsewhere) {
  const ProcessIdentity self = this_process();
  EXPECT_EQ(is_alive(self), true);
  for (const auto field : {&ProcessIdentity::host, &ProcessIdentity::boot, &ProcessIdentity::processes}) {
    ProcessIdentity other = self;
    other.*field = "another";
    EXPECT_EQ(is_alive(other), std::nullopt);
  }
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  ProcessIdentity ended = self;
  ended.process = child;
  EXPECT_EQ(is_alive(ended), false) << "nobody has asked yet how it ended";
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(is_alive(ended), false);
}

}  // namespace
}  // namespace schemamem
