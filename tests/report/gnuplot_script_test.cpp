#include "report/gnuplot_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace schemamem {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(GnuplotScript, DrawsALegendOfTheStylesItIsGivenOnce) {
  const PanelGrid grid{.name = "x",
                       .columns = 1,
                       .legend = {{.text = "one", .style = 2}, {.text = "a mark", .style = 22, .line = false}},
                       .panels = {{.plot = "1"}, {.plot = "2"}}};
  const std::string script = gnuplot_script(grid);
  EXPECT_THAT(script, AllOf(HasSubstr("nohead ls 2\n"), HasSubstr("\"one\""), HasSubstr("\"a mark\""),
                            Not(HasSubstr("nohead ls 22")), Not(HasSubstr("label 201"))));
  EXPECT_LT(script.find("plot 1"), script.find("unset label 202"));
  EXPECT_LT(script.find("unset label 272"), script.find("plot 2"));
}

TEST(GnuplotScript, WhatALabelSaysIsNeverReadAsACommand) {
  EXPECT_EQ(gnuplot_text("delay (log scale), 100 %"), "delay (log scale), 100 %");
  EXPECT_EQ(gnuplot_text("a\"b\\c`id`d\ne"), "a\\042b\\134c\\140id\\140d e");
  const std::string evil = "x\"\nsystem(\"id\")\n`id`\\";
  const std::string script = gnuplot_script({.comment = evil,
                                             .name = "f",
                                             .x_label = evil,
                                             .y_label = evil,
                                             .row_labels = {evil},
                                             .legend = {{.text = evil}},
                                             .panels = {{.title = evil, .plot = "x", .note = evil}}});
  EXPECT_EQ(script.find('`'), std::string::npos);
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_FALSE(line.starts_with("system")) << line;
    EXPECT_FALSE(line.starts_with("# ") && line.ends_with("\\")) << line;
  }
}

}  // namespace
}  // namespace schemamem
