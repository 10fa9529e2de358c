#include "system/locked_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Locked : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(run()); }
  fs::path run() const { return folder_ / "run"; }

  TemporaryFolder folder_;
};

TEST_F(Locked, FilesAreWrittenWhileTheLockIsInItsPlace) {
  const auto lock = FileLock::acquire(run() / "lock");
  ASSERT_TRUE(lock);
  LockedFiles files(posix_files(), *lock);
  EXPECT_TRUE(write_file_atomically(run() / "a", std::string_view("a"), files));
  EXPECT_TRUE(make_directories_in(run(), "b", files));
}

TEST_F(Locked, NothingIsWrittenByPathOnceTheFolderWasMovedRemovedOrReplaced) {
  for (const bool replaced : {false, true}) {
    auto lock = FileLock::acquire(run() / "lock");
    ASSERT_TRUE(lock);
    LockedFiles files(posix_files(), *lock);
    auto begun = AtomicFile::create(run() / "begun", files);
    ASSERT_TRUE(begun);
    auto log = AppendFile::open(run() / "log", 0, files);
    ASSERT_TRUE(log);
    fs::rename(run(), folder_ / "moved");
    if (replaced) {
      fs::create_directories(run());
      EXPECT_TRUE(FileLock::acquire(run() / "lock")) << "another process at the same path";
    }
    EXPECT_FALSE(lock->in_place());
    const Status written = write_file_atomically(run() / "a", std::string_view("a"), files);
    ASSERT_FALSE(written);
    EXPECT_THAT(written.error().message(), HasSubstr("the folder was moved, removed or replaced while it was in use"));
    EXPECT_FALSE(begun.value().commit());
    EXPECT_FALSE(make_directories_in(run(), "checkpoints", files));
    EXPECT_EQ(fs::exists(run()), replaced);
    if (replaced) {
      EXPECT_EQ(list_directory(run()).value(), (std::vector<std::string>{"lock"}));
    }
    EXPECT_TRUE(log.value().write("still its own\n")) << "what was open stays the folder's own";
    EXPECT_EQ(read_text_file(folder_ / "moved" / "log", 100).value(), "still its own\n");
    fs::remove_all(folder_ / "moved");
    fs::create_directories(run());
  }
}

TEST_F(Locked, ALockFileThatWasRemovedIsNoLongerInPlace) {
  const auto lock = FileLock::acquire(run() / "lock");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(lock->in_place());
  fs::remove(run() / "lock");
  EXPECT_FALSE(lock->in_place());
  EXPECT_TRUE(FileLock::acquire(run() / "lock"));
  EXPECT_FALSE(lock->in_place());
}

}  // namespace
}  // namespace schemamem
