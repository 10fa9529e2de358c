#include "task/evaluation_episodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/sha256.h"

namespace schemamem {
namespace {

TaskCase checked(const TaskCase& request) {
  const Status status = check_evaluation(request, kLongestStreamedDelay);
  require(static_cast<bool>(status), status ? "" : status.error().message());
  return request;
}

std::uint64_t numpy_seed(const TaskCase& request, std::uint64_t seed) {
  return seed + 1009 * info(request.scenario).paper_index.value() + request.delay;
}

}  // namespace

Status check_evaluation(const TaskCase& request, std::int64_t longest_delay) {
  if (const Status status = check(request, longest_delay); !status) return status.error();
  const ScenarioInfo& scenario = info(request.scenario);
  if (scenario.paper_index) return Done{};
  if (scenario.family == Family::kRounds) {
    return Error(ErrorKind::kUsage,
                 "Scenario \"rounds\" is evaluated over numbers of writes, not over delays: `schemamem eval --writes "
                 "8,64,1024`.");
  }
  return Error(ErrorKind::kUsage,
               fmt::format("Scenario \"{}\" is for training only and has no evaluation episodes. Choose immediate, "
                           "retention, interference or overwrite.",
                           scenario.name));
}

EvaluationEpisodes::EvaluationEpisodes(const TaskCase& request, EvaluationOptions options)
    : case_(checked(request)),
      size_(episode_size(request)),
      remaining_(options.episodes),
      random_(numpy_seed(request, options.seed)),
      database_(request.setting.addresses()) {
  const std::size_t rows = std::min(kPaperEvaluationBatch, options.episodes);
  order_.resize(rows * request.setting.addresses());
  current_.resize(order_.size());
  written_.resize(rows * size_.writes);
  asked_.resize(rows * size_.queries);
  fillers_.resize(rows, random_);
}

std::span<const Token> EvaluationEpisodes::next() {
  require(case_.delay <= static_cast<std::size_t>(kLongestDelay),
          "EvaluationEpisodes::next: a delay this long is drawn piece by piece");
  if (!next(whole_)) return {};
  tokens_.assign(whole_.before().begin(), whole_.before().end());
  for (std::size_t i = 0; i < size_.delay; ++i) tokens_.push_back(whole_.next_filler());
  tokens_.insert(tokens_.end(), whole_.questions().begin(), whole_.questions().end());
  return tokens_;
}

bool EvaluationEpisodes::next(EvaluationEpisode& episode) {
  if (remaining_ == 0) return false;
  if (row_ == rows_) {
    row_ = 0;
    rows_ = std::min(kPaperEvaluationBatch, remaining_);
    draw_batch(rows_);
  }
  const std::size_t n = case_.setting.addresses();
  const EpisodeChoices choices{.order = std::span(order_).subspan(row_ * n, n),
                               .written = std::span(written_).subspan(row_ * size_.writes, size_.writes),
                               .asked = std::span(asked_).subspan(row_ * size_.queries, size_.queries)};
  const std::span<const Number> never_written = choices.order.subspan(n / 2);
  episode.setting_ = case_.setting;
  episode.never_written_.assign(never_written.begin(), never_written.end());
  episode.random_ = fillers_[row_];
  // Every delay stands right before the final queries and changes none of their answers.
  TaskCase without_delay = case_;
  without_delay.delay = 0;
  episode.tokens_.resize(size_.writes + size_.queries);
  assemble(
      without_delay, choices, database_, [] { return Number{0}; }, episode.tokens_);
  ++row_;
  --remaining_;
  return true;
}

void EvaluationEpisodes::draw_batch(std::size_t rows) {
  const std::size_t n = case_.setting.addresses();
  for (std::size_t row = 0; row < rows; ++row) {
    random_.permutation(std::span(order_).subspan(row * n, n));
    for (std::size_t j = 0; j < n; ++j) current_[row * n + j] = static_cast<Number>(case_.setting.default_value(j));
  }
  const ScenarioInfo& scenario = info(case_.scenario);
  std::size_t first_write = 0, first_query = 0;
  for (const SegmentInfo& segment : scenario.segments) {
    const Places at = places(scenario, segment.set, case_.setting);
    switch (segment.kind) {
      case SegmentKind::kWrite:
        draw_values(rows, at, first_write);
        first_write += at.size();
        break;
      case SegmentKind::kQuery:
        for (std::size_t row = 0; row < rows; ++row)
          random_.permutation(std::span(asked_).subspan(row * size_.queries + first_query, n));
        first_query += n;
        break;
      case SegmentKind::kDelay:
        for (std::size_t row = 0; row < rows; ++row) {
          fillers_[row] = random_;
          random_.skip_uint32(case_.delay);
        }
        break;
    }
  }
}

bool EvaluationEpisodes::is_offending(std::size_t row, std::size_t place, Number value) const {
  const std::size_t n = case_.setting.addresses();
  const std::size_t address = order_[row * n + place];
  return value == current_[row * n + address] || value == case_.setting.default_value(address);
}

void EvaluationEpisodes::draw_values(std::size_t rows, Places at, std::size_t first_write) {
  const std::size_t n = case_.setting.addresses();
  const auto value = [&](std::size_t row, std::size_t place) -> Number& {
    return written_[row * size_.writes + first_write + place - at.first];
  };
  struct Cell {
    std::size_t row, place;
  };
  // The first round draws every cell, each further one those that offend, always in row-major order.
  std::vector<Cell> cells;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t place = at.first; place < at.last; ++place) cells.push_back({row, place});
  }
  while (!cells.empty()) {
    for (const Cell& cell : cells)
      value(cell.row, cell.place) = static_cast<Number>(random_.integer(case_.setting.values()));
    std::erase_if(cells, [&](const Cell& c) { return !is_offending(c.row, c.place, value(c.row, c.place)); });
  }
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t place = at.first; place < at.last; ++place)
      current_[row * n + order_[row * n + place]] = value(row, place);
  }
}

std::string evaluation_hash(const TaskCase& request, EvaluationOptions options) {
  EvaluationEpisodes episodes(request, options);
  Sha256 hash;
  std::vector<std::byte> bytes;
  for (auto tokens = episodes.next(); !tokens.empty(); tokens = episodes.next()) {
    bytes.clear();
    for (const Token& token : tokens) {
      const std::array<std::int32_t, 5> record{token.address, token.value, token.label,
                                               static_cast<std::int32_t>(token.group), token.final ? 1 : 0};
      for (const std::int32_t number : record) {
        for (int shift = 0; shift < 32; shift += 8)
          bytes.push_back(static_cast<std::byte>(static_cast<std::uint32_t>(number) >> shift));
      }
    }
    hash.update(bytes);
  }
  return hash.hex_digest();
}

}  // namespace schemamem
