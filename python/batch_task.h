#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bindings.h"

namespace schemamem::python {

/// What goes in and out of batches of the caller's own.
struct BatchShape {
  std::size_t inputs = 0, symbols = 0;  // one of the two
  std::size_t classes = 0, bits = 0;    // one of the two
  std::size_t longest = 0;
  std::size_t chunks = 0;
};

/// One batch: arrays of the caller's, [episodes, rows]. Rows are [episodes, rows, inputs]; empty spans are not given.
struct OwnBatch {
  std::size_t episodes = 0, rows = 0;
  std::span<const float> x{};
  std::span<const std::int32_t> targets{};  // -1: nothing is expected
  std::span<const std::uint8_t> marks{};
  std::span<const float> weights{};
};

/// A task whose episodes are those of the batch that was put in last, so that a trainer of the library trains on
/// arrays. Episodes that are shorter than the longest end with rows that ask nothing.
class BatchTask final : public inside::Task {
 public:
  explicit BatchTask(const BatchShape& shape);

  /// The next batch; a usage error if it does not fit the shape.
  void put(const OwnBatch& batch);
  const OwnBatch& batch() const { return batch_; }

  std::string_view name() const override { return "own"; }
  std::string setting() const override { return "own"; }
  inside::TaskShape shape() const override;
  Protocol protocol() const override { return Protocol::kLevels; }
  std::span<const std::string_view> groups() const override { return groups_; }
  std::span<const std::string> scenarios() const override { return scenarios_; }
  std::span<const std::int8_t> scored(std::size_t) const override { return scored_; }
  std::size_t tokens(const EpisodeCase&) const override { return shape_.longest; }
  std::size_t marked_chunks(const EpisodeCase&) const override { return shape_.chunks; }
  inside::Status check(const EpisodeCase&) const override { return Done{}; }
  std::unique_ptr<EpisodeSource> source() const override;
  std::vector<std::vector<EpisodeCase>> levels() const override { return {{{.scenario = 0, .delay = shape_.longest}}}; }

 private:
  BatchShape shape_;
  OwnBatch batch_;
  std::vector<std::string_view> groups_{"all"};
  std::vector<std::string> scenarios_{"batches"};
  std::vector<std::int8_t> scored_{0};
};

}  // namespace schemamem::python
