#include "eval/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "task/batch.h"
#include "task/curve_episode.h"

namespace schemamem {
namespace {

/// Groups that final queries can have; fillers are none of them.
constexpr std::size_t kScored = 3;

/// log(1 + e^-|z|) + max(z, 0) - z y, of a bit y.
double cross_entropy(float logit, bool bit) {
  const double z = logit;
  return std::log1p(std::exp(-std::abs(z))) + std::max(z, 0.0) - (bit ? z : 0.0);
}

/// Nine digits: the logits have seven, and the C libraries of two machines may differ in the last of a double.
double rounded(double value) { return std::strtod(fmt::format("{:.9g}", value).c_str(), nullptr); }

}  // namespace

Evaluator::Evaluator(std::shared_ptr<const LoadedModel<float>> model, const Setting& setting, Mode mode,
                     EvaluatorOptions options)
    : model_(std::move(model)), setting_(setting), mode_(mode), options_(options), pool_(options.threads) {
  const SequenceModel<float>& m = model_->model();
  require(m.config().inputs == setting.input_width() && m.config().outputs == setting.output_width(),
          "Evaluator: the model is of another setting");
  require(options.batch > 0 && options.piece > 0, "Evaluator: a batch and a piece are not empty");
  for (int i = 0; i < options.threads; ++i) {
    Desk desk{.scratch = m.make_scratch(),
              .fork_scratch = m.make_scratch(),
              .state = m.empty_state(),
              .fork = m.empty_state(),
              .tokens = std::vector<Token>(options.piece),
              .inputs = Buffer<float>(options.piece * m.config().inputs),
              .logits = Buffer<float>(options.piece * m.config().outputs)};
    desk.state.mode = desk.fork.mode = mode;
    require(!m.fault(desk.state), "Evaluator: the model does not stream in this mode");
    desks_.push_back(std::move(desk));
  }
}

void Evaluator::begin(Desk& desk) const {
  model_->model().reset(desk.state);
  model_->model().refresh(model_->folded(), desk.state, *desk.scratch);
}

template <class Answered>
void Evaluator::read(Desk& desk, StreamState<float>& state, Tape<float>& scratch, std::span<const Token> tokens,
                     const Answered& answered) const {
  const SequenceModel<float>& model = model_->model();
  for (std::size_t first = 0; first < tokens.size(); first += options_.piece) {
    const auto piece = tokens.subspan(first, std::min(options_.piece, tokens.size() - first));
    const View<float, 2> x(desk.inputs.data(), {piece.size(), model.config().inputs});
    const View<float, 2> logits(desk.logits.data(), {piece.size(), model.config().outputs});
    encode_inputs(setting_, piece, x);
    model.advance(model_->folded(), x, state, scratch, logits);
    for (std::size_t t = 0; t < piece.size(); ++t) answered(piece[t], logits[t]);
  }
}

void Evaluator::ask(Desk& desk, StreamState<float>& state, Tape<float>& scratch, std::span<const Token> questions,
                    std::span<Tally> tallies) const {
  read(desk, state, scratch, questions, [&](const Token& token, View<float, 1> logits) {
    Tally& tally = tallies[static_cast<std::size_t>(token.group)];
    std::int64_t bits_right = 0;
    for (std::size_t j = 0; j < logits.size(); ++j) {
      const bool expected = ((token.label >> j) & 1) != 0;
      if ((logits[j] >= 0) == expected) ++bits_right;
      tally.loss += cross_entropy(logits[j], expected);
    }
    ++tally.asked;
    tally.bits_right += bits_right;
    if (bits_right == static_cast<std::int64_t>(logits.size())) ++tally.right;
  });
}

template <class Episode, class Questions>
void Evaluator::run(Desk& desk, Episode& episode, std::span<const std::size_t> delays, const Questions& questions,
                    const StopFlag& stop, EvaluationObserver& observer, std::span<Tally> tallies) const {
  const auto unheard = [](const Token&, View<float, 1>) {};
  begin(desk);
  read(desk, desk.state, *desk.scratch, episode.before(), unheard);
  observer.advanced(static_cast<std::int64_t>(episode.before().size()));
  std::size_t passed = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    while (passed < delays[i]) {
      if (stop.load(std::memory_order_relaxed)) return;
      const auto piece = std::span(desk.tokens).first(std::min(options_.piece, delays[i] - passed));
      for (Token& token : piece) token = episode.next_filler();
      read(desk, desk.state, *desk.scratch, piece, unheard);
      passed += piece.size();
      observer.advanced(static_cast<std::int64_t>(piece.size()));
    }
    const std::span<const Token> asked = questions(delays[i]);
    const std::span<Tally> mine = tallies.subspan(i * kScored, kScored);
    if (i + 1 == delays.size()) {
      ask(desk, desk.state, *desk.scratch, asked, mine);
    } else {
      std::copy(desk.state.values.begin(), desk.state.values.end(), desk.fork.values.begin());
      desk.fork.counters = desk.state.counters;
      model_->model().refresh(model_->folded(), desk.fork, *desk.fork_scratch);
      ask(desk, desk.fork, *desk.fork_scratch, asked, mine);
    }
    observer.advanced(static_cast<std::int64_t>(asked.size()));
  }
}

Result<std::vector<EvaluationCell>> Evaluator::cells(Scenario scenario, std::span<const std::size_t> delays,
                                                     std::span<const Tally> tallies, const StopFlag& stop) const {
  if (stop.load(std::memory_order_relaxed)) return Error(ErrorKind::kInterrupted, "stopped on request");
  const std::size_t stride = delays.size() * kScored;
  std::vector<EvaluationCell> result;
  for (std::size_t d = 0; d < delays.size(); ++d) {
    for (const Group group : info(scenario).scored) {
      EvaluationCell cell{.scenario = std::string(info(scenario).name),
                          .delay = static_cast<std::int64_t>(delays[d]),
                          .group = std::string(group_name(group))};
      double loss = 0;
      for (std::size_t at = d * kScored + static_cast<std::size_t>(group); at < tallies.size(); at += stride) {
        const Tally& tally = tallies[at];
        cell.asked += tally.asked;
        cell.right += tally.right;
        cell.bits += tally.asked * setting_.value_bits;
        cell.bits_right += tally.bits_right;
        cell.right_by_episode.push_back(tally.right);
        loss += tally.loss;
      }
      if (!std::isfinite(loss)) {
        return Error(ErrorKind::kNonFinite,
                     fmt::format("The answers to {} queries of {} at delay {} are not finite: the weights are of no "
                                 "use. Train again, or evaluate an earlier checkpoint.",
                                 cell.group, cell.scenario, cell.delay));
      }
      cell.cross_entropy = rounded(loss / static_cast<double>(cell.bits));
      result.push_back(std::move(cell));
    }
  }
  return result;
}

Result<std::vector<EvaluationCell>> Evaluator::table(Scenario scenario, std::size_t delay,
                                                     const EvaluationOptions& episodes, const StopFlag& stop,
                                                     EvaluationObserver& observer) {
  const std::size_t delays[] = {delay};
  EvaluationEpisodes source({.setting = setting_, .scenario = scenario, .delay = delay}, episodes);
  std::vector<EvaluationEpisode> batch(std::min(options_.batch, episodes.episodes));
  std::vector<Tally> tallies(episodes.episodes * kScored);
  for (std::size_t first = 0, count = 0; first < episodes.episodes; first += count) {
    for (count = 0; count < batch.size() && source.next(batch[count]);) ++count;
    pool_.run(count, [&](std::size_t i, int thread) {
      if (stop.load(std::memory_order_relaxed)) return;
      run(
          desks_[static_cast<std::size_t>(thread)], batch[i], delays, [&](std::size_t) { return batch[i].questions(); },
          stop, observer, std::span(tallies).subspan((first + i) * kScored, kScored));
    });
  }
  return cells(scenario, delays, tallies, stop);
}

Result<std::vector<EvaluationCell>> Evaluator::curve(Scenario scenario, std::span<const std::size_t> delays,
                                                     const EvaluationOptions& episodes, const StopFlag& stop,
                                                     EvaluationObserver& observer) {
  require(std::is_sorted(delays.begin(), delays.end()), "Evaluator::curve: the delays rise");
  const std::size_t stride = delays.size() * kScored;
  std::vector<Tally> tallies(episodes.episodes * stride);
  std::vector<CurveEpisode> makers(desks_.size(), CurveEpisode(setting_, scenario, episodes.seed));
  pool_.run(episodes.episodes, [&](std::size_t i, int thread) {
    if (stop.load(std::memory_order_relaxed)) return;
    CurveEpisode& episode = makers[static_cast<std::size_t>(thread)];
    episode.begin(i);
    run(
        desks_[static_cast<std::size_t>(thread)], episode, delays,
        [&](std::size_t delay) { return episode.questions(delay); }, stop, observer,
        std::span(tallies).subspan(i * stride, stride));
  });
  return cells(scenario, delays, tallies, stop);
}

std::int64_t table_tokens(const TaskCase& request, std::size_t episodes) {
  return static_cast<std::int64_t>(episode_size(request).tokens() * episodes);
}

std::int64_t curve_tokens(const Setting& setting, Scenario scenario, std::span<const std::size_t> delays,
                          std::size_t episodes) {
  if (delays.empty()) return 0;
  const TaskCase longest{.setting = setting, .scenario = scenario, .delay = delays.back()};
  return table_tokens(longest, episodes) +
         static_cast<std::int64_t>((delays.size() - 1) * setting.addresses() * episodes);
}

}  // namespace schemamem
