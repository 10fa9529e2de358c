#include "check/check.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/report_commands.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

struct CheckOptions {
  std::vector<std::string> folders;
  bool all = false;
};

struct Counts {
  std::size_t runs = 0, damaged = 0, unreadable = 0;

  void add(const RunCheck& check) {
    ++runs;
    const bool is_damaged = std::any_of(check.findings.begin(), check.findings.end(),
                                        [](const Finding& finding) { return !finding.unreadable; });
    if (is_damaged) ++damaged;
    if (!check.whole() && !is_damaged) ++unreadable;
  }
  std::string text() const {
    return fmt::format("{} {}: {} whole, {} damaged, {} unreadable", runs, runs == 1 ? "run" : "runs",
                       runs - damaged - unreadable, damaged, unreadable);
  }
};

std::string number_of(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string text_of(const RunCheck& check, const Paint& paint) {
  std::string text = fmt::format("{} {}: {}, {}, {}\n", check.whole() ? paint.green("whole  ") : paint.red("DAMAGED"),
                                 printable(check.folder.string()), check.state,
                                 number_of(check.checkpoints, "checkpoint"), number_of(check.records, "record"));
  for (const Finding& finding : check.findings) {
    text += fmt::format("  {} {}: {}\n    {}\n", paint.red(finding.unreadable ? "unreadable" : "damaged"),
                        printable(finding.file), finding.what, finding.rescue);
  }
  for (const std::string& note : check.notes) text += paint.dim("  note: " + note) + "\n";
  return text;
}

Json json_of(const RunCheck& check) {
  Json findings = Json::array();
  for (const Finding& finding : check.findings) {
    findings.push_back({{"kind", finding.unreadable ? "unreadable" : "damaged"},
                        {"file", finding.file},
                        {"what", finding.what},
                        {"rescue", finding.rescue}});
  }
  return {{"run", check.folder.string()}, {"whole", check.whole()},
          {"state", check.state},         {"checkpoints", check.checkpoints},
          {"records", check.records},     {"findings", findings},
          {"notes", check.notes}};
}

Status check(const CheckOptions& options, Console& console) {
  if (options.folders.empty())
    return Error(ErrorKind::kUsage, "`schemamem check` needs at least one run or folder of runs.");
  std::vector<std::filesystem::path> runs;
  for (const std::string& folder : options.folders) {
    const auto found = runs_to_check(folder, options.all);
    if (!found) return found.error();
    runs.insert(runs.end(), found->begin(), found->end());
  }
  Counts counts;
  Json answer = Json::array();
  for (const std::filesystem::path& run : runs) {
    const RunCheck checked = check_run(run);
    counts.add(checked);
    if (console.json) {
      answer.push_back(json_of(checked));
    } else if (const Status printed = console.print(text_of(checked, console.paint)); !printed) {
      return printed;
    }
  }
  const Json whole{{"runs", answer},
                   {"counts", {{"runs", counts.runs}, {"damaged", counts.damaged}, {"unreadable", counts.unreadable}}}};
  const std::string end = console.json ? whole.dump(-1, ' ', true, Json::error_handler_t::replace) : counts.text();
  if (const Status printed = console.print(end + "\n"); !printed) return printed;
  if (counts.damaged > 0)
    return Error(ErrorKind::kBadData, counts.text() + ". What can be saved stands below each file.");
  if (counts.unreadable > 0)
    return Error(ErrorKind::kInputOutput, counts.text() + ". Check the permissions and the disk, and check again.");
  return Done{};
}

}  // namespace

void register_check(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App& command = commands.add(program, "check", "Hold everything in run folders against everything else in them.",
                                   "schemamem check runs/schemamem-A3V3-fast-s42-1a2b3c4d\n"
                                   "schemamem check --all results --json");
  command.add_option("FOLDER", options->folders, "Runs, or folders of runs")->type_name("FOLDER...");
  command.add_flag("--all", options->all, "Every run below the folders, however deep");
  commands.on(command, [options](Console& console) { return check(*options, console); });
}

}  // namespace schemamem
