#include "report/gnuplot_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace schemamem
