#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/report_commands.h"
#include "cli/task_options.h"
#include "models/registry.h"
#include "paper/page.h"
#include "system/files.h"

namespace schemamem {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  Text out;
};

Status report(const ReportOptions& options, Console& console) {
  if (options.runs.empty()) {
    return Error(
        ErrorKind::kUsage,
        "No run was given. Name run folders or folders of runs, such as `schemamem report runs -o report.html`.");
  }
  const std::filesystem::path out = options.out.value_or("report.html");
  std::string command = "schemamem report";
  for (const std::string& run : options.runs) command += " " + run;
  const std::vector<std::filesystem::path> paths(options.runs.begin(), options.runs.end());
  const auto ledger = Ledger::read(paths, model_names(), is_model_option);
  if (!ledger) return ledger.error();
  const auto page = report_page(*ledger, paper_subject(*ledger), command + " -o " + out.filename().string());
  if (!page) return page.error();
  if (const Status written = write_file_atomically(out, *page); !written) return written;
  const std::size_t runs = ledger->runs().size() + ledger->guests().size() + ledger->others().size();
  if (console.json) {
    const nlohmann::ordered_json answer{
        {"page", out.string()}, {"runs", runs}, {"recipes", ledger->recipes()}, {"bytes", page->size()}};
    return console.print(answer.dump() + "\n");
  }
  return console.print(fmt::format("{}: {} run{}, {:.1f} MB, opens in any browser without a network\n", out.string(),
                                   runs, runs == 1 ? "" : "s", static_cast<double>(page->size()) / 1e6));
}

}  // namespace

void register_report(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App& command =
      commands.add(program, "report", "Write a page for the browser: claims, tables and curves beside the paper's.",
                   "schemamem report runs -o report.html\n"
                   "schemamem report results/fast results/steady -o both.html");
  command.add_option("RUNS", options->runs, "Run folders, or folders of runs")->type_name("DIR");
  command.add_option("-o,--out", options->out, "The page to write (report.html)")->type_name("FILE");
  commands.on(command, [options](Console& console) { return report(*options, console); });
}

}  // namespace schemamem
