#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "cli/gnuplot.h"
#include "cli/report_commands.h"
#include "cli/task_options.h"
#include "models/registry.h"
#include "paper/beyond.h"
#include "paper/diff_summary.h"
#include "paper/folder.h"
#include "paper/gaps.h"
#include "paper/guests.h"
#include "paper/headline.h"
#include "system/files.h"
#include "system/helper.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

struct PaperOptions {
  std::vector<std::string> runs;
  Text out, recipe, eval_seed, gnuplot, into;
  bool brief = false;
};

struct Source {
  Ledger ledger;
  Selection selection;
};

std::optional<std::int64_t> persistent_elements(const LedgerRun& run) {
  const Result<Setting> setting = parse_setting(run.setting);
  if (!setting) return std::nullopt;
  const auto model = make_model<float>(run.model, setting->input_width(), setting->output_width());
  return model ? std::optional(static_cast<std::int64_t>((*model)->persistent_elements())) : std::nullopt;
}

Result<Ledger> read_ledger(const PaperOptions& options) {
  if (options.runs.empty())
    return Error(ErrorKind::kUsage, "No runs were given. Name run folders, or folders of runs, such as results/fast.");
  const std::vector<fs::path> paths(options.runs.begin(), options.runs.end());
  return Ledger::read(paths, model_names(), is_model_option);
}

Result<std::uint64_t> read_eval_seed(const PaperOptions& options) {
  const auto seed = read_number(options.eval_seed, "--eval-seed", kPaperEvaluationSeed, 0, kLargestSeed);
  if (!seed) return seed.error();
  return static_cast<std::uint64_t>(*seed);
}

Result<Source> read_source(const PaperOptions& options) {
  auto ledger = read_ledger(options);
  if (!ledger) return ledger.error();
  ledger.value().supply_persistent_elements(persistent_elements);
  const auto recipe = choose_recipe(*ledger, options.recipe);
  if (!recipe) return recipe.error();
  const auto seed = read_eval_seed(options);
  if (!seed) return seed.error();
  return Source{std::move(ledger).value(), {*recipe, *seed}};
}

std::string note_line(const Source& source) {
  const std::string note = left_out_note(source.ledger, source.selection);
  return note.empty() ? note : note + "\n";
}

/// What was written, for the answer at the end.
class Output {
 public:
  explicit Output(const PaperOptions& options) : folder_(options.out.value_or("paper")) {}

  Status write(const std::vector<PaperFile>& files) {
    for (const PaperFile& file : files) {
      const fs::path path = folder_ / file.place;
      if (const Status made = make_directories(path.parent_path()); !made) return made;
      if (const Status written = write_file_atomically(path, file.text); !written) return written;
      files_.push_back(path.string());
    }
    return Done{};
  }
  void add(const fs::path& name) { files_.push_back((folder_ / name).string()); }
  const fs::path& folder() const { return folder_; }

  Status tell(const Source& source, Console& console) const {
    const Beyond beyond(source.ledger, source.selection);
    std::vector<std::string> lacking;
    if (!beyond.is_all()) lacking = gaps(source.ledger, source.selection, paper_cells());
    if (console.json) {
      const nlohmann::ordered_json answer{{"folder", folder_.string()},
                                          {"recipe", source.selection.recipe},
                                          {"eval_seed", source.selection.eval_seed},
                                          {"files", files_},
                                          {"gaps", lacking},
                                          {"other_settings", beyond.settings()},
                                          {"left_out", source.ledger.others().size()}};
      return console.print(answer.dump() + "\n");
    }
    std::string text = fmt::format("{} files in {}, recipe {}, evaluation seed {}\n", files_.size(), folder_.string(),
                                   source.selection.recipe, source.selection.eval_seed);
    for (const std::string& gap : lacking) text += console.paint.yellow("missing: ") + gap + "\n";
    return console.print(text + note_line(source));
  }

 private:
  fs::path folder_;
  std::vector<std::string> files_{};
};

Status draw(const std::vector<Figure>& figures, const PaperOptions& options, Output& output) {
  const std::string name = options.gnuplot.value_or("gnuplot");
  const auto gnuplot = find_program(name);
  if (!gnuplot) {
    return Error(
        ErrorKind::kMissingInput,
        fmt::format("{} is not installed, so no figure was drawn; their data and scripts are in {}. Install it "
                    "(Debian: `apt-get install gnuplot-nox`) and run this again, or name it with --gnuplot.",
                    name, (output.folder() / "figures").string()));
  }
  for (const Figure& figure : figures) {
    for (const char* format : {"svg", "pdf"}) {
      const Status drawn = draw_figure(*gnuplot, output.folder() / "figures", figure.name, format);
      if (!drawn) return drawn;
      output.add(fs::path("figures") / (figure.name + "." + format));
    }
  }
  return Done{};
}

Status write_figures(const std::vector<Figure>& figures, const PaperOptions& options, Output& output) {
  if (const Status written = output.write(figure_files(figures)); !written) return written;
  return draw(figures, options, output);
}

Status paper_tables_command(const PaperOptions& options, Console& console) {
  const auto source = read_source(options);
  if (!source) return source.error();
  Output output(options);
  if (const Status written = output.write(table_files(all_tables(source->ledger, source->selection))); !written)
    return written;
  return output.tell(*source, console);
}

Status paper_figures_command(const PaperOptions& options, Console& console) {
  const auto source = read_source(options);
  if (!source) return source.error();
  Output output(options);
  const auto figures = all_figures(source->ledger, source->selection);
  if (const Status written = write_figures(figures, options, output); !written) return written;
  return output.tell(*source, console);
}

Status paper_all(const PaperOptions& options, Console& console) {
  const auto source = read_source(options);
  if (!source) return source.error();
  const auto& [ledger, selection] = *source;
  Output output(options);
  const auto cells = diff(ledger, selection);
  const auto tables = all_tables(ledger, selection);
  const auto figures = all_figures(ledger, selection);
  if (const Status written = output.write({PaperFile{"diff.json", diff_json(cells)}}); !written) return written;
  if (const Status written = output.write(table_files(tables)); !written) return written;
  const PaperFile overview{"paper.md", paper_overview(ledger, selection, tables, figures, cells)};
  if (const Status written = output.write({overview}); !written) return written;
  if (const Status written = write_figures(figures, options, output); !written) return written;
  return output.tell(*source, console);
}

struct Judged {
  std::vector<DiffCell> cells;
  std::string note{};  // about runs that were left out
};

/// The cells of runs, or those that `paper all` left in its folder.
Result<Judged> judged_cells(const PaperOptions& options) {
  const auto source = read_source(options);
  if (source) return Judged{diff(source->ledger, source->selection), note_line(*source)};
  if (options.runs.size() != 1 || source.error().kind() != ErrorKind::kMissingInput) return source.error();
  const fs::path stored = fs::path(options.runs.front()) / "diff.json";
  if (is_absent(stored)) return source.error();
  auto cells = read_diff(stored);
  if (!cells) return cells.error();
  return Judged{std::move(cells).value()};
}

Status paper_diff(const PaperOptions& options, Console& console) {
  const auto judged = judged_cells(options);
  if (!judged) return judged.error();
  return console.print(console.json ? diff_json(judged->cells) : diff_summary(judged->cells) + judged->note);
}

Status paper_guests(const PaperOptions& options, Console& console) {
  const auto source = read_source(options);
  if (!source) return source.error();
  if (source->ledger.guests().empty()) {
    return Error(ErrorKind::kMissingInput,
                 "None of the folders is of a guest, a model that is not ours. `schemamem score PREDICTIONS -o guests` "
                 "makes some.");
  }
  Output output(options);
  const Table table = guest_table(source->ledger, source->selection);
  if (const Status written = output.write(table_files({table})); !written) return written;
  if (const Status drawn = write_figures({guest_figure(source->ledger, source->selection)}, options, output); !drawn)
    return drawn;
  return console.json ? output.tell(*source, console) : console.print(markdown(table));
}

/// The figure lies beside the text that shows it, or where -o says.
Status paper_headline(const PaperOptions& options, Console& console) {
  constexpr std::uint64_t kLargestText = 4 << 20;
  const auto ledger = read_ledger(options);
  if (!ledger) return ledger.error();
  const auto seed = read_eval_seed(options);
  if (!seed) return seed.error();
  const Headline made = options.brief ? brief_headline(*ledger, *seed) : headline(*ledger, *seed);
  Output output(options);
  const fs::path picture = output.folder() / "figures" / (made.figure.name + ".svg");
  const fs::path beside = options.into ? fs::path(*options.into).parent_path() : output.folder();
  std::error_code unresolved;  // then the path stays as it was given
  const std::string text =
      options.brief
          ? markdown(made.table)  // its figure stands where the text wants it
          : headline_text(made, fs::proximate(picture, beside.empty() ? "." : beside, unresolved).generic_string());
  if (const Status written = output.write(table_files({made.table})); !written) return written;
  if (const Status drawn = write_figures({made.figure}, options, output); !drawn) return drawn;
  if (options.into) {
    const auto old = read_text_file(*options.into, kLargestText);
    if (!old) return old.error();
    const auto changed = with_headline(*old, text, *options.into);
    if (!changed) return changed.error();
    if (const Status written = write_file_atomically(*options.into, *changed); !written) return written;
  }
  return console.print(console.json ? nlohmann::ordered_json{{"headline", text}}.dump() + "\n" : text);
}

using Run = Status (*)(const PaperOptions&, Console&);
struct Part {
  const char* name;
  const char* description;
  const char* examples;
  Run run;
  bool writes, draws, replaces;  // files; figures; the headline of a text
};

void add_part(CLI::App& paper, Commands& commands, const Part& part) {
  const auto options = std::make_shared<PaperOptions>();
  CLI::App& command = commands.add(paper, part.name, part.description, part.examples);
  command.add_option("RUNS", options->runs, "Run folders, and folders of runs")->type_name("DIR");
  if (!part.replaces)  // the headline shows all of them
    command.add_option("--recipe", options->recipe, "The recipe to report on, where the runs are of several")
        ->type_name("NAME");
  command.add_option("--eval-seed", options->eval_seed, "Evaluation episodes: the seed of the records (20261001)")
      ->type_name("N");
  if (part.writes)
    command.add_option("-o,--output", options->out, "Folder for what is written (paper)")->type_name("DIR");
  if (part.draws)
    command.add_option("--gnuplot", options->gnuplot, "The program that draws (gnuplot)")->type_name("PROGRAM");
  if (part.replaces) {
    command.add_option("--into", options->into, "A Markdown file whose headline is replaced, such as README.md")
        ->type_name("FILE");
    command.add_flag("--brief", options->brief, "One score, at the paper's delay and at the longest");
  }
  commands.on(command, [options, run = part.run](Console& console) { return run(*options, console); });
}

}  // namespace

void register_paper(CLI::App& program, Commands& commands) {
  CLI::App& paper = commands.add(program, "paper", "The paper's tables, figures and numbers, ours beside theirs.",
                                 "schemamem paper all results/fast -o paper\n"
                                 "schemamem paper diff results/fast --json");
  const Part parts[] = {
      {"tables", "The eight tables, the numbers of the text and additions: Markdown, LaTeX and CSV.",
       "schemamem paper tables results/fast -o paper\n"
       "schemamem paper tables runs --recipe steady --eval-seed 20270407 -o steady",
       paper_tables_command, true, false, false},
      {"figures", "The figures as SVG and PDF, with their data and gnuplot scripts.",
       "schemamem paper figures results/fast -o paper", paper_figures_command, true, true, false},
      {"diff", "Judge every number of the paper's tables: within its seed spread, better, worse, missing.",
       "schemamem paper diff results/fast\n"
       "schemamem paper diff results/fast --json",
       paper_diff, false, false, false},
      {"all", "Tables, figures, the judgement (diff.json) and one page with everything (paper.md).",
       "schemamem paper all results/fast -o paper", paper_all, true, true, false},
      {"guests", "One table and one figure: models that `score` and `bench` have kept, beside ours.",
       "schemamem paper guests results/steady results/guests -o docs/results", paper_guests, true, true, false},
      {"headline", "Every model and recipe in one table and one figure, over all settings.",
       "schemamem paper headline results/fast results/steady -o docs/results\n"
       "schemamem paper headline results/fast results/steady --brief --into README.md",
       paper_headline, true, true, true}};
  for (const Part& part : parts) add_part(paper, commands, part);
}

}  // namespace schemamem
