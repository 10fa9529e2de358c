#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "catalog/find_model.h"
#include "catalog/places.h"
#include "cli/memory_commands.h"
#include "cli/task_options.h"
#include "record/evaluation_record.h"
#include "task/evaluation_episodes.h"
#include "task/evaluation_seeds.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kTableDelay = 1536;
constexpr std::array<std::int64_t, 3> kFurther{6144, 24576, 98304};

/// A published model, and what its records beside it say: the paper's columns by delay, in %.
struct Listed {
  NamedModel model;
  std::map<std::int64_t, std::map<std::string, double>> exact;
};

/// Adds the cells of one record, if there is one. Shorter delays of a curve are those of a table.
Status add_scores(const fs::path& record_file, std::int64_t from, Listed& listed) {
  std::error_code absent;
  if (!fs::exists(record_file, absent)) return Done{};
  const auto record = load_evaluation(record_file);
  if (!record) return record.error();
  for (const NamedColumn& column : named_columns()) {
    for (const EvaluationCell& cell : record->cells) {
      if (cell.delay >= from && cell.scenario == column.scenario && cell.group == column.group)
        listed.exact[cell.delay][std::string(column.name)] = cell.exact_percent();
    }
  }
  return Done{};
}

Listed with_scores(const NamedModel& model, Console& console) {
  Listed listed{.model = model, .exact = {}};
  const fs::path folder = evaluation_folder(model.file);
  EvaluationProtocol protocol{.eval_seed = kPaperEvaluationSeed, .episodes = kPaperEvaluationEpisodes, .isa = {}};
  Status read = add_scores(folder / evaluation_file_name(protocol), 1, listed);
  protocol.kind = "curve";
  protocol.episodes = 64;
  if (read) read = add_scores(folder / evaluation_file_name(protocol), kTableDelay + 1, listed);
  if (!read)
    console.err << fmt::format("note: the scores of {} are left out: {}\n", model.name, read.error().message());
  return listed;
}

Json json_of(const Listed& listed) {
  Json exact = Json::object();
  for (const auto& [delay, columns] : listed.exact) exact[std::to_string(delay)] = columns;
  return {{"name", listed.model.name}, {"file", listed.model.file.string()}, {"exact", exact}};
}

std::string score(const Listed& listed, std::int64_t delay, std::string_view column) {
  const auto columns = listed.exact.find(delay);
  if (columns == listed.exact.end()) return "-";
  const auto found = columns->second.find(std::string(column));
  return found == columns->second.end() ? "-" : fmt::format("{:.2f}", found->second);
}

/// The lowest of the paper's columns at a delay, once all are known.
std::string lowest(const Listed& listed, std::int64_t delay) {
  const auto columns = listed.exact.find(delay);
  if (columns == listed.exact.end() || columns->second.size() < named_columns().size()) return "-";
  const auto least = std::min_element(columns->second.begin(), columns->second.end(),
                                      [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format("{:.2f}", least->second);
}

std::string table(const std::vector<Listed>& models, const Paint& paint) {
  std::size_t width = 4;
  for (const Listed& one : models) width = std::max(width, one.model.name.size());
  std::string text = fmt::format("{:<{}} {:>28}{:>21}\n", "", width, fmt::format("at a delay of {}", kTableDelay),
                                 "lowest of them at");
  std::string head = fmt::format("{:<{}} ", "name", width);
  for (const char* title : {"Ret-R", "Ret-I", "Upd", "Def"}) head += fmt::format("{:>7}", title);
  for (const std::int64_t delay : kFurther) head += fmt::format("{:>7}", delay);
  text += paint.bold(head) + "\n";
  for (const Listed& one : models) {
    text += fmt::format("{:<{}} ", one.model.name, width);
    for (const NamedColumn& column : named_columns())
      text += fmt::format("{:>7}", score(one, kTableDelay, column.name));
    for (const std::int64_t delay : kFurther) text += fmt::format("{:>7}", lowest(one, delay));
    text += '\n';
  }
  return text + "Exact values in %: retained after retention and interference, updated, default.\n";
}

Status models(const Text& part, Console& console) {
  const auto places = model_places();
  std::vector<Listed> listed;
  std::set<std::string> seen;
  for (const NamedModel& model : list_models(places)) {
    if (part && model.name.find(*part) == std::string::npos) continue;
    if (seen.insert(model.name).second) listed.push_back(with_scores(model, console));
  }
  if (console.json) {
    Json list = Json::array();
    for (const Listed& one : listed) list.push_back(json_of(one));
    return console.print(Json{{"models", list}}.dump() + "\n");
  }
  if (!listed.empty()) return console.print(table(listed, console.paint));
  std::vector<std::string> folders;
  for (const fs::path& place : places) folders.push_back(place.string());
  return Error(ErrorKind::kMissingInput,
               fmt::format("There is no model{} in {}. Name folders of models in SCHEMAMEM_MODELS, or stand in the "
                           "repository, whose `results` has them.",
                           part ? " with " + quote(*part) + " in its name" : "", fmt::join(folders, ", ")));
}

}  // namespace

void register_models(CLI::App& program, Commands& commands) {
  const auto part = std::make_shared<Text>();
  CLI::App& command = commands.add(program, "models", "What is published: models by name, with their scores.",
                                   "schemamem models\n"
                                   "schemamem models a5v5-schemamem\n"
                                   "schemamem models steady-s42 --json");
  command.add_option("PART", *part, "Only names that have this in them");
  commands.on(command, [part](Console& console) { return models(*part, console); });
}

}  // namespace schemamem
