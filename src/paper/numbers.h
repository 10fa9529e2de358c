#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "task/evaluation_seeds.h"

namespace schemamem {

struct PaperModel {
  std::string_view name;   // in files and on the command line
  std::string_view title;  // in the paper's text
  std::string_view mark;   // in its tables
};
inline constexpr std::array<PaperModel, 3> kPaperModels{PaperModel{"schemamem", "SchemaMem", "SM"},
                                                        PaperModel{"mamba3", "Mamba-3", "M3"},
                                                        PaperModel{"gdn", "Gated DeltaNet", "GDN"}};
/// Place in the paper's order; behind all of them for a model it does not have.
std::size_t model_rank(std::string_view name);

inline constexpr std::array<std::string_view, 9> kPaperSettings{"A3V3", "A3V4", "A3V5", "A4V3", "A4V4",
                                                                "A4V5", "A5V3", "A5V4", "A5V5"};
inline constexpr std::array<std::uint64_t, 3> kPaperSeeds{42, 43, 44};
inline constexpr std::array<std::int64_t, 5> kPaperDelays{96, 192, 384, 768, 1536};
/// The longest delay of training, and four times that.
inline constexpr std::int64_t kTrainedDelay = 384;
inline constexpr std::int64_t kLongDelay = 1536;

/// Which way a number is an improvement.
enum class Better { kHigher, kLower, kEqual };

/// One number of a table of the paper.
struct PaperCell {
  std::string table{};    // resources, core, long_delay, cost, per_seed, groups, ablation_384, ablation_1536
  std::string model{};    // schemamem, mamba3, gdn
  std::string setting{};  // A3V3; of the table of resources too, which is about A3V3
  /// A named column (retained_r, ...); `scenario/group` in groups; `zero/<named column>` for S = 0 in the ablations;
  /// parameters, persistent_elements, target; steps, tx_steps, maint_steps.
  std::string column{};
  std::optional<std::int64_t> delay{};  // nothing where there is none
  std::optional<std::uint64_t> seed{};  // per_seed only
  double mean = 0;
  /// The spread over the paper's three training seeds: printed beside the mean, or, where the table has none, printed
  /// in the table of long delays for the same quantity, or computed from the table of seeds. None for resources.
  std::optional<double> sd{};
  bool sd_printed = false;
  double rounding = 0;  // half a unit of the last digit printed
  Better better = Better::kHigher;
};

/// The paper's tables, as they were printed (src/paper/data/paper_numbers.json).
std::string_view paper_numbers_json();
/// Every number of them but the SDs, which stand beside their means; table by table, row by row.
std::vector<PaperCell> paper_cells();

}  // namespace schemamem
