#include <gtest/gtest.h>

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

TEST(AppendFile, AFileThatIsTooShortIsBadData) {
  const TemporaryFolder folder;
  const auto file = AppendFile::open(folder / "log", 4);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind(), ErrorKind::kBadData);
}

}  // namespace
}  // namespace schemamem
