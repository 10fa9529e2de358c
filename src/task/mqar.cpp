#include "task/mqar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/text.h"

namespace schemamem {
namespace {

constexpr std::array<std::string_view, 2> kGroupNames{"early", "late"};  // the first and the second half of the pairs
constexpr std::array<std::int8_t, 2> kBoth{0, 1};
constexpr std::array<std::int8_t, 1> kLate{1};  // a single pair

constexpr std::size_t kLargestVocabulary = 1 << 20;

/// A letter and a number behind it, taken from the front of `text`.
std::optional<std::size_t> take(std::string_view& text, char letter) {
  if (text.size() < 2 || text.front() != letter || text[1] == '0') return std::nullopt;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

Error usage(const std::string& message) { return {ErrorKind::kUsage, message}; }

class MqarSource final : public EpisodeSource {
 public:
  explicit MqarSource(const MqarSetting& setting)
      : setting_(setting), power_(0.01 * static_cast<double>(setting.gap_percent)) {}

  void make(const EpisodeCase& request, const EpisodeAddress& address, const EpisodeRows& out) override {
    const std::size_t pairs = request.scenario + 1, length = request.delay, context = 2 * pairs;
    require(out.size() == length, "MqarSource: the output has not the episode's length");
    Rng rng = Rng::stream(address.seed, address.purpose, address.index);
    draw_distinct(rng, pairs, setting_.vocabulary / 2 - 1, keys_);  // symbols 1 to V / 2 - 1
    draw_distinct(rng, pairs, setting_.vocabulary / 2, values_);    // symbols V / 2 to V - 1
    draw_gaps(rng, pairs, (length - context) / 2);
    const std::size_t half = setting_.vocabulary / 2;
    for (std::size_t t = 0; t < length; ++t) {
      const bool asks = t >= context;
      out.inputs(t, 0) = asks ? static_cast<float>(rng.below(setting_.vocabulary)) : 0.0F;
      out.marks[t] = row_mark(t == context, asks);
      out.labels[t] = EpisodeRows::kNoLabel;
      out.weights[t] = 0;
      out.groups[t] = EpisodeRows::kNoGroup;
      out.is_final[t] = 0;
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::size_t key = 1 + keys_[i], value = half + values_[i], asked = context + 2 * gaps_[i];
      out.inputs(2 * i, 0) = out.inputs(asked, 0) = static_cast<float>(key);
      out.inputs(2 * i + 1, 0) = static_cast<float>(value);
      out.labels[asked] = static_cast<std::int32_t>(value);
      out.weights[asked] = 1;
      out.groups[asked] = 2 * i + 1 < pairs ? std::int8_t{0} : std::int8_t{1};
      out.is_final[asked] = 1;
    }
  }

 private:
  /// `count` different numbers below `most`, in random order: Floyd's choice, which needs no table of all of them.
  void draw_distinct(Rng& rng, std::size_t count, std::size_t most, std::vector<std::size_t>& out) {
    out.clear();
    out.reserve(MqarTask::kMostPairs);
    for (std::size_t i = most - count; i < most; ++i) {
      const std::size_t drawn = rng.below(i + 1);
      out.push_back(std::find(out.begin(), out.end(), drawn) == out.end() ? drawn : i);
    }
    rng.shuffle(std::span(out));
  }

  /// One after the other, each with its weight among those that are left.
  void draw_gaps(Rng& rng, std::size_t pairs, std::size_t space) {
    chances_.resize(space);
    double total = 0;
    for (std::size_t g = 0; g < space; ++g)
      total += chances_[g] = power_ == 1 ? 1 : std::pow(static_cast<double>(g + 1), power_ - 1);
    gaps_.clear();
    for (std::size_t i = 0; i < pairs; ++i) {
      double left = rng.uniform() * total;
      std::size_t chosen = space;
      for (std::size_t g = 0; g < space; ++g) {
        if (chances_[g] == 0) continue;
        chosen = g;  // rounding may leave a little behind the last
        left -= chances_[g];
        if (left < 0) break;
      }
      total -= chances_[chosen];
      chances_[chosen] = 0;
      gaps_.push_back(chosen);
    }
  }

  MqarSetting setting_;
  double power_;
  std::vector<std::size_t> keys_, values_, gaps_;
  std::vector<double> chances_;
};

}  // namespace

std::string MqarSetting::name() const {
  const std::string gaps = gap_percent == 1 ? "" : fmt::format("G{}", gap_percent);
  return fmt::format("V{}L{}P{}{}", vocabulary, length, pairs, gaps);
}

Result<MqarSetting> parse_mqar_setting(std::string_view name) {
  std::string_view text = name;
  const auto vocabulary = take(text, 'V');
  const auto length = vocabulary ? take(text, 'L') : std::nullopt;
  const auto pairs = length ? take(text, 'P') : std::nullopt;
  const auto gap = pairs && !text.empty() ? take(text, 'G') : std::optional<std::size_t>(1);
  if (!pairs || !gap || !text.empty()) {
    return usage(
        fmt::format("Unknown setting {} of the task mqar: expected V<vocabulary>L<length>P<pairs>, such as "
                    "V8192L64P8, and perhaps G<100 times the power of the gaps>.",
                    quote(name)));
  }
  const MqarSetting setting{.vocabulary = *vocabulary, .length = *length, .pairs = *pairs, .gap_percent = *gap};
  const auto refuse = [&](std::string_view expected) {
    return usage(fmt::format("Setting {} of the task mqar: {}.", quote(name), expected));
  };
  if (setting.vocabulary < 8 || setting.vocabulary > kLargestVocabulary || setting.vocabulary % 2 != 0)
    return refuse(fmt::format("the vocabulary V is an even number from 8 to {}", kLargestVocabulary));
  if (setting.length > MqarTask::kLongest || setting.length % 2 != 0)
    return refuse(fmt::format("the length L is an even number up to {}", MqarTask::kLongest));
  if (setting.pairs > MqarTask::kMostPairs || 4 * setting.pairs > setting.length)
    return refuse(fmt::format("there are at most L / 4 pairs P, and at most {}", MqarTask::kMostPairs));
  if (setting.pairs > setting.vocabulary / 2 - 1)
    return refuse("there are at most V / 2 - 1 pairs P, because every key is another symbol of the lower half");
  if (setting.gap_percent > 1000) return refuse("100 times the power of the gaps, G, is at most 1000");
  return setting;
}

MqarTask::MqarTask(const MqarSetting& setting) : setting_(setting) {
  for (std::size_t pairs = 1; pairs <= kMostPairs; ++pairs) names_.push_back(fmt::format("pairs-{}", pairs));
}

TaskShape MqarTask::shape() const {
  return {.inputs = setting_.vocabulary,
          .symbols = true,
          .outputs = setting_.vocabulary,
          .answer = AnswerKind::kClass,
          .marks = MarkRule::kNone};
}

std::span<const std::string_view> MqarTask::groups() const { return kGroupNames; }

std::span<const std::int8_t> MqarTask::scored(std::size_t scenario) const {
  if (scenario == 0) return kLate;
  return kBoth;
}

Status MqarTask::check(const EpisodeCase& request) const {
  const std::size_t pairs = request.scenario + 1;
  if (pairs > std::min(kMostPairs, setting_.vocabulary / 2 - 1))
    return usage(fmt::format("{} pairs need as many different keys; a vocabulary of {} has {}.", pairs,
                             setting_.vocabulary, setting_.vocabulary / 2 - 1));
  if (request.delay % 2 != 0 || request.delay < 4 * pairs || request.delay > kLongest)
    return usage(fmt::format("{} pairs take an even length from {} to {}, found {}.", pairs, 4 * pairs, kLongest,
                             request.delay));
  return Done{};
}

std::unique_ptr<EpisodeSource> MqarTask::source() const { return std::make_unique<MqarSource>(setting_); }

std::vector<std::vector<EpisodeCase>> MqarTask::levels() const {
  std::vector<std::vector<EpisodeCase>> levels;
  std::vector<EpisodeCase> so_far;
  for (std::size_t pairs = std::min<std::size_t>(2, setting_.pairs);; pairs = std::min(2 * pairs, setting_.pairs)) {
    so_far.push_back(mqar_case(pairs, setting_.length));
    levels.push_back(so_far);
    if (pairs == setting_.pairs) return levels;
  }
}

std::vector<EpisodeCase> MqarTask::evaluated() const {
  std::vector<EpisodeCase> cases = levels().back();
  for (const std::size_t times : {2U, 4U}) {
    cases.push_back(mqar_case(setting_.pairs, times * setting_.length));
    cases.push_back(mqar_case(times * setting_.pairs, times * setting_.length));
  }
  std::erase_if(cases, [&](const EpisodeCase& one) { return !check(one); });
  return cases;
}

}  // namespace schemamem
