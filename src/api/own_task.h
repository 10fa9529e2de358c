#pragma once

#include "api/inside.h"

#include <schemamem/task.h>

#include <memory>
#include <string>
#include <vector>

namespace schemamem::impl {

/// Where an EpisodeWriter writes: rows of somebody's, `longest` of them.
struct EpisodeSink {
  const v0::TaskShape& shape;
  EpisodeRows out;
  std::size_t rows = 0;
  std::size_t chunks = 1;
};

/// A public task as one of the rooms' own: one scenario, "episodes", and one level of episodes of `longest` rows.
/// Shorter ones are filled up with rows that ask nothing, which no answer before them can see.
class OwnTask final : public inside::Task {
 public:
  /// Throws std::invalid_argument if the shape contradicts itself.
  explicit OwnTask(std::shared_ptr<const v0::Task> task);

  const v0::Task& task() const { return *task_; }
  const v0::TaskShape& public_shape() const { return shape_; }
  EpisodeCase episodes() const { return {.scenario = 0, .delay = shape_.longest}; }

  std::string_view name() const override { return name_; }
  std::string setting() const override { return "own"; }
  inside::TaskShape shape() const override;
  Protocol protocol() const override { return Protocol::kLevels; }
  std::span<const std::string_view> groups() const override { return groups_; }
  std::span<const std::string> scenarios() const override { return scenarios_; }
  std::span<const std::int8_t> scored(std::size_t) const override { return scored_; }
  std::size_t tokens(const EpisodeCase&) const override { return shape_.longest; }
  std::size_t marked_chunks(const EpisodeCase&) const override { return shape_.chunks; }
  inside::Status check(const EpisodeCase& request) const override;
  std::unique_ptr<EpisodeSource> source() const override;
  std::vector<std::vector<EpisodeCase>> levels() const override { return {{episodes()}}; }
  std::vector<EpisodeCase> evaluated() const override { return {episodes()}; }

 private:
  std::shared_ptr<const v0::Task> task_;
  std::string name_;
  v0::TaskShape shape_;
  std::vector<std::string_view> groups_;
  std::vector<std::string> scenarios_{"episodes"};
  std::vector<std::int8_t> scored_;
};

/// Lets a task write one episode into rows that start empty. Returns how many it wrote.
std::size_t write_rows(const OwnTask& task, v0::Rng& rng, const EpisodeRows& out);

}  // namespace schemamem::impl
