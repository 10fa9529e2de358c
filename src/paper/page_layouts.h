#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "paper/numbers.h"

namespace schemamem {

struct TableColumn {
  std::string name, label, unit;
  int places = 1;
  std::string group{}, model{};
};

/// How the cells of one of the paper's tables are laid out.
struct TableLayout {
  std::string id, title, caption;
  std::vector<std::string> heads;
  std::vector<TableColumn> columns;
  std::function<std::vector<std::string>(const PaperCell&)> row;  // what stands at the beginning of its row
  std::function<std::string(const PaperCell&)> column;            // the name of its column
  std::optional<std::int64_t> ablated_at{};                       // the delay of an ablation
};

/// The paper's tables, in the order of the page.
std::vector<TableLayout> table_layouts();
/// The named columns, with one unit for all.
std::vector<TableColumn> named_table_columns(const std::string& unit);
/// "schemamem" -> "SchemaMem"
std::string model_title(std::string_view model);

}  // namespace schemamem
