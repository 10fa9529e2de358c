#include "paper/folder.h"

#include <fmt/format.h>

#include "paper/additions.h"
#include "paper/beyond.h"
#include "paper/diff_summary.h"
#include "paper/figures.h"
#include "paper/guests.h"
#include "paper/tables.h"
#include "paper/text_numbers.h"

namespace schemamem {

std::vector<PaperFile> table_files(const std::vector<Table>& tables) {
  std::vector<PaperFile> files;
  for (const Table& table : tables) {
    const std::string stem = "tables/" + table.name;
    files.push_back({stem + ".md", markdown(table)});
    files.push_back({stem + ".tex", latex(table)});
    files.push_back({stem + ".csv", csv(table)});
  }
  return files;
}

std::vector<PaperFile> figure_files(const std::vector<Figure>& figures) {
  std::vector<PaperFile> files;
  for (const Figure& figure : figures) {
    files.push_back({"figures/" + figure.name + ".csv", figure.csv});
    files.push_back({"figures/" + figure.name + ".gp", figure.script});
  }
  return files;
}

std::vector<Table> all_tables(const Ledger& ledger, const Selection& selection) {
  std::vector<Table> tables = paper_tables(ledger, selection);
  tables.push_back(text_number_table(ledger, selection));
  for (Table& table : additions(ledger, selection)) tables.push_back(std::move(table));
  for (Table& table : Beyond(ledger, selection).tables()) tables.push_back(std::move(table));
  if (!ledger.guests().empty()) tables.push_back(guest_table(ledger, selection));
  return tables;
}

std::vector<Figure> all_figures(const Ledger& ledger, const Selection& selection) {
  std::vector<Figure> figures = paper_figures(ledger, selection);
  for (Figure& figure : Beyond(ledger, selection).figures()) figures.push_back(std::move(figure));
  if (!ledger.guests().empty()) figures.push_back(guest_figure(ledger, selection));
  return figures;
}

std::string left_out_note(const Ledger& ledger, const Selection& selection) {
  const std::size_t count = ledger.others().size();
  std::string note = Beyond(ledger, selection).note();
  if (count == 0) return note;
  return note + (note.empty() ? "" : " ") +
         fmt::format("Left out: {} run{} of other tasks or of models of other sizes.", count, count == 1 ? "" : "s");
}

std::string paper_overview(const Ledger& ledger, const Selection& selection, const std::vector<Table>& tables,
                           const std::vector<Figure>& figures, const std::vector<DiffCell>& cells) {
  const std::string note = left_out_note(ledger, selection);
  std::string text = fmt::format(
      "# The paper's numbers and ours\n\nRecipe {}, evaluation seed {}. Made by `schemamem paper all` from {} "
      "runs.{}\n\n"
      "```text\n{}```\n\n",
      ledger.recipe_text(selection.recipe), selection.eval_seed, ledger.runs().size(), note.empty() ? "" : " " + note,
      diff_summary(cells));
  for (const Figure& figure : figures) text += fmt::format("![{}](figures/{}.svg)\n\n", figure.title, figure.name);
  for (const Table& table : tables) text += markdown(table) + "\n";
  return text;
}

}  // namespace schemamem
