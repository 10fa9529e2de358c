#include "system/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "support/failing_files.h"
#include "support/temporary_folder.h"

namespace schemamem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMost = 1 << 24;

std::string content(const std::filesystem::path& path) { return read_text_file(path, kMost).value(); }

/// Every entry of a folder, temporary files included.
std::vector<std::string> entries(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

TEST(ReadFile, GivesTheBytesOfAFile) {
  const TemporaryFolder folder;
  const std::string text("a\0b\n", 4);
  ASSERT_TRUE(write_file_atomically(folder / "f", text));
  EXPECT_EQ(content(folder / "f"), text);
  ASSERT_TRUE(write_file_atomically(folder / "f", ""));
  EXPECT_EQ(read_file(folder / "f", 0)->size(), 0U);
}

TEST(ReadFile, SaysWhatIsWrongWithAPath) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::filesystem::path& path) { return read_file(path, kMost).error(); };
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);

  EXPECT_EQ(refusal(folder / "none").kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(refusal(folder / "none").message(), HasSubstr("none: No such file or directory; check the spelling"));
  EXPECT_EQ(refusal(folder.path()).kind(), ErrorKind::kMissingInput);
  EXPECT_THAT(refusal(folder.path()).message(), HasSubstr("name a file instead of a folder"));
  EXPECT_THAT(refusal(folder / "pipe").message(), HasSubstr("pipe: not a regular file"));
}

TEST(ReadFile, RefusesWhatIsTooLargeBeforeReadingIt) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "12345"));
  FailingFiles files(FailingFiles::kNever, EIO);
  const Error error = read_file(folder / "f", 4, files).error();
  EXPECT_EQ(error.kind(), ErrorKind::kBadData);
  EXPECT_THAT(error.message(), HasSubstr("f: the file has 5 bytes; at most 4 are accepted here"));
  EXPECT_THAT(files.calls(), ElementsAre("open", "regular_size", "close"));
}

TEST(ReadFile, ReportsAFaultOfEveryCall) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "12345"));
  for (std::size_t k = 0; k < 4; ++k) {  // open, regular_size, read, read of the end; closing loses nothing
    FailingFiles files(k, EIO);
    EXPECT_THAT(read_file(folder / "f", kMost, files).error().message(), HasSubstr("f: Input/output error")) << k;
  }
}

TEST(WriteFile, SyncsTheFileRenamesItAndSyncsTheFolder) {
  const TemporaryFolder folder;
  FailingFiles files(FailingFiles::kNever, EIO, 3);
  ASSERT_TRUE(write_file_atomically(folder / "f", "12345678", files));
  EXPECT_EQ(content(folder / "f"), "12345678");
  EXPECT_THAT(files.calls(), ElementsAre("create", "write", "write", "write", "sync", "open_directory", "close",
                                         "rename", "sync", "close"));
}

TEST(WriteFile, WritesPiecesInOrder) {
  const TemporaryFolder folder;
  const std::string a = "first ", b, c = "last";
  const std::vector<std::span<const std::byte>> pieces{std::as_bytes(std::span(a)), std::as_bytes(std::span(b)),
                                                       std::as_bytes(std::span(c))};
  ASSERT_TRUE(write_file_atomically(folder / "f", pieces));
  EXPECT_EQ(content(folder / "f"), "first last");
}

TEST(WriteFile, AFaultOfAnyCallLeavesACompleteFileAndNothingElse) {
  for (const int error : {ENOSPC, EIO, EACCES}) {
    for (std::size_t k = 0;; ++k) {
      const TemporaryFolder folder;
      ASSERT_TRUE(write_file_atomically(folder / "f", "earlier"));
      FailingFiles files(k, error, 4);

      const Status written = write_file_atomically(folder / "f", "later content", files);

      if (!files.failed()) {
        EXPECT_TRUE(written);
        EXPECT_GT(k, 8U);
        break;
      }
      const std::vector<std::string>& calls = files.calls();
      const bool renamed = std::find(calls.begin(), calls.begin() + k, "rename") != calls.begin() + k;
      EXPECT_EQ(content(folder / "f"), renamed ? "later content" : "earlier") << calls[k] << ' ' << k;
      EXPECT_THAT(entries(folder.path()), ElementsAre("f")) << calls[k] << ' ' << k;
      // The folder's handle has nothing to lose when it is closed at the very end.
      EXPECT_EQ(static_cast<bool>(written), renamed && calls[k] == "close") << calls[k] << ' ' << k;
      if (!written) {
        EXPECT_EQ(written.error().kind(), k == 0 ? ErrorKind::kCannotCreate : ErrorKind::kInputOutput);
      }
    }
  }
}

TEST(WriteFile, NamesTheReasonAndTheRemedy) {
  const TemporaryFolder folder;
  const auto message = [&](std::size_t k, int error) {
    FailingFiles files(k, error);
    return write_file_atomically(folder / "f", "text", files).error().message();
  };
  EXPECT_THAT(message(1, ENOSPC), HasSubstr("f: No space left on device; free some space"));
  EXPECT_THAT(message(0, EACCES), HasSubstr("f: Permission denied; check the permissions"));
  EXPECT_THAT(message(0, EROFS), HasSubstr("f: Read-only file system; choose a folder on a writable device"));
  EXPECT_THAT(write_file_atomically(folder / "no/f", "text").error().message(), HasSubstr("that the folder exists"));
}

TEST(WriteFile, NeverReplacesAFolderOrADevice) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(write_file_atomically(folder.path(), "x").error().kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(write_file_atomically(folder / "pipe", "x").error().message(), HasSubstr("not a regular file"));
  EXPECT_THAT(entries(folder.path()), ElementsAre("pipe"));
}

TEST(WriteFile, WithoutACommitThereIsNoFile) {
  const TemporaryFolder folder;
  {
    Result<AtomicFile> file = AtomicFile::create(folder / "f");
    ASSERT_TRUE(file.value().write("half"));
    EXPECT_EQ(entries(folder.path()).size(), 1U);
    EXPECT_THAT(list_directory(folder.path()).value(), IsEmpty());
  }
  EXPECT_THAT(entries(folder.path()), IsEmpty());
}

TEST(WriteFile, AfterAFaultTheWriterStaysFailed) {
  const TemporaryFolder folder;
  FailingFiles files(1, ENOSPC);
  Result<AtomicFile> file = AtomicFile::create(folder / "f", files);
  EXPECT_FALSE(file.value().write("a"));
  EXPECT_FALSE(file.value().write("b"));
  EXPECT_FALSE(file.value().commit());
  EXPECT_THAT(entries(folder.path()), IsEmpty());
}

TEST(WriteFile, TwoWritersInOneFolderDoNotMeet) {
  const TemporaryFolder folder;
  std::vector<std::thread> writers;
  for (const char* name : {"a", "b"}) {
    writers.emplace_back([&folder, name] {
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(write_file_atomically(folder / name, std::string(name) + "!"));
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(content(folder / "a"), "a!");
  EXPECT_EQ(content(folder / "b"), "b!");
  EXPECT_EQ(entries(folder.path()).size(), 2U);
}

/// Rewrites `path` for ever, generation by generation: 'a' all over, 'b' all over, ...
[[noreturn]] void write_generations(const std::filesystem::path& path, std::size_t size) {
  for (std::size_t generation = 0;; ++generation) {
    if (!write_file_atomically(path, std::string(size, static_cast<char>('a' + generation % 26)))) ::_exit(1);
  }
}

TEST(WriteFile, AKilledWriterLeavesACompleteFile) {
  constexpr std::size_t kSize = 300'000;
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "f";
  ASSERT_TRUE(write_file_atomically(path, std::string(kSize, 'a')));
  for (unsigned kill = 0; kill < 20; ++kill) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_generations(path, kSize);
    std::this_thread::sleep_for(std::chrono::microseconds(500 + kill * 2'654'435'761U % 12'000));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    const std::string found = content(path);
    ASSERT_EQ(found.size(), kSize);
    EXPECT_EQ(found.find_first_not_of(found[0]), std::string::npos);
  }
  EXPECT_TRUE(remove_temporaries(folder.path()));
  EXPECT_THAT(entries(folder.path()), ElementsAre("f"));
}

TEST(ReadTail, IsTheEndOfAFileOrAllOfItOrNothing) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "log", std::string_view("one\ntwo\n")));
  EXPECT_EQ(read_tail(folder / "log", 4).value(), "two\n");
  EXPECT_EQ(read_tail(folder / "log", 100).value(), "one\ntwo\n");
  EXPECT_EQ(read_tail(folder / "absent", 100).value(), std::nullopt);
}

TEST(ReadTail, WhatIsNoRegularFileIsRefusedWithoutWaiting) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const auto& path : {folder / "pipe", folder.path(), std::filesystem::path("/dev/zero")}) {
    const auto tail = read_tail(path, 100);
    ASSERT_FALSE(tail) << path;
    EXPECT_EQ(tail.error().kind(), ErrorKind::kBadData);
  }
}

TEST(Directories, AreMadeWithTheirParentsAndSyncedIntoThem) {
  const TemporaryFolder folder;
  FailingFiles files(FailingFiles::kNever, EIO);
  ASSERT_TRUE(make_directories(folder / "a/b/", files));
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a/b"));
  EXPECT_THAT(files.calls(), ElementsAre("make_directory", "open_directory", "sync", "close", "make_directory",
                                         "open_directory", "sync", "close"));
  EXPECT_TRUE(make_directories(folder / "a/b"));
}

TEST(Directories, AFileInTheWayIsNamed) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "a", "x"));
  const Error error = make_directories(folder / "a/b").error();
  EXPECT_EQ(error.kind(), ErrorKind::kCannotCreate);
  EXPECT_THAT(error.message(), HasSubstr("/a: Not a directory; a part of the path is a file"));
}

TEST(Directories, AreListedInOrder) {
  const TemporaryFolder folder;
  for (const char* name : {"b", "a", "c"}) ASSERT_TRUE(write_file_atomically(folder / name, ""));
  EXPECT_THAT(list_directory(folder.path()).value(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(list_directory(folder / "none").error().kind(), ErrorKind::kMissingInput);
}

TEST(FreeSpace, IsMeasuredWhereThePathIs) {
  const TemporaryFolder folder;
  EXPECT_GT(free_space(folder.path()).value(), 0U);
  EXPECT_THAT(free_space(folder / "none").error().message(), HasSubstr("none: No such file"));
}

TEST(ReadJudgedFile, WhatItsFrontDoesNotJustifyIsNotRead) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "head and tail"));
  const auto read = [&](FileSystem& files, bool fit) {
    return read_judged_file(folder / "f", kMost,
                            {4,
                             [&](std::span<const std::byte> front, std::uint64_t size) -> Status {
                               EXPECT_EQ(front.size(), 4U);
                               EXPECT_EQ(size, 13U);
                               if (fit) return Done{};
                               return Error(ErrorKind::kBadData, "no such file");
                             }},
                            files);
  };
  FailingFiles files(FailingFiles::kNever, EIO);
  EXPECT_EQ(read(files, false).error().message(), "no such file");
  EXPECT_THAT(files.calls(), ElementsAre("open", "regular_size", "read", "close"));
  EXPECT_EQ(read(files, true)->size(), 13U);
  FailingFiles faulty(2, EIO);
  EXPECT_THAT(read(faulty, true).error().message(), HasSubstr("f: Input/output error"));
}

/// Says that every file has one more, or one fewer, byte than it has: as if it was cut or had grown since.
class ChangingFiles final : public ForwardingFiles {
 public:
  explicit ChangingFiles(int change) : change_(change) {}
  Outcome regular_size(int handle) override { return posix_files().regular_size(handle) + change_; }

 private:
  int change_;
};

TEST(ReadFile, AFileThatChangesMeanwhileIsNotTakenForWhole) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "12345"));
  ChangingFiles cut(1), grown(-1);
  EXPECT_THAT(read_file(folder / "f", kMost, cut).error().message(),
              HasSubstr("f: the file changed while it was read (expected 6 bytes, found 5); try again"));
  EXPECT_THAT(read_text_file(folder / "f", kMost, grown).error().message(),
              HasSubstr("(expected 4 bytes, found more)"));
  EXPECT_EQ(read_file(folder / "f", kMost, cut).error().kind(), ErrorKind::kInputOutput);
}

TEST(ReadTail, AnErrorIsNoAbsence) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink("circle", folder / "circle");
  EXPECT_EQ(read_tail(folder / "circle", 100).error().kind(), ErrorKind::kInputOutput);
}

TEST(Directories, AFaultOfAnyCallIsTold) {
  const TemporaryFolder folder;
  for (std::size_t k = 0; k < 3; ++k) {  // make_directory, open_directory, sync
    FailingFiles files(k, EIO);
    EXPECT_THAT(make_directories(folder / std::to_string(k), files).error().message(), HasSubstr("Input/output error"))
        << k;
  }
  EXPECT_TRUE(make_directories(folder / "0"));
}

TEST(Directories, TemporariesAreRemovedAndNothingElse) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file_atomically(folder / "f", "x"));
  Result<AtomicFile> left = AtomicFile::create(folder / "g");
  ASSERT_TRUE(left);
  FailingFiles faulty(0, EIO), gone(0, ENOENT);
  EXPECT_THAT(remove_temporaries(folder.path(), faulty).error().message(),
              HasSubstr("cannot remove the temporary file"));
  EXPECT_TRUE(remove_temporaries(folder.path(), gone)) << "another process was quicker";
  EXPECT_TRUE(remove_temporaries(folder.path()));
  EXPECT_THAT(entries(folder.path()), ElementsAre("f"));
  EXPECT_EQ(remove_temporaries(folder / "none").error().kind(), ErrorKind::kMissingInput);
}

TEST(FileError, EveryReasonHasARemedyOfItsOwn) {
  const auto remedy = [](int code) { return file_error(ErrorKind::kInputOutput, "open", "f", -code).message(); };
  EXPECT_THAT(remedy(EDQUOT), HasSubstr("free some space"));
  EXPECT_THAT(remedy(EFBIG), HasSubstr("raise the limit (ulimit -f)"));
  EXPECT_THAT(remedy(EPERM), HasSubstr("check the permissions"));
  EXPECT_THAT(remedy(ENAMETOOLONG), HasSubstr("choose a shorter name"));
  EXPECT_THAT(remedy(EMFILE), HasSubstr("raise the limit (ulimit -n)"));
  EXPECT_THAT(remedy(ENFILE), HasSubstr("raise the limit (ulimit -n)"));
  EXPECT_THAT(remedy(ENXIO), HasSubstr("name a regular file"));
  EXPECT_THAT(remedy(ETXTBSY), HasSubstr("check the path and try again"));
}

TEST(PosixFiles, ACallThatFailsGivesItsReason) {
  const TemporaryFolder folder;
  FileSystem& files = posix_files();
  EXPECT_EQ(files.regular_size(-1), -EBADF);
  EXPECT_EQ(files.close(-1), -EBADF);
  EXPECT_EQ(files.sync(-1), -EBADF);
  EXPECT_EQ(files.rename(folder / "none", folder / "f"), -ENOENT);
  EXPECT_EQ(files.remove(folder / "none"), -ENOENT);
}

}  // namespace
}  // namespace schemamem
