#include "paper/numbers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "report/statistics.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kOneDecimal = 0.05, kTwoDecimals = 0.005, kWhole = 0.5;
constexpr std::array<std::string_view, 4> kColumns{"retained_r", "retained_i", "updated", "default"};

std::string model_name(const std::string& mark_or_title) {
  for (const PaperModel& model : kPaperModels)
    if (mark_or_title == model.mark || mark_or_title == model.title) return std::string(model.name);
  throw ContractViolation("paper_numbers.json: unknown model " + mark_or_title);
}

/// A table with the mean over seeds beside its SD.
PaperCell with_sd(PaperCell cell, const Json& number) {
  cell.mean = number.at("mean");
  cell.sd = number.at("sd").get<double>();
  cell.sd_printed = true;
  cell.rounding = kOneDecimal;
  return cell;
}

class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {
    resources();
    core();
    long_delay();
    cost();
    per_seed();
    groups();
    ablation("ablation_384", kTrainedDelay);
    ablation("ablation_1536", kLongDelay);
  }
  std::vector<PaperCell> cells{};

 private:
  void resources() {
    for (const PaperModel& model : kPaperModels) {
      const Json& row = json_.at("resources").at(std::string(model.title));
      const auto put = [&](const char* column, const char* key) {
        cells.push_back({.table = "resources",
                         .model = std::string(model.name),
                         .setting = "A3V3",
                         .column = column,
                         .mean = row.at(key),
                         .better = Better::kEqual});
      };
      put("parameters", "parameters");
      put("persistent_elements", "persistent");
      put("target", "target");
    }
  }

  void core() {
    for (const Json& row : json_.at("core_results_1536")) {
      for (const char* column : {"retained_i", "updated"}) {
        for (const PaperModel& model : kPaperModels) {
          cells.push_back({.table = "core",
                           .model = std::string(model.name),
                           .setting = row.at("setting"),
                           .column = column,
                           .delay = kLongDelay,
                           .mean = row.at(column).at(std::string(model.mark)),
                           .sd = long_delay_sd(row.at("setting"), std::string(model.mark), column),
                           .rounding = kOneDecimal});
        }
      }
    }
  }

  void long_delay() {
    for (const Json& row : json_.at("long_delay_1536"))
      put_columns({.table = "long_delay", .model = model_name(row.at("model"))}, row, "", kLongDelay);
  }

  void cost() {
    for (const Json& row : json_.at("cost_steps")) {
      for (const PaperModel& model : kPaperModels) {
        const std::string mark(model.mark);
        cells.push_back({.table = "cost",
                         .model = std::string(model.name),
                         .setting = row.at("setting"),
                         .column = "steps",
                         .mean = row.at(mark),
                         .sd = seeds_sd(row.at("setting"), mark, {"tx_steps", "maint_steps"}),
                         .rounding = kWhole,
                         .better = Better::kLower});
      }
    }
  }

  void per_seed() {
    for (const Json& row : json_.at("per_seed")) {
      PaperCell cell{.table = "per_seed",
                     .model = model_name(row.at("model")),
                     .setting = row.at("setting"),
                     .seed = row.at("seed").get<std::uint64_t>(),
                     .rounding = kWhole,
                     .better = Better::kLower};
      const auto put = [&](const char* column, const char* key) {
        cell.column = column;
        cell.mean = row.at(key);
        cell.sd = seeds_sd(cell.setting, row.at("model"), {key});
        cells.push_back(cell);
      };
      put("tx_steps", "tx_steps");
      put("maint_steps", "maint_steps");
      cell.delay = kLongDelay;
      cell.rounding = kTwoDecimals;
      cell.better = Better::kHigher;
      put("retained_i", "retained_i_1536");
      put("updated", "updated_1536");
    }
  }

  void groups() {
    for (const Json& row : json_.at("scenario_groups_1536")) {
      for (const char* group : {"retained", "updated", "default"}) {
        if (row.at(group).is_null()) continue;  // the scenario has no such group
        cells.push_back(with_sd({.table = "groups",
                                 .model = model_name(row.at("model")),
                                 .setting = row.at("setting"),
                                 .column = row.at("scenario").get<std::string>() + "/" + group,
                                 .delay = kLongDelay},
                                row.at(group)));
      }
    }
  }

  void ablation(const std::string& table, std::int64_t delay) {
    for (const Json& row : json_.at(table))
      put_columns({.table = table, .model = "schemamem"}, row, row.at("state") == "zero" ? "zero/" : "", delay);
  }

  void put_columns(PaperCell cell, const Json& row, const std::string& prefix, std::int64_t delay) {
    cell.setting = row.at("setting");
    cell.delay = delay;
    for (const std::string_view column : kColumns) {
      cell.column = prefix + std::string(column);
      // Without S, written values are to be lost and defaults to stay.
      cell.better = !prefix.empty() && column != "default" ? Better::kLower : Better::kHigher;
      cells.push_back(with_sd(cell, row.at(std::string(column))));
    }
  }

  std::optional<double> long_delay_sd(const std::string& setting, const std::string& mark, const char* column) const {
    for (const Json& row : json_.at("long_delay_1536"))
      if (row.at("setting") == setting && row.at("model") == mark) return row.at(column).at("sd").get<double>();
    return std::nullopt;
  }

  /// The SD over seeds of the sum of some columns of the table of seeds.
  std::optional<double> seeds_sd(const std::string& setting, const std::string& mark,
                                 std::initializer_list<const char*> columns) const {
    std::vector<double> sums;
    for (const Json& row : json_.at("per_seed")) {
      if (row.at("setting") != setting || row.at("model") != mark) continue;
      double sum = 0;
      for (const char* column : columns) sum += row.at(column).get<double>();
      sums.push_back(sum);
    }
    const auto summary = summarise(sums);
    return summary ? summary->sd : std::nullopt;
  }

  const Json& json_;
};

}  // namespace

std::size_t model_rank(std::string_view name) {
  const auto found = std::find_if(kPaperModels.begin(), kPaperModels.end(),
                                  [&](const PaperModel& model) { return model.name == name; });
  return static_cast<std::size_t>(found - kPaperModels.begin());
}

std::vector<PaperCell> paper_cells() {
  const Result<JsonField> json = parse_json(paper_numbers_json(), "paper_numbers.json");
  return Reader(json->raw()).cells;
}

}  // namespace schemamem
