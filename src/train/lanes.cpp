#include "train/lanes.h"

#include <fmt/format.h>

#include <utility>

#include "base/result.h"
#include "base/rng.h"

namespace schemamem {
namespace {

Rounds rounds_of(const Recipe& recipe) {
  const auto number = [](double value) { return static_cast<std::size_t>(value); };
  return {.fewest_writes = number(recipe.lanes.writes.at(0)),
          .most_writes = number(recipe.lanes.writes.at(1)),
          .fewest_reads = number(recipe.lanes.reads.at(0)),
          .most_reads = number(recipe.lanes.reads.at(1)),
          .wait = static_cast<std::size_t>(recipe.lanes.wait),
          .wait_every = static_cast<std::size_t>(recipe.lanes.wait_every)};
}

}  // namespace

Status Lanes::check(const Recipe& recipe, const Task& task) {
  const auto& lanes = recipe.lanes;
  if (lanes.steps == 0) return Done{};
  if (lanes.count > recipe.batch.episodes) {
    return Error(ErrorKind::kUsage,
                 fmt::format("lanes.count is {}, more than the {} episodes of a batch (batch.episodes).", lanes.count,
                             recipe.batch.episodes));
  }
  for (const auto& [name, range] : {std::pair{"writes", lanes.writes}, {"reads", lanes.reads}}) {
    if (range.at(0) > range.at(1)) {
      return Error(ErrorKind::kUsage, fmt::format("lanes.{} is [{}, {}]; expected the fewest, then the most.", name,
                                                  range.at(0), range.at(1)));
    }
  }
  if (task.endless(rounds_of(recipe)) != nullptr) return Done{};
  return Error(ErrorKind::kUsage, fmt::format("The task {} has no endless streams, on which lanes.steps = {} are to be "
                                              "trained; choose another recipe, or --set lanes.steps=0.",
                                              task.name(), lanes.steps));
}

Lanes::Lanes(const Recipe& recipe, const Task& task, const SequenceModel<float>& model, std::uint64_t seed)
    : seed_(seed),
      tokens_(static_cast<std::size_t>(recipe.lanes.tokens)),
      elements_(model.carried().size()),
      restart_(recipe.lanes.restart) {
  if (recipe.lanes.steps == 0) return;
  lanes_.resize(static_cast<std::size_t>(recipe.lanes.count));
  for (Lane& lane : lanes_) {
    lane.stream = task.endless(rounds_of(recipe));
    require(lane.stream != nullptr, "Lanes: the task has endless streams");
  }
  states_ = Buffer<float>(lanes_.size() * elements_);
  next_ = Buffer<float>(lanes_.size() * elements_);
  for (std::size_t i = 0; i < lanes_.size(); ++i) begin(i, 0);
}

bool Lanes::begins(std::size_t lane, std::int64_t step) const {
  if (step == 0) return true;
  const std::uint64_t index = static_cast<std::uint64_t>(step) * lanes_.size() + lane;
  return Rng::stream(seed_, Purpose::kLaneRestart, index).uniform() < restart_;
}

void Lanes::begin(std::size_t lane, std::int64_t step) {
  const std::uint64_t index = static_cast<std::uint64_t>(step) * lanes_.size() + lane;
  lanes_[lane].stream->begin(Rng::stream(seed_, Purpose::kLaneEpisode, index));
  lanes_[lane].born = step;
  lanes_[lane].read = 0;
}

void Lanes::seek(std::int64_t step) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    std::int64_t born = step;
    while (!begins(i, born)) --born;
    if (born != lane.born || lane.read > step - born) begin(i, born);
    for (; lane.read < step - born; ++lane.read) lane.stream->skip(tokens_);
  }
  at_ = step;
}

void Lanes::fill(std::size_t lane, const EpisodeRows& out) {
  require(out.size() == tokens_, "Lanes::fill: a piece has as many rows as the recipe says");
  lanes_[lane].stream->next(out);
  ++lanes_[lane].read;
}

std::span<const float> Lanes::before(std::size_t lane) const {
  if (lanes_[lane].born == at_) return {};
  return states().subspan(lane * elements_, elements_);
}

std::span<float> Lanes::behind(std::size_t lane) { return next_.span().subspan(lane * elements_, elements_); }

}  // namespace schemamem
