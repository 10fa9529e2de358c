#include "report/gnuplot_script.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace schemamem {
namespace {

constexpr double kSvgDotsPerInch = 96, kPngDotsPerInch = 160;
// Inches around the panels and between them.
constexpr double kLeft = 0.72, kRight = 0.14, kBottom = 0.62, kTop = 0.62, kAcross = 0.16, kDown = 0.34;

constexpr const char* kStyles = R"(# Okabe and Ito's palette; marks and dashes tell the models apart in grey.
set style line 1 lc rgb "#0072B2" lw 1.8 dt solid pt 7 ps 0.55
set style line 2 lc rgb "#D55E00" lw 1.8 dt (8,4) pt 5 ps 0.5
set style line 3 lc rgb "#009E73" lw 1.8 dt (8,3,2,3) pt 9 ps 0.65
set style line 11 lc rgb "#0072B2" lw 1.1 dt solid pt 6 ps 0.6
set style line 12 lc rgb "#D55E00" lw 1.1 dt solid pt 4 ps 0.55
set style line 13 lc rgb "#009E73" lw 1.1 dt solid pt 8 ps 0.7
set style line 20 lc rgb "#DDDDDD" lw 0.6 dt solid
set style line 21 lc rgb "#555555" lw 1 dt (2,3)
set style line 22 lc rgb "#555555" lw 1.1 dt solid pt 6 ps 0.6
set border 3 lc rgb "#555555" lw 0.8
set tics nomirror out scale 0.5 textcolor rgb "#333333"
set grid ytics ls 20
set style fill transparent solid 0.16 noborder
set datafile separator comma
set bars 0.6
unset key
)";

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string terminals(const PanelGrid& grid) {
  return fmt::format(
      "if (!exists(\"format\")) format = \"pdf\"\n"
      "if (format eq \"svg\") set terminal svg size {:.0f},{:.0f} font \"Helvetica,12\" background rgb \"white\"\n"
      "if (format eq \"pdf\") set terminal pdfcairo size {}in,{}in font \"Helvetica,9\" fontscale 0.75 linewidth 1.4 "
      "pointscale 1.25\n"
      "if (format eq \"png\") set terminal pngcairo size {:.0f},{:.0f} font \"Helvetica,9\" fontscale {:.2f}\n"
      "set output \"{}.\".format\n",
      grid.width * kSvgDotsPerInch, grid.height * kSvgDotsPerInch, grid.width, grid.height,
      grid.width * kPngDotsPerInch, grid.height * kPngDotsPerInch, kPngDotsPerInch / 72, grid.name);
}

/// One line above all panels: gnuplot's own key breaks into rows when a panel is narrower than it.
std::string legend(const std::vector<LegendItem>& items, double width, double height) {
  constexpr double kSample = 0.42, kSpace = 0.08, kLetter = 0.078, kGap = 0.26;  // inches
  double total = -kGap;
  for (const LegendItem& item : items)
    total += kSample + kSpace + kLetter * static_cast<double>(item.text.size()) + kGap;
  std::string text;
  double x = (width - total) / 2;
  const double y = 1 - 0.2 / height;
  for (const auto& [name, style, line] : items) {
    const int tag = 200 + style;
    if (line)
      text += fmt::format("set arrow {} from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} nohead ls {}\n", tag,
                          x / width, y, (x + kSample) / width, y, style);
    text += fmt::format("set label {} \"\" at screen {:.4f},{:.4f} point ls {}\n", tag, (x + kSample / 2) / width, y,
                        style);
    text += fmt::format("set label {} \"{}\" at screen {:.4f},{:.4f} left\n", tag + 50, gnuplot_text(name),
                        (x + kSample + kSpace) / width, y);
    x += kSample + kSpace + kLetter * static_cast<double>(name.size()) + kGap;
  }
  return text;
}

/// Once drawn, the legend and the labels of the whole figure are not drawn again.
std::string unset_labels(const std::vector<LegendItem>& items) {
  std::string text = "unset label 100\nunset label 101\n";
  for (const LegendItem& item : items)
    text += fmt::format("unset arrow {0}\nunset label {0}\nunset label {1}\n", 200 + item.style, 250 + item.style);
  return text;
}

/// Lines of comment, whatever they say: a backslash at the end would go on with the next line.
std::string comment(std::string_view text) {
  std::string lines = "# ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      lines += i + 1 < text.size() && text[i + 1] == '#' ? "\n" : "\n# ";
    } else {
      lines += c == '\\' || c == '`' || is_control(c) ? '?' : c;
    }
  }
  return lines + "\n";
}

}  // namespace

std::string gnuplot_text(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '`') {
      quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else {
      quoted += is_control(c) ? ' ' : c;
    }
  }
  return quoted;
}

std::string gnuplot_script(const PanelGrid& grid) {
  const std::size_t rows = (grid.panels.size() + grid.columns - 1) / grid.columns;
  std::string text = comment(grid.comment) + terminals(grid) + kStyles + grid.setup;
  text += fmt::format("set multiplot layout {},{} margins {:.4f},{:.4f},{:.4f},{:.4f} spacing {:.4f},{:.4f}\n", rows,
                      grid.columns, kLeft / grid.width, 1 - kRight / grid.width, kBottom / grid.height,
                      1 - kTop / grid.height, kAcross / grid.width, kDown / grid.height);
  text +=
      fmt::format("set label 100 \"{}\" at screen 0.5,{:.4f} center\n", gnuplot_text(grid.x_label), 0.16 / grid.height);
  if (!grid.y_label.empty())
    text += fmt::format("set label 101 \"{}\" at screen {:.4f},0.5 center rotate by 90\n", gnuplot_text(grid.y_label),
                        0.16 / grid.width);
  text += legend(grid.legend, grid.width, grid.height);
  for (std::size_t i = 0; i < grid.panels.size(); ++i) {
    const Panel& panel = grid.panels[i];
    const bool left = i % grid.columns == 0, bottom = i / grid.columns + 1 == rows;
    text += "\n";
    text += panel.title.empty() ? "unset title\n"
                                : fmt::format("set title \"{}\" offset 0,-0.6\n", gnuplot_text(panel.title));
    if (!grid.row_labels.empty())
      text += left ? fmt::format("set ylabel \"{}\" offset 0.6,0\n", gnuplot_text(grid.row_labels.at(i / grid.columns)))
                   : "unset ylabel\n";
    text += left ? "set format y \"%g\"\n" : "set format y \"\"\n";
    text += bottom ? "set format x \"%g\"\n" : "set format x \"\"\n";
    text += panel.note.empty() ? "unset label 102\n"
                               : fmt::format(
                                     "set label 102 \"{}\" at graph 0.03,0.055 left font \",8\" textcolor rgb "
                                     "\"#777777\" front\n",
                                     gnuplot_text(panel.note));
    text += panel.before;
    text += "plot " + panel.plot + "\n";
    if (i == 0) text += unset_labels(grid.legend);
  }
  return text + "unset multiplot\nunset output\n";
}

}  // namespace schemamem
