#include "train/validation.h"

#include <algorithm>

#include "task/episode_stream.h"
#include "task/evaluation_episodes.h"

namespace schemamem {
namespace {

/// Validation episodes of our own streams are the same for every run.
constexpr std::uint64_t kValidationSeed = 1;
/// Episodes of each case between two looks at whether the check can still pass.
constexpr std::size_t kRound = 32;
/// Episodes on which used slots are counted, of the last case.
constexpr std::size_t kSlotEpisodes = 16;

/// The number a row of logits stands for: a bit is one when its logit is not negative.
std::int32_t answer_of(View<const float, 1> logits) {
  std::int32_t answer = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) answer |= (logits[j] >= 0 ? 1 : 0) << j;
  return answer;
}

}  // namespace

double Check::lowest() const {
  double lowest = 100;
  for (const GroupScore& score : groups) lowest = std::min(lowest, score.percent());
  return lowest;
}

Validator::Validator(const Recipe& recipe, const SequenceModel<float>& model)
    : recipe_(recipe), model_(model), slots_(model) {}

void Validator::prepare(const Stage& stage) {
  if (prepared_ == stage.checked) return;
  const auto episodes = static_cast<std::size_t>(recipe_.validation.episodes);
  cases_.clear();
  for (const TaskCase& request : stage.checked) {
    Case one{.request = request, .length = episode_size(request).tokens()};
    one.tokens.resize(episodes * one.length);
    one.answers.resize(one.tokens.size());
    const bool paper = recipe_.validation.source == "paper" && info(request.scenario).paper_index.has_value();
    std::optional<EvaluationEpisodes> published;
    if (paper) published.emplace(request, EvaluationOptions{.episodes = episodes});
    EpisodeMaker maker(request.setting);
    for (std::size_t i = 0; i < episodes; ++i) {
      const std::span<Token> out = std::span(one.tokens).subspan(i * one.length, one.length);
      if (paper) {
        std::ranges::copy(published->next(), out.begin());
      } else {
        maker.make(request, {.seed = kValidationSeed, .purpose = Purpose::kValidationEpisode, .index = i}, out);
      }
    }
    cases_.push_back(std::move(one));
  }
  prepared_ = stage.checked;
}

std::optional<Check> Validator::run(const Stage& stage, const Folded<float>& folded, std::span<Desk> desks,
                                    ThreadPool& pool, const StopFlag& stop) {
  prepare(stage);
  const auto episodes = static_cast<std::size_t>(recipe_.validation.episodes);
  const std::size_t inputs = model_.config().inputs, outputs = model_.config().outputs;
  Check check;
  for (const Case& one : cases_) {
    for (const Group group : info(one.request.scenario).scored)
      check.groups.push_back({.asked_in = one.request, .group = group});
  }
  for (std::size_t first = 0; first < episodes; first += kRound) {
    const std::size_t count = std::min(kRound, episodes - first);
    pool.run(cases_.size() * count, [&](std::size_t slice, int thread) {
      if (stop.load(std::memory_order_relaxed)) return;
      Case& one = cases_[slice / count];
      const std::size_t begin = (first + slice % count) * one.length;
      Desk& desk = desks[static_cast<std::size_t>(thread)];
      const View<float, 2> x(desk.inputs.data(), {one.length, inputs});
      const View<float, 2> logits(desk.logits.data(), {one.length, outputs});
      encode_inputs(one.request.setting, std::span(one.tokens).subspan(begin, one.length), x);
      model_.forward(folded, {.x = x, .mode = stage.checked_mode}, *desk.tape, logits);
      for (std::size_t t = 0; t < one.length; ++t) {
        if (one.tokens[begin + t].final) one.answers[begin + t] = answer_of(logits[t]);
      }
    });
    if (stop.load(std::memory_order_relaxed)) return std::nullopt;

    bool can_pass = true;
    for (GroupScore& score : check.groups) {
      const auto one =
          std::find_if(cases_.begin(), cases_.end(), [&](const Case& c) { return c.request == score.asked_in; });
      for (std::size_t i = first * one->length; i < (first + count) * one->length; ++i) {
        const Token& token = one->tokens[i];
        if (!token.final || token.group != score.group) continue;
        ++score.asked;
        if (one->answers[i] == token.label) ++score.right;
      }
      // Every episode of a case asks a group equally often.
      const double all =
          static_cast<double>(score.asked) / static_cast<double>(first + count) * static_cast<double>(episodes);
      const double best = 100 * (all - static_cast<double>(score.asked - score.right)) / all;
      can_pass = can_pass && best >= stage.threshold;
    }
    if (!can_pass && !recipe_.validation.whole && first + count < episodes) {
      check.whole = false;
      break;
    }
  }
  if (stage.checked_mode == Mode::kRecurrent) check.slots_used = count_slots(folded, desks.front());
  return check;
}

std::vector<double> Validator::count_slots(const Folded<float>& folded, Desk& desk) {
  const Case& last = cases_.back();
  for (std::size_t i = 0; i < std::min(kSlotEpisodes, last.tokens.size() / last.length); ++i) {
    const std::span<const Token> episode = std::span(last.tokens).subspan(i * last.length, last.length);
    // With the first query the first write segment is committed; the reads behind it would only blur what it wrote.
    const std::size_t tokens = segment_ends(episode).end[0] + 1;
    const View<float, 2> x(desk.inputs.data(), {tokens, model_.config().inputs});
    encode_inputs(last.request.setting, episode.first(tokens), x);
    slots_.add(folded, x, View<float, 2>(desk.logits.data(), {tokens, model_.config().outputs}));
  }
  return slots_.take();
}

}  // namespace schemamem
