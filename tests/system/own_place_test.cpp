#include "system/own_place.h"

#include <gtest/gtest.h>

namespace schemamem {
namespace {

TEST(OwnPlace, IsTheFileOfTheTestProgramItself) {
  ASSERT_TRUE(program_file());
  EXPECT_EQ(program_file()->filename(), "system_test");
  EXPECT_EQ(library_file().value_or(*program_file()), *program_file());  // linked into it
}

}  // namespace
}  // namespace schemamem
