#include "report/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace schemamem {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv({"a", "b"}, {{"x,y", "say \"so\""}}), "a,b\n\"x,y\",\"say \"\"so\"\"\"\n");
}

TEST(Grouped, SetsCommasByThousands) {
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
}

TEST(Latex, SpellsWhatTexWouldRead) {
  const Table table{.name = "t", .title = "50 % & more_or_less", .headings = {{.name = "a"}}, .rows = {{"`--x`"}}};
  EXPECT_THAT(latex(table), AllOf(HasSubstr("50 \\% \\& more\\_or\\_less"), HasSubstr("\\texttt{--x}")));
}

TEST(Latex, KeepsTablesOnThePage) {
  Table table{.name = "t",
              .keys = 2,
              .headings = {{.name = "a"}, {.name = "b"}, {.name = "c"}},
              .rows = {{"a key that would take half of a page", "short", "1"}}};
  EXPECT_THAT(latex(table), AllOf(HasSubstr("\\resizebox"), HasSubstr("\\begin{tabular}{llr}")));
  table.rows.resize(60, {"", "", "1"});
  EXPECT_THAT(latex(table), AllOf(HasSubstr("p{0.28\\linewidth}lr}"), Not(HasSubstr("\\resizebox"))));
}

}  // namespace
}  // namespace schemamem
