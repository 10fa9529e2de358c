#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "task/task.h"

namespace schemamem {

/// Bits come one by one; each row asks whether the number of ones so far is odd.
class ParityTask final : public Task {
 public:
  explicit ParityTask(std::size_t length) : length_(length) {}

  std::string_view name() const override { return "parity"; }
  std::string setting() const override { return "L" + std::to_string(length_); }
  TaskShape shape() const override { return {.inputs = 1, .outputs = 1, .answer = AnswerKind::kBits}; }
  Protocol protocol() const override { return Protocol::kLevels; }
  std::span<const std::string_view> groups() const override { return kGroupNames; }
  std::span<const std::string> scenarios() const override { return scenarios_; }
  std::span<const std::int8_t> scored(std::size_t) const override { return kScored; }
  std::size_t tokens(const EpisodeCase& request) const override { return request.delay; }
  std::size_t marked_chunks(const EpisodeCase&) const override { return 1; }
  Status check(const EpisodeCase& request) const override {
    if (request.delay > 0) return Done{};
    return Error(ErrorKind::kUsage, "An episode of parity has at least one row, found 0.");
  }
  std::unique_ptr<EpisodeSource> source() const override { return std::make_unique<Source>(); }
  std::vector<std::vector<EpisodeCase>> levels() const override { return {{{.delay = length_}}}; }
  std::vector<EpisodeCase> evaluated() const override { return {{.delay = length_}, {.delay = 2 * length_}}; }

 private:
  static constexpr std::array<std::string_view, 1> kGroupNames{"all"};
  static constexpr std::array<std::int8_t, 1> kScored{0};

  class Source final : public EpisodeSource {
   public:
    void make(const EpisodeCase&, const EpisodeAddress& address, const EpisodeRows& out) override {
      Rng rng = Rng::stream(address.seed, address.purpose, address.index);
      std::int32_t odd = 0;
      for (std::size_t t = 0; t < out.size(); ++t) {
        const std::int32_t bit = static_cast<std::int32_t>(rng.below(2));
        odd ^= bit;
        out.inputs(t, 0) = static_cast<float>(bit);
        out.marks[t] = RowMark::kNone;
        out.labels[t] = odd;
        out.weights[t] = 1;
        out.groups[t] = 0;
        out.is_final[t] = 1;
      }
    }
  };

  std::size_t length_;
  std::vector<std::string> scenarios_{"bits"};
};

}  // namespace schemamem
