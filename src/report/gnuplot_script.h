#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace schemamem {

/// One diagram of a figure.
struct Panel {
  std::string title{};
  std::string before{};  // statements for this diagram alone
  std::string plot{};    // what follows the word `plot`
  std::string note{};    // small, in its corner: what is missing or marked
};

/// An entry of the legend: the mark of a line style, with its line unless the mark alone is meant.
struct LegendItem {
  std::string text{};
  int style = 1;
  bool line = true;
};

/// A figure of panels in rows, with one legend above them and axes labelled at the rim only.
struct PanelGrid {
  std::string comment{};  // first lines, without #
  std::string name{};
  double width = 7, height = 7;  // inches
  std::size_t columns = 1;
  std::string x_label{}, y_label{};       // once for the whole figure
  std::vector<std::string> row_labels{};  // instead of y_label, one a row
  std::string setup{};                    // statements for all panels
  std::vector<LegendItem> legend{};       // of different styles
  std::vector<Panel> panels{};
};

/// Any text as it stands between the double quotes of a script, where backslashes, backticks and quotes would be read
/// as commands: those are written as octal numbers, control characters as spaces.
std::string gnuplot_text(std::string_view text);

/// Models keep one colour, mark and dash everywhere: the palette of Okabe and Ito, which the colour-blind can tell
/// apart, and different marks and dashes for who sees it in grey. Line styles 1 to 3 have filled marks, 11 to 13 are
/// the same with hollow ones, for numbers to compare with; 22 is a hollow mark of no model.
std::string gnuplot_script(const PanelGrid& grid);

/// A figure as data and as a gnuplot script that reads it from `<name>.csv` in its own folder and writes
/// `<name>.<format>`; the format is pdf, svg or png: `gnuplot -e "format='svg'" <name>.gp`.
struct Figure {
  std::string name{}, label{}, title{};
  std::string csv{}, script{};
};

}  // namespace schemamem
