#include "train/validation.h"

#include <algorithm>

namespace schemamem {
namespace {

/// Validation episodes of our own streams are the same for every run.
constexpr std::uint64_t kValidationSeed = 1;
/// Episodes of each case between two looks at whether the check can still pass.
constexpr std::size_t kRound = 32;
/// Episodes on which used slots are counted, of the last case.
constexpr std::size_t kSlotEpisodes = 16;

}  // namespace

double Check::lowest() const {
  double lowest = 100;
  for (const GroupScore& score : groups) lowest = std::min(lowest, score.percent());
  return lowest;
}

Validator::Validator(const Recipe& recipe, const Task& task, const SequenceModel<float>& model, Ranks& ranks)
    : recipe_(recipe), task_(task), model_(model), ranks_(ranks), slots_(model) {}

void Validator::prepare(const Stage& stage) {
  if (prepared_ == stage.checked) return;
  const auto count = static_cast<std::size_t>(recipe_.validation.episodes);
  const std::unique_ptr<EpisodeSource> source = task_.source();
  cases_.clear();
  for (const EpisodeCase& request : stage.checked) {
    Case one{.request = request, .episodes = Batch(task_.shape(), count, count * task_.tokens(request))};
    const std::vector<EpisodeCase> all(count, request);
    const auto published =
        recipe_.validation.source == "paper" ? task_.published(request, count) : std::unique_ptr<PublishedEpisodes>();
    if (published != nullptr) {
      one.episodes.plan(task_, all);
      for (std::size_t i = 0; i < count; ++i) published->next(one.episodes.rows(i));
    } else {
      one.episodes.fill(task_, *source, all, {.seed = kValidationSeed, .purpose = Purpose::kValidationEpisode});
    }
    one.answers.resize(one.episodes.tokens());
    cases_.push_back(std::move(one));
  }
  prepared_ = stage.checked;
}

void Validator::answer(const Stage& stage, const Folded<float>& folded, Case& one, std::size_t episode,
                       Workspace<float>& workspace) const {
  const EpisodeRows rows = one.episodes.rows(episode);
  const std::size_t first = one.episodes.offsets()[episode];
  const AnswerKind kind = task_.shape().answer;
  const std::span<const std::uint32_t> asked = workspace.choose(kind, rows);
  const std::size_t answers = asked.empty() ? rows.size() : asked.size();
  const View<float, 2> logits(workspace.logits.data(), {answers, model_.config().outputs});
  model_.forward(folded, {.x = rows.inputs, .marks = rows.marks, .mode = stage.checked_mode, .answers = asked},
                 *workspace.tape, logits);
  for (std::size_t i = 0; i < answers; ++i) {
    const std::size_t t = asked.empty() ? i : asked[i];
    if (rows.is_final[t] != 0) one.answers[first + t] = answer_of(kind, logits[i]);
  }
}

std::optional<Check> Validator::run(const Stage& stage, const Folded<float>& folded,
                                    std::span<Workspace<float>> workspaces, ThreadPool& pool, const StopFlag& stop) {
  prepare(stage);
  const auto episodes = static_cast<std::size_t>(recipe_.validation.episodes);
  Check check;
  std::vector<Scored> scored;
  const auto counts_for = [](const EpisodeRows& rows, std::size_t t, const GroupScore& score) {
    return rows.is_final[t] != 0 && rows.groups[t] == score.group;
  };
  for (const Case& one : cases_) {
    for (const std::int8_t group : task_.scored(one.request.scenario)) {
      GroupScore score{.asked_in = one.request, .group = group};
      Scored all{.asked_in = &one};
      const EpisodeRows rows = one.episodes.rows();
      for (std::size_t t = 0; t < rows.size(); ++t) all.in_all += counts_for(rows, t, score) ? 1 : 0;
      if (all.in_all == 0) continue;  // after many rounds nothing has its default
      scored.push_back(all);
      check.groups.push_back(score);
    }
  }
  std::vector<std::int64_t> right(scored.size());
  for (std::size_t first = 0; first < episodes; first += kRound) {
    const std::size_t count = std::min(kRound, episodes - first), slices = cases_.size() * count;
    const auto border = [&](int rank) {
      return even_share(slices, static_cast<std::size_t>(ranks_.count()), static_cast<std::size_t>(rank));
    };
    const std::size_t begin = border(ranks_.mine()), end = border(ranks_.mine() + 1);
    pool.run(end - begin, [&](std::size_t own, int thread) {
      if (stop.load(std::memory_order_relaxed)) return;
      const std::size_t slice = begin + own;
      answer(stage, folded, cases_[slice / count], first + slice % count, workspaces[static_cast<std::size_t>(thread)]);
    });
    if (ranks_.largest(stop.load(std::memory_order_relaxed) ? 1 : 0) > 0) return std::nullopt;

    for (std::size_t g = 0; g < scored.size(); ++g) {
      right[g] = 0;
      const Case& one = *scored[g].asked_in;
      const std::size_t first_slice = static_cast<std::size_t>(&one - cases_.data()) * count;
      const EpisodeRows rows = one.episodes.rows();
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_own = first_slice + i >= begin && first_slice + i < end;
        for (std::size_t t = one.episodes.offsets()[first + i]; t < one.episodes.offsets()[first + i + 1]; ++t) {
          if (!counts_for(rows, t, check.groups[g])) continue;
          ++check.groups[g].asked;
          if (is_own && one.answers[t] == rows.labels[t]) ++right[g];
        }
      }
    }
    add_counts(ranks_, right);
    bool can_pass = true;
    for (std::size_t g = 0; g < scored.size(); ++g) {
      GroupScore& score = check.groups[g];
      score.right += right[g];
      const auto all = static_cast<double>(scored[g].in_all);
      const double best = 100 * (all - static_cast<double>(score.asked - score.right)) / all;
      can_pass = can_pass && best >= stage.threshold;
    }
    if (!can_pass && !recipe_.validation.whole && first + count < episodes) {
      check.whole = false;
      break;
    }
  }
  if (stage.checked_mode == Mode::kRecurrent) check.slots_used = count_slots(folded, workspaces.front());
  return check;
}

std::vector<double> Validator::count_slots(const Folded<float>& folded, Workspace<float>& workspace) {
  const Case& last = cases_.back();
  for (std::size_t i = 0; slots_.has_slots() && i < std::min(kSlotEpisodes, last.episodes.episodes()); ++i) {
    const EpisodeRows rows = last.episodes.rows(i);
    // With the first row behind it the first chunk is committed; the reads that follow would only blur what it wrote.
    const auto border = std::find_if(rows.marks.begin(), rows.marks.end(), ends_chunk);
    if (border == rows.marks.end()) continue;
    const EpisodeRows begin = rows.slice(0, static_cast<std::size_t>(border - rows.marks.begin()) + 1);
    slots_.add(folded, {begin.inputs, begin.marks},
               View<float, 2>(workspace.logits.data(), {begin.size(), model_.config().outputs}));
  }
  return slots_.take();
}

}  // namespace schemamem
