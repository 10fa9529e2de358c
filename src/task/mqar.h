#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "task/task.h"

namespace schemamem {

/// Sizes of multi-query associative recall, written V8192L64P8, or V8192L64P8G50 where the gaps are not the published
/// ones.
struct MqarSetting {
  std::size_t vocabulary = 8192;  // V: keys from the lower half, values from the upper
  std::size_t length = 64;        // L: tokens of a training episode, even
  std::size_t pairs = 8;          // P: the most pairs of a training episode; 4 P <= L
  std::size_t gap_percent = 1;    // G: 100 times the power a of the law of gaps; 100 is uniform

  std::string name() const;
  friend bool operator==(const MqarSetting&, const MqarSetting&) = default;
};
Result<MqarSetting> parse_mqar_setting(std::string_view name);

/// Multi-query associative recall as it is published (Arora et al., "Zoology"): first n pairs of a key and its value,
/// all keys different; then every key comes once more, and its value is the answer. Question i stands at place 2 g_i
/// behind the pairs, the g_i drawn without replacement with probability proportional to (g + 1)^(a - 1); every other
/// place holds a random symbol. The random numbers are ours, from addressed streams.
///
/// A scenario is a number of pairs, the length of a case is that of its episodes in tokens. The pairs are a chunk of
/// their own: what is asked behind them has to come from memory.
class MqarTask final : public Task {
 public:
  static constexpr std::string_view kName = "mqar";
  static constexpr std::size_t kMostPairs = 1024;
  static constexpr std::size_t kLongest = 65'536;

  explicit MqarTask(const MqarSetting& setting);

  std::string_view name() const override { return kName; }
  std::string setting() const override { return setting_.name(); }
  TaskShape shape() const override;
  Protocol protocol() const override { return Protocol::kLevels; }
  std::span<const std::string_view> groups() const override;
  std::span<const std::string> scenarios() const override { return names_; }
  std::span<const std::int8_t> scored(std::size_t scenario) const override;
  std::size_t tokens(const EpisodeCase& request) const override { return request.delay; }
  std::size_t marked_chunks(const EpisodeCase&) const override { return 2; }
  Status check(const EpisodeCase& request) const override;
  std::unique_ptr<EpisodeSource> source() const override;
  /// Pairs double from level to level up to P; each level has all numbers of pairs so far.
  std::vector<std::vector<EpisodeCase>> levels() const override;
  /// What was trained, and twice and four times the length and the pairs.
  std::vector<EpisodeCase> evaluated() const override;

 private:
  MqarSetting setting_;
  std::vector<std::string> names_;
};

/// The case of so many pairs in so many tokens.
inline EpisodeCase mqar_case(std::size_t pairs, std::size_t length) { return {.scenario = pairs - 1, .delay = length}; }

}  // namespace schemamem
