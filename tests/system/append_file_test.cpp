#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "support/failing_files.h"
#include "support/temporary_folder.h"
#include "system/files.h"

namespace schemamem {
namespace {

TEST(AppendFile, GrowsByWhatIsWrittenAndIsCutToWhatIsKept) {
  const TemporaryFolder folder;
  {
    auto file = AppendFile::open(folder / "log", 0);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file.value().write("one\ntwo\n"));
    ASSERT_TRUE(file.value().sync());
    EXPECT_EQ(file->size(), 8U);
  }
  auto file = AppendFile::open(folder / "log", 4);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file.value().write("three\n"));
  EXPECT_EQ(read_text_file(folder / "log", 100).value(), "one\nthree\n");
}

TEST(AppendFile, AWholeFileIsKeptAndGrows) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "log", std::string_view("one\n")));
  auto file = AppendFile::open_whole(folder / "log");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 4U);
  ASSERT_TRUE(file.value().write("two\n"));
  EXPECT_EQ(read_text_file(folder / "log", 100).value(), "one\ntwo\n");
}

TEST(AppendFile, ALinkOfEitherKindIsRefusedAndWhatItLeadsToIsNotCut) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "victim", std::string_view("precious\n")));
  std::filesystem::create_symlink("victim", folder / "symbolic");
  std::filesystem::create_symlink("nothing", folder / "dangling");
  std::filesystem::create_hard_link(folder / "victim", folder / "hard");
  for (const char* name : {"symbolic", "dangling", "hard"}) {
    const auto file = AppendFile::open(folder / name, 0);
    ASSERT_FALSE(file) << name;
    EXPECT_EQ(file.error().kind(), ErrorKind::kCannotCreate);
  }
  EXPECT_EQ(read_text_file(folder / "victim", 100).value(), "precious\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "nothing"));
}

TEST(AppendFile, WhatIsNoRegularFileIsRefusedWithoutWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(AppendFile::open(folder / "pipe", 0).error().message(), testing::HasSubstr("not a regular file"));
  EXPECT_FALSE(AppendFile::open(folder.path(), 0));
  EXPECT_FALSE(AppendFile::open("/dev/null", 0));
}

TEST(MakeDirectoriesIn, TheRootMustBeThereAndWhatIsBelowItMustNotBeALink) {
  const TemporaryFolder folder;
  EXPECT_FALSE(make_directories_in(folder / "absent", "a/b"));
  EXPECT_FALSE(std::filesystem::exists(folder / "absent"));
  std::filesystem::create_directories(folder / "root");
  std::filesystem::create_directories(folder / "elsewhere");
  EXPECT_TRUE(make_directories_in(folder / "root", "a/b"));
  EXPECT_TRUE(make_directories_in(folder / "root", "a/b")) << "there already";
  std::filesystem::create_directory_symlink("../elsewhere", folder / "root/link");
  const Status refused = make_directories_in(folder / "root", "link/b");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("a symbolic link is in the way"));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "elsewhere"));
}

TEST(AppendFile, AFileThatIsTooShortIsBadData) {
  const TemporaryFolder folder;
  const auto file = AppendFile::open(folder / "log", 4);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind(), ErrorKind::kBadData);
}

TEST(AppendFile, AFaultOfAnyCallIsToldWithTheFile) {
  const TemporaryFolder folder;
  const auto all = [&](FileSystem& files) -> Status {
    Result<AppendFile> file = AppendFile::open(folder / "log", 0, files);
    if (!file) return file.error();
    if (Status written = file.value().write("one\n"); !written) return written;
    return file.value().sync();
  };
  for (std::size_t k = 0; k < 5; ++k) {  // open, regular_size, truncate, write, sync
    FailingFiles files(k, EIO);
    const Status done = all(files);
    ASSERT_FALSE(done) << k;
    EXPECT_EQ(done.error().kind(), k < 2 ? ErrorKind::kCannotCreate : ErrorKind::kInputOutput) << k;
    EXPECT_THAT(done.error().message(), testing::HasSubstr("log: Input/output error")) << k;
  }
  FailingFiles full(FailingFiles::kNever, EIO, 0);
  EXPECT_THAT(all(full).error().message(), testing::HasSubstr("cannot write")) << "a device that takes nothing";
}

}  // namespace
}  // namespace schemamem
