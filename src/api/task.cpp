#include "api/access.h"
#include "api/own_task.h"

#include <schemamem/task.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace schemamem {
inline namespace v0 {
namespace {

/// Runs one call on the sequence of a public generator.
template <class Call>
auto with_rng(std::array<std::uint64_t, 4>& state, const Call& call) {
  auto rng = std::bit_cast<inside::Rng>(state);
  const auto result = call(rng);
  state = std::bit_cast<std::array<std::uint64_t, 4>>(rng);
  return result;
}

/// Room for the next row, whose mark is noted.
std::size_t next_row(impl::EpisodeSink& sink, Mark mark) {
  if (sink.rows == sink.out.size()) {
    throw std::invalid_argument("EpisodeWriter: the shape says that the longest episode has " +
                                std::to_string(sink.out.size()) + " rows; this one has more");
  }
  sink.out.marks[sink.rows] = static_cast<RowMark>(mark);
  if (sink.rows > 0 && ends_chunk(sink.out.marks[sink.rows]) && ++sink.chunks > sink.shape.chunks) {
    throw std::invalid_argument("EpisodeWriter: the shape says that marks cut an episode into at most " +
                                std::to_string(sink.shape.chunks) + " chunks; here are more");
  }
  return sink.rows++;
}

}  // namespace

Rng::Rng(std::uint64_t seed)
    : state_(std::bit_cast<std::array<std::uint64_t, 4>>(inside::Rng::stream(seed, Purpose::kTrainEpisode, 0))) {}
std::uint64_t Rng::next() {
  return with_rng(state_, [](inside::Rng& rng) { return rng.next(); });
}
std::uint64_t Rng::below(std::uint64_t n) {
  return with_rng(state_, [n](inside::Rng& rng) { return rng.below(n); });
}
double Rng::uniform() {
  return with_rng(state_, [](inside::Rng& rng) { return rng.uniform(); });
}
double Rng::normal() {
  return with_rng(state_, [](inside::Rng& rng) { return rng.normal(); });
}

void EpisodeWriter::row(std::span<const float> numbers, Mark mark) {
  if (numbers.size() != sink_->shape.inputs) {
    throw std::invalid_argument("EpisodeWriter::row: the shape says that a row has " +
                                std::to_string(sink_->shape.inputs) + " numbers; found " +
                                std::to_string(numbers.size()));
  }
  if (!std::all_of(numbers.begin(), numbers.end(), [](float number) { return std::isfinite(number); }))
    throw std::invalid_argument("EpisodeWriter::row: every number of a row is finite");
  std::copy(numbers.begin(), numbers.end(), &sink_->out.inputs(next_row(*sink_, mark), 0));
}

void EpisodeWriter::symbol(std::size_t symbol, Mark mark) {
  if (symbol >= sink_->shape.symbols) {
    throw std::invalid_argument("EpisodeWriter::symbol: the shape has " + std::to_string(sink_->shape.symbols) +
                                " symbols, numbered from 0; found " + std::to_string(symbol));
  }
  sink_->out.inputs(next_row(*sink_, mark), 0) = static_cast<float>(symbol);
}

void EpisodeWriter::target(std::size_t answer, float weight, std::string_view group) {
  const TaskShape& shape = sink_->shape;
  const std::size_t answers = shape.bits > 0 ? std::size_t{1} << shape.bits : shape.classes;
  const auto& groups = shape.groups;
  const auto found = group.empty() ? groups.begin() : std::find(groups.begin(), groups.end(), group);
  if (sink_->rows == 0) throw std::invalid_argument("EpisodeWriter::target: write the row first, then its target");
  if (answer >= answers) {
    throw std::invalid_argument("EpisodeWriter::target: the shape has " + std::to_string(answers) +
                                " answers, numbered from 0; found " + std::to_string(answer));
  }
  if (!(weight > 0) || !std::isfinite(weight))
    throw std::invalid_argument("EpisodeWriter::target: a weight is larger than 0; found " + std::to_string(weight));
  if (found == groups.end())
    throw std::invalid_argument("EpisodeWriter::target: the shape has no group " + std::string(group));
  const std::size_t t = sink_->rows - 1;
  sink_->out.labels[t] = static_cast<std::int32_t>(answer);
  sink_->out.weights[t] = weight;
  sink_->out.groups[t] = static_cast<std::int8_t>(found - groups.begin());
  sink_->out.is_final[t] = 1;
}

std::size_t EpisodeWriter::rows() const { return sink_->rows; }

Episode write_episode(const Task& task, Rng& rng) {
  // The task outlives this call, and nothing else keeps it.
  const impl::OwnTask own(std::shared_ptr<const Task>(&task, [](const Task*) {}));
  const EpisodeCase one = own.episodes();
  Batch batch(own.shape(), 1, own.tokens(one));
  batch.plan(own, {&one, 1});
  const EpisodeRows rows = batch.rows().slice(0, impl::write_rows(own, rng, batch.rows()));
  Episode episode{
      .row_width = rows.inputs.extent(1), .rows = {}, .marks = {}, .targets = {}, .weights = {}, .groups = {}};
  for (std::size_t t = 0; t < rows.size(); ++t) {
    episode.rows.insert(episode.rows.end(), rows.inputs[t].begin(), rows.inputs[t].end());
    episode.marks.push_back(static_cast<Mark>(rows.marks[t]));
    episode.targets.push_back(rows.labels[t]);
    episode.weights.push_back(rows.weights[t]);
    episode.groups.push_back(rows.groups[t]);
  }
  return episode;
}

}  // namespace v0
}  // namespace schemamem
