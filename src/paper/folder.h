#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "paper/diff.h"
#include "report/gnuplot_script.h"
#include "report/table.h"

namespace schemamem {

/// A file of the folder that `schemamem paper` fills: its place there, and its text.
struct PaperFile {
  std::filesystem::path place;
  std::string text;
};

/// tables/<name>.md, .tex and .csv of each table.
std::vector<PaperFile> table_files(const std::vector<Table>& tables);
/// figures/<name>.csv and .gp of each figure; gnuplot draws it beside them.
std::vector<PaperFile> figure_files(const std::vector<Figure>& figures);

/// The paper's tables, the numbers of its text, our additions, what it has no place for (beyond.h), and guests.
std::vector<Table> all_tables(const Ledger& ledger, const Selection& selection);
/// The paper's figures, the one of what it has no place for, and the one of guests.
std::vector<Figure> all_figures(const Ledger& ledger, const Selection& selection);
/// What the paper has no place for, in sentences: runs of other settings and models (beyond.h), and Ledger::others(),
/// which no table here shows. Empty if there are none.
std::string left_out_note(const Ledger& ledger, const Selection& selection);
/// paper.md: one page with everything, for reading.
std::string paper_overview(const Ledger& ledger, const Selection& selection, const std::vector<Table>& tables,
                           const std::vector<Figure>& figures, const std::vector<DiffCell>& cells);

}  // namespace schemamem
