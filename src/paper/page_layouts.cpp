#include "paper/page_layouts.h"

#include <fmt/format.h>

#include <tuple>

#include "record/evaluation_record.h"

namespace schemamem {
namespace {

std::string column_title(std::string_view name) {
  for (const NamedColumn& column : named_columns())
    if (column.name == name) return std::string(column.title);
  return std::string(name);
}

/// "zero/updated" -> "updated", "overwrite/updated" -> "updated"
std::string after_slash(const std::string& column) {
  const std::size_t slash = column.find('/');
  return slash == std::string::npos ? column : column.substr(slash + 1);
}

std::vector<TableColumn> one_a_model(const std::string& unit, int places, const std::string& group = {},
                                     const std::string& prefix = {}) {
  std::vector<TableColumn> columns;
  for (const PaperModel& model : kPaperModels)
    columns.push_back({.name = prefix + std::string(model.name),
                       .label = std::string(group.empty() ? model.title : model.mark),
                       .unit = unit,
                       .places = places,
                       .group = group,
                       .model = std::string(model.name)});
  return columns;
}

std::vector<std::string> setting_and_model(const PaperCell& cell) { return {cell.setting, model_title(cell.model)}; }

}  // namespace

std::string model_title(std::string_view model) {
  for (const PaperModel& known : kPaperModels)
    if (known.name == model) return std::string(known.title);
  return std::string(model);
}

std::vector<TableColumn> named_table_columns(const std::string& unit) {
  std::vector<TableColumn> columns;
  for (const NamedColumn& column : named_columns())
    columns.push_back({.name = std::string(column.name), .label = std::string(column.title), .unit = unit});
  return columns;
}

std::vector<TableLayout> table_layouts() {
  std::vector<TableLayout> all;
  all.push_back({.id = "resources",
                 .title = "Resources",
                 .caption = "Sizes for A3V3: parameters, elements of the state carried from input to input, and the "
                            "final validation target in percent.",
                 .heads = {"Model"},
                 .columns = {{"parameters", "Parameters", "count", 0},
                             {"persistent_elements", "Persistent elements", "count", 0},
                             {"target", "Final target", "target", 0}},
                 .row = [](const PaperCell& cell) { return std::vector{model_title(cell.model)}; },
                 .column = [](const PaperCell& cell) { return cell.column; }});
  std::vector<TableColumn> core = one_a_model("percent", 1, column_title("retained_i"), "retained_i/");
  for (const TableColumn& column : one_a_model("percent", 1, column_title("updated"), "updated/"))
    core.push_back(column);
  all.push_back({.id = "core",
                 .title = "Core results",
                 .caption = "All nine long-delay comparisons: mean exact-value accuracy (%) at delay 1,536. The paper "
                            "prints no SD in this table.",
                 .heads = {"Setting"},
                 .columns = core,
                 .row = [](const PaperCell& cell) { return std::vector{cell.setting}; },
                 .column = [](const PaperCell& cell) { return cell.column + "/" + cell.model; }});
  all.push_back(
      {.id = "long_delay",
       .title = "Long delay",
       .caption = "Delay 1,536: exact-value accuracy (%, mean ± sample SD over training seeds). Retained-R: retention "
                  "only; Retained-I: retained after disjoint writes; Updated and Default: overwrite scenario.",
       .heads = {"Setting", "Model"},
       .columns = named_table_columns("percent"),
       .row = setting_and_model,
       .column = [](const PaperCell& cell) { return cell.column; }});
  all.push_back({.id = "cost",
                 .title = "Training cost",
                 .caption = "Total optimiser steps (transactions and maintenance), mean over training seeds.",
                 .heads = {"Setting"},
                 .columns = one_a_model("steps", 0),
                 .row = [](const PaperCell& cell) { return std::vector{cell.setting}; },
                 .column = [](const PaperCell& cell) { return cell.model; }});
  all.push_back({.id = "per_seed",
                 .title = "Every seed",
                 .caption = "Per-seed endpoints: transaction and maintenance steps, and exact-value accuracy (%) at "
                            "delay 1,536 of retained values after disjoint writes and of updated values.",
                 .heads = {"Setting", "Model", "Seed"},
                 .columns = {{"tx_steps", "Transactions", "steps", 0},
                             {"maint_steps", "Maintenance", "steps", 0},
                             {"retained_i", column_title("retained_i"), "percent", 2},
                             {"updated", column_title("updated"), "percent", 2}},
                 .row =
                     [](const PaperCell& cell) {
                       return std::vector{cell.setting, model_title(cell.model), std::to_string(*cell.seed)};
                     },
                 .column = [](const PaperCell& cell) { return cell.column; }});
  all.push_back(
      {.id = "groups",
       .title = "Scenario groups",
       .caption = "Every group of every scenario at delay 1,536: exact-value accuracy (%, mean ± sample SD). A dash "
                  "means that the scenario has no such group.",
       .heads = {"Setting", "Model", "Scenario"},
       .columns = {{"retained", "Retained", "percent"},
                   {"updated", "Updated", "percent"},
                   {"default", "Default", "percent"}},
       .row =
           [](const PaperCell& cell) {
             return std::vector{cell.setting, model_title(cell.model), cell.column.substr(0, cell.column.find('/'))};
           },
       .column = [](const PaperCell& cell) { return after_slash(cell.column); }});
  for (const auto& [id, words, delay] :
       {std::tuple{"ablation_384", "384", kTrainedDelay}, std::tuple{"ablation_1536", "1,536", kLongDelay}}) {
    all.push_back(
        {.id = id,
         .title = fmt::format("S = 0 at {}", words),
         .caption = fmt::format("SchemaMem at delay {}, normally and with S set to zero after every commit: the same "
                                "checkpoints, the same episodes.",
                                words),
         .heads = {"Setting", "State"},
         .columns = named_table_columns("percent"),
         .row =
             [](const PaperCell& cell) {
               return std::vector<std::string>{cell.setting, cell.column.starts_with("zero/") ? "S = 0" : "normal"};
             },
         .column = [](const PaperCell& cell) { return after_slash(cell.column); },
         .ablated_at = delay});
  }
  return all;
}

}  // namespace schemamem
