#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "record/evaluation_record.h"

namespace schemamem {

/// Delays down, the paper's columns across.
std::string named_table(std::span<const EvaluationCell> cells);
/// A line for each cell.
std::string whole_table(std::span<const EvaluationCell> cells);

/// The same for programs.
nlohmann::ordered_json named_json(std::span<const EvaluationCell> cells);
nlohmann::ordered_json cells_json(std::span<const EvaluationCell> cells);

}  // namespace schemamem
