#include "eval/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "models/memory_changes.h"
#include "task/address_value.h"
#include "task/batch.h"

namespace schemamem {
namespace {

constexpr std::size_t kDelay = 384;  // the longest of training

using Key = std::tuple<std::size_t, std::string_view, bool>;  // layer, kind, reads

double quantile(const std::vector<double>& rising, double share) {
  return rising[static_cast<std::size_t>(share * static_cast<double>(rising.size() - 1))];
}

ChangeSizes summary_of(const Key& key, std::vector<double> sizes) {
  std::sort(sizes.begin(), sizes.end());
  ChangeSizes summary{.layer = std::get<0>(key),
                      .reads = std::get<2>(key),
                      .kind = std::string(std::get<1>(key)),
                      .count = static_cast<std::int64_t>(sizes.size()),
                      .median = quantile(sizes, 0.5),
                      .p99 = quantile(sizes, 0.99),
                      .p999 = quantile(sizes, 0.999),
                      .most = sizes.back()};
  for (const double size : sizes) {
    if (size > 0) {
      ++summary.by_decade[static_cast<int>(std::floor(std::log10(size)))];
    } else {
      ++summary.zero;
    }
  }
  return summary;
}

/// The smallest of the largest numbers that together have kNeeded of the squares.
double smallest_needed(std::vector<double> sizes) {
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  double all = 0, sum = 0;
  for (const double size : sizes) all += size * size;
  for (const double size : sizes) {
    sum += size * size;
    if (sum >= kNeeded * all) return size;
  }
  return 0;
}

/// 0.00314 gives 0.003.
double with_one_digit(double value) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)));
  return std::strtod(fmt::format("{:.1g}", std::floor(value / unit) * unit).c_str(), nullptr);
}

std::vector<EpisodeCase> measured_cases(const Task& task) {
  if (dynamic_cast<const AddressValueTask*>(&task) != nullptr) return {episode_case(Scenario::kOverwrite, kDelay)};
  return task.evaluated();
}

}  // namespace

Result<Calibration> calibrate(const LoadedModel<float>& model, const Task& task, std::size_t episodes,
                              std::uint64_t seed) {
  const std::vector<EpisodeCase> cases = measured_cases(task);
  std::map<Key, std::vector<double>> sizes;
  Calibration found;
  found.smallest_write = std::numeric_limits<double>::infinity();
  bool read = false;
  const auto source = task.source();
  for (const EpisodeCase& one : cases) {
    Batch batch(task.shape(), 1, task.tokens(one));
    for (std::size_t i = 0; i < episodes; ++i) {
      batch.fill(task, *source, {&one, 1}, {.seed = seed, .purpose = Purpose::kEvaluationEpisode, .index = i});
      const EpisodeRows rows = batch.rows(0);
      std::map<std::size_t, std::vector<double>> written;  // by step, over all layers
      for (const MemoryChange& change :
           memory_changes<float>(model.model(), model.folded(), {.x = rows.inputs, .marks = rows.marks})) {
        std::vector<double>& all = sizes[{change.layer, change.kind, change.reads}];
        all.insert(all.end(), change.sizes.begin(), change.sizes.end());
        if (change.reads) {
          read = true;
          for (const double size : change.sizes) found.largest_read = std::max(found.largest_read, size);
        } else if (change.kind != "forget gate") {  // a write may well forget nothing
          std::vector<double>& step = written[change.step];
          step.insert(step.end(), change.sizes.begin(), change.sizes.end());
        }
      }
      for (auto& [step, all] : written)
        found.smallest_write = std::min(found.smallest_write, smallest_needed(std::move(all)));
    }
  }
  if (!read || !std::isfinite(found.smallest_write)) {
    return Error(ErrorKind::kUsage,
                 fmt::format("The episodes of the task {} do not say which rows write and which only "
                             "ask: there is nothing for a floor to separate.",
                             task.name()));
  }
  for (auto& [key, all] : sizes) found.sizes.push_back(summary_of(key, std::move(all)));
  if (found.largest_read < found.smallest_write) {
    const double least = std::max(found.largest_read, 1e-6 * found.smallest_write);  // reads may be perfectly still
    const double floor = with_one_digit(std::sqrt(least * found.smallest_write));
    if (floor > found.largest_read && floor < 1) found.floor = floor;
  }
  return found;
}

}  // namespace schemamem
