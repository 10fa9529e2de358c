#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace schemamem {
namespace {

constexpr std::size_t kLongestFloat = 40;  // rows; longer tables break over pages
constexpr std::size_t kWidestKey = 24;     // characters; longer keys break over lines in tables that break over pages
constexpr std::string_view kNoWiderThanThePage =
    "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}";

using Spelling = std::pair<std::string_view, std::string_view>;
constexpr std::array kLatexSpellings{Spelling{"±", "$\\pm$"},
                                     Spelling{"—", "---"},
                                     Spelling{"≈", "$\\approx$"},
                                     Spelling{"▲", "$\\blacktriangle$"},
                                     Spelling{"▼", "$\\blacktriangledown$"},
                                     Spelling{"†", "$\\dagger$"},
                                     Spelling{"→", "$\\to$"},
                                     Spelling{"%", "\\%"},
                                     Spelling{"_", "\\_"},
                                     Spelling{"&", "\\&"},
                                     Spelling{"#", "\\#"},
                                     Spelling{">", "$>$"},
                                     Spelling{"<", "$<$"},
                                     Spelling{" = ", "$=$"},
                                     Spelling{"{", "\\{"},
                                     Spelling{"}", "\\}"},
                                     Spelling{"$", "\\$"},
                                     Spelling{"\\", "\\textbackslash{}"},
                                     Spelling{"~", "\\textasciitilde{}"},
                                     Spelling{"^", "\\textasciicircum{}"}};

std::string latex_text(std::string_view text) {
  std::string result;
  bool command = false;
  while (!text.empty()) {
    if (text.front() == '`') {
      result += command ? "}" : "\\texttt{";
      command = !command;
      text.remove_prefix(1);
      continue;
    }
    const auto spelling = std::find_if(kLatexSpellings.begin(), kLatexSpellings.end(),
                                       [&](const Spelling& one) { return text.starts_with(one.first); });
    if (spelling != kLatexSpellings.end()) {
      result += spelling->second;
      text.remove_prefix(spelling->first.size());
    } else {
      result += text.front();
      text.remove_prefix(1);
    }
  }
  return result;
}

/// Columns on a screen; our texts have no wide or combining characters.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

std::string full_name(const Heading& heading) {
  return heading.group.empty() ? heading.name : heading.group + " " + heading.name;
}

/// Of the heading and the longest cell of a column.
std::size_t column_width(const Table& table, std::size_t column) {
  std::size_t width = display_width(full_name(table.headings[column]));
  for (const auto& row : table.rows)
    if (!row.empty()) width = std::max(width, display_width(row[column]));
  return width;
}

/// What stands for a key in the columns of a longtable, which no box can make smaller.
std::string latex_key_column(const Table& table, std::size_t column) {
  return column_width(table, column) > kWidestKey ? ">{\\raggedright\\arraybackslash}p{0.28\\linewidth}" : "l";
}

/// "& b & c" for the cells of a line.
std::string latex_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i == 0 ? "" : " & ") + latex_text(cells[i]);
  return line + " \\\\\n";
}

std::string latex_heads(const Table& table) {
  std::string groups, rules;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table.headings.size();) {
    const std::string& group = table.headings[i].group;
    std::size_t end = i + 1;
    while (!group.empty() && end < table.headings.size() && table.headings[end].group == group) ++end;
    groups += i == 0 ? "" : " & ";
    if (!group.empty()) {
      groups += fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", end - i, latex_text(group));
      rules += fmt::format("\\cmidrule(lr){{{}-{}}}", i + 1, end);
    }
    for (; i < end; ++i) names.push_back(table.headings[i].name);
  }
  return (rules.empty() ? "" : groups + " \\\\\n" + rules + "\n") + latex_line(names);
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    if (fields[i].find_first_of(",\"\n") == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

}  // namespace

std::string markdown(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.headings.size(); ++i)
    widths.push_back(std::max<std::size_t>(column_width(table, i), 3));
  const auto line = [&](const auto& cell) {
    std::string text = "|";
    for (std::size_t i = 0; i < widths.size(); ++i) text += " " + padded(cell(i), widths[i], i >= table.keys) + " |";
    return text + "\n";
  };
  std::string text = "## " + table.title + "\n\n" + table.caption + "\n\n";
  text += line([&](std::size_t i) { return full_name(table.headings[i]); });
  text += line([&](std::size_t i) {
    return i < table.keys ? std::string(widths[i], '-') : std::string(widths[i] - 1, '-') + ":";
  });
  for (const auto& row : table.rows)
    if (!row.empty()) text += line([&](std::size_t i) { return row[i]; });
  if (!table.notes.empty()) text += "\n";
  for (const std::string& note : table.notes) text += "- " + note + "\n";
  return text;
}

std::string latex(const Table& table) {
  const bool breaks = table.rows.size() > kLongestFloat;
  std::string columns;
  for (std::size_t i = 0; i < table.headings.size(); ++i)
    columns += i >= table.keys ? "r" : breaks ? latex_key_column(table, i) : "l";
  const std::string caption =
      fmt::format("\\caption{{{}. {}}}\\label{{{}}}", latex_text(table.title), latex_text(table.caption),
                  table.label.empty() ? "tab:" + table.name : table.label);
  const std::string heads = "\\toprule\n" + latex_heads(table) + "\\midrule";
  std::string text = fmt::format("% needs booktabs, amssymb and {}\n", breaks ? "longtable, array" : "graphicx");
  text += "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\n";
  text += breaks ? fmt::format("\\begin{{longtable}}{{{}}}\n{}\\\\\n{}\\endfirsthead\n{}\\endhead\n", columns, caption,
                               heads, heads)
                 : fmt::format("\\begin{{table}}[htp]\\centering\n{}\n{}{{%\n\\begin{{tabular}}{{{}}}{}\n", caption,
                               kNoWiderThanThePage, columns, heads);
  for (const auto& row : table.rows) text += row.empty() ? "\\midrule\n" : latex_line(row);
  text += breaks ? "\\bottomrule\n\\end{longtable}\n" : "\\bottomrule\n\\end{tabular}}\n";
  for (const std::string& note : table.notes) text += "\\par\\smallskip{\\raggedright " + latex_text(note) + "\\par}\n";
  return text + (breaks ? "\\endgroup\n" : "\\end{table}\n\\endgroup\n");
}

std::string csv(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& records) {
  std::string text = csv_line(header);
  for (const auto& record : records) text += csv_line(record);
  return text;
}

std::string csv(const Table& table) { return csv(table.record_header, table.records); }

std::string plain(const std::optional<double>& value) { return value ? fmt::format("{:.10g}", *value) : ""; }

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number < 0 ? -number : number);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return (number < 0 ? "-" : "") + digits;
}

}  // namespace schemamem
