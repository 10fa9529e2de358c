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

/// A figure of panels in rows, with one legend above them and axes labelled at the rim only.
struct PanelGrid {
  std::string comment{};  // first lines, without #
  std::string name{};
  double width = 7, height = 7;  // inches
  std::size_t columns = 1;
  std::string x_label{}, y_label{};       // once for the whole figure
  std::vector<std::string> row_labels{};  // instead of y_label, one a row
  std::string setup{};                    // statements for all panels
  std::vector<Panel> panels{};
};

/// Models keep one colour, mark and dash everywhere: the palette of Okabe and Ito, which the colour-blind can tell
/// apart, and different marks and dashes for who sees it in grey. Line styles 1 to 3 are ours, 11 to 13 the paper's.
std::string gnuplot_script(const PanelGrid& grid);

}  // namespace schemamem
