#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "paper/diff.h"
#include "report/gnuplot_script.h"
#include "report/statistics.h"
#include "report/table.h"

namespace schemamem {

/// Runs that the paper has no place for, although they are of its task: of other settings, or of other models. What
/// they give stands in a table and a figure of their own, with all models of those settings side by side. Models of the
/// paper are there under the selected recipe, others under whatever recipe they have.
class Beyond {
 public:
  Beyond(const Ledger& ledger, const Selection& selection);

  bool empty() const { return runs_ == 0; }
  /// There are such runs, and none that the paper has a place for.
  bool is_all() const { return runs_ > 0 && of_grid_ == 0; }
  /// The settings that they are of.
  const std::vector<std::string>& settings() const { return settings_; }
  /// other_settings; nothing if none of them is evaluated.
  std::vector<Table> tables() const;
  std::vector<Figure> figures() const;
  /// A sentence about them; empty if there are none.
  std::string note() const;

 private:
  /// A row of the table, a line of the figure.
  struct Line {
    std::string model, recipe, title;
  };
  struct Point {
    std::string setting;
    std::size_t line = 0;  // of lines_
    std::int64_t delay = 0;
    std::vector<std::optional<Summary>> by_column{};
  };
  void add_points(const Ledger& ledger, std::uint64_t eval_seed);

  std::string recipe_;
  std::size_t runs_ = 0;     // that the paper has no place for
  std::size_t of_grid_ = 0;  // runs of its settings and models
  std::vector<std::string> settings_;
  std::vector<Line> lines_;
  std::vector<Point> points_;
};

}  // namespace schemamem
