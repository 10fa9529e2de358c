#include "eval/evaluator.h"

#include <algorithm>

#include "task/curve_episode.h"

namespace schemamem {
Evaluator::Evaluator(std::shared_ptr<const LoadedModel<float>> model, std::shared_ptr<const Task> task, Mode mode,
                     EvaluatorOptions options, double floor)
    : model_(std::move(model)),
      task_(std::move(task)),
      database_(dynamic_cast<const AddressValueTask*>(task_.get())),
      shape_(task_->shape()),
      groups_(task_->groups().size()),
      forgets_(mode == Mode::kAblated && !model_->model().config().traits.ablation),
      options_(options),
      pool_(options.threads) {
  const SequenceModel<float>& m = model_->model();
  require(m.config().inputs == shape_.inputs && m.config().outputs == shape_.outputs &&
              m.config().symbols == shape_.symbols,
          "Evaluator: the model is of another task");
  require(options.batch > 0 && options.piece > 0, "Evaluator: a batch and a piece are not empty");
  for (int i = 0; i < options.threads; ++i) {
    const auto stream = [&] {
      StreamReader<float> reader(m, model_->folded(), MarkRule::kNone, forgets_ ? Mode::kRecurrent : mode);
      reader.set_floor(floor);
      return reader;
    };
    readings_.push_back({.stream = stream(),
                         .fork = stream(),
                         .tokens = std::vector<Token>(options.piece),
                         .rows = Batch(shape_, 1, options.piece),
                         .logits = Buffer<float>(options.piece * shape_.outputs)});
  }
}

void Evaluator::push(StreamReader<float>& stream, const EpisodeRows& rows, View<float, 2> outputs) const {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    end = forgets_ ? begin + 1 : rows.size();
    while (end < rows.size() && !ends_chunk(mark_at(rows.marks, end))) ++end;
    if (forgets_ && ends_chunk(mark_at(rows.marks, begin))) stream.reset();
    const EpisodeRows piece = rows.slice(begin, end - begin);
    stream.push(StreamRows<float>{piece.inputs, piece.marks}, outputs.slice(begin, end - begin));
  }
}

void Evaluator::read(Reading& reading, StreamReader<float>& stream, const EpisodeRows& rows,
                     std::span<Tally> tallies) const {
  for (std::size_t first = 0; first < rows.size(); first += options_.piece) {
    const EpisodeRows piece = rows.slice(first, std::min(options_.piece, rows.size() - first));
    const View<float, 2> logits(reading.logits.data(), {piece.size(), shape_.outputs});
    push(stream, piece, logits);
    for (std::size_t t = 0; !tallies.empty() && t < piece.size(); ++t) {
      if (piece.is_final[t] != 0)
        tallies[static_cast<std::size_t>(piece.groups[t])].count(shape_.answer, piece.labels[t], logits[t]);
    }
  }
}

void Evaluator::read(Reading& reading, StreamReader<float>& stream, std::span<const Token> tokens,
                     std::span<Tally> tallies) const {
  if (forgets_) stream.reset();  // tokens that are read together are one part of an episode, or cut by marks
  for (std::size_t first = 0; first < tokens.size(); first += options_.piece) {
    const auto piece = tokens.subspan(first, std::min(options_.piece, tokens.size() - first));
    const EpisodeRows rows = reading.rows.all().slice(0, piece.size());
    encode(database_->database(), piece, model_->model().last_row(stream.state()), rows);
    read(reading, stream, rows, tallies);
  }
}

template <class Episode, class Questions>
void Evaluator::run(Reading& reading, Episode& episode, std::span<const std::size_t> delays, const Questions& questions,
                    const StopFlag& stop, EvaluationObserver& observer, std::span<Tally> tallies) const {
  reading.stream.reset();
  read(reading, reading.stream, episode.before(), {});
  observer.advanced(static_cast<std::int64_t>(episode.before().size()));
  std::size_t passed = 0;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    while (passed < delays[i]) {
      if (stop.load(std::memory_order_relaxed)) return;
      const auto piece = std::span(reading.tokens).first(std::min(options_.piece, delays[i] - passed));
      for (Token& token : piece) token = episode.next_filler();
      read(reading, reading.stream, piece, {});
      passed += piece.size();
      observer.advanced(static_cast<std::int64_t>(piece.size()));
    }
    const std::span<const Token> asked = questions(delays[i]);
    const bool last = i + 1 == delays.size();
    if (!last) reading.fork.follow(reading.stream);
    read(reading, last ? reading.stream : reading.fork, asked, tallies.subspan(i * groups_, groups_));
    observer.advanced(static_cast<std::int64_t>(asked.size()));
  }
}

Result<std::vector<EvaluationCell>> Evaluator::cells(std::size_t scenario, std::span<const std::size_t> delays,
                                                     std::span<const Tally> tallies, const StopFlag& stop) const {
  if (stop.load(std::memory_order_relaxed)) return Error(ErrorKind::kInterrupted, "stopped on request");
  return cells_of(*task_, scenario, delays, tallies);
}

Result<std::vector<EvaluationCell>> Evaluator::table(const EpisodeCase& request, const EvaluationOptions& episodes,
                                                     const StopFlag& stop, EvaluationObserver& observer) {
  if (database_ != nullptr) return paper_table(database_->case_of(request), episodes, stop, observer);
  const std::size_t delays[] = {request.delay};
  std::vector<Tally> tallies(episodes.episodes * groups_);
  std::vector<std::unique_ptr<EpisodeSource>> sources;
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    sources.push_back(task_->source());
    batches.emplace_back(shape_, 1, task_->tokens(request));
  }
  pool_.run(episodes.episodes, [&](std::size_t i, int thread) {
    if (stop.load(std::memory_order_relaxed)) return;
    const auto mine = static_cast<std::size_t>(thread);
    batches[mine].fill(*task_, *sources[mine], {&request, 1},
                       {.seed = episodes.seed, .purpose = Purpose::kEvaluationEpisode, .index = i});
    Reading& reading = readings_[mine];
    reading.stream.reset();
    read(reading, reading.stream, batches[mine].rows(0), std::span(tallies).subspan(i * groups_, groups_));
    observer.advanced(static_cast<std::int64_t>(batches[mine].tokens()));
  });
  return cells(request.scenario, delays, tallies, stop);
}

Result<std::vector<EvaluationCell>> Evaluator::paper_table(const TaskCase& request, const EvaluationOptions& episodes,
                                                           const StopFlag& stop, EvaluationObserver& observer) {
  const std::size_t delays[] = {request.delay};
  EvaluationEpisodes source(request, episodes);
  std::vector<EvaluationEpisode> batch(std::min(options_.batch, episodes.episodes));
  std::vector<Tally> tallies(episodes.episodes * groups_);
  for (std::size_t first = 0, count = 0; first < episodes.episodes; first += count) {
    for (count = 0; count < batch.size() && source.next(batch[count]);) ++count;
    pool_.run(count, [&](std::size_t i, int thread) {
      if (stop.load(std::memory_order_relaxed)) return;
      run(
          readings_[static_cast<std::size_t>(thread)], batch[i], delays,
          [&](std::size_t) { return batch[i].questions(); }, stop, observer,
          std::span(tallies).subspan((first + i) * groups_, groups_));
    });
  }
  return cells(static_cast<std::size_t>(request.scenario), delays, tallies, stop);
}

Result<std::vector<EvaluationCell>> Evaluator::curve(std::size_t scenario, std::span<const std::size_t> delays,
                                                     const EvaluationOptions& episodes, const StopFlag& stop,
                                                     EvaluationObserver& observer) {
  require(database_ != nullptr, "Evaluator::curve: the task has no delays");
  require(std::is_sorted(delays.begin(), delays.end()), "Evaluator::curve: the delays rise");
  const std::size_t stride = delays.size() * groups_;
  std::vector<Tally> tallies(episodes.episodes * stride);
  std::vector<CurveEpisode> makers(readings_.size(),
                                   CurveEpisode(database_->database(), static_cast<Scenario>(scenario), episodes.seed));
  pool_.run(episodes.episodes, [&](std::size_t i, int thread) {
    if (stop.load(std::memory_order_relaxed)) return;
    CurveEpisode& episode = makers[static_cast<std::size_t>(thread)];
    episode.begin(i);
    run(
        readings_[static_cast<std::size_t>(thread)], episode, delays,
        [&](std::size_t delay) { return episode.questions(delay); }, stop, observer,
        std::span(tallies).subspan(i * stride, stride));
  });
  return cells(scenario, delays, tallies, stop);
}

void Evaluator::run_rounds(Reading& reading, RoundsEpisode& episode, std::span<const std::size_t> marks,
                           const StopFlag& stop, EvaluationObserver& observer, std::span<Tally> tallies) const {
  reading.stream.reset();
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const auto mark = static_cast<std::int64_t>(marks[i]);
    while (episode.writes() < mark) {
      if (stop.load(std::memory_order_relaxed)) return;
      std::size_t count = 0;
      while (count < options_.piece && episode.writes() < mark) reading.tokens[count++] = episode.next();
      read(reading, reading.stream, std::span(reading.tokens).first(count), {});
      observer.advanced(static_cast<std::int64_t>(count));
    }
    const std::span<const Token> asked = episode.questions();
    reading.fork.follow(reading.stream);
    read(reading, reading.fork, asked, tallies.subspan(i * groups_, groups_));
    observer.advanced(static_cast<std::int64_t>(asked.size()));
  }
}

Result<std::vector<EvaluationCell>> Evaluator::writes(const Rounds& rounds, std::span<const std::size_t> marks,
                                                      const EvaluationOptions& episodes, const StopFlag& stop,
                                                      EvaluationObserver& observer) {
  require(database_ != nullptr, "Evaluator::writes: the task has no addresses to write to");
  require(std::is_sorted(marks.begin(), marks.end()), "Evaluator::writes: the numbers of writes rise");
  const std::size_t stride = marks.size() * groups_;
  std::vector<Tally> tallies(episodes.episodes * stride);
  std::vector<RoundsEpisode> makers(readings_.size(), RoundsEpisode(database_->database(), rounds, episodes.seed));
  pool_.run(episodes.episodes, [&](std::size_t i, int thread) {
    if (stop.load(std::memory_order_relaxed)) return;
    RoundsEpisode& episode = makers[static_cast<std::size_t>(thread)];
    episode.begin(i);
    run_rounds(readings_[static_cast<std::size_t>(thread)], episode, marks, stop, observer,
               std::span(tallies).subspan(i * stride, stride));
  });
  return cells(static_cast<std::size_t>(Scenario::kRounds), marks, tallies, stop);
}

std::int64_t writes_tokens(const AddressValueTask& task, const Rounds& rounds, std::span<const std::size_t> marks,
                           std::size_t episodes) {
  if (marks.empty()) return 0;
  const double writes = 0.5 * static_cast<double>(rounds.fewest_writes + rounds.most_writes);
  const double reads = 0.5 * static_cast<double>(rounds.fewest_reads + rounds.most_reads) +
                       static_cast<double>(rounds.wait) / static_cast<double>(rounds.wait_every);
  const double stream = static_cast<double>(marks.back()) * (1 + reads / writes);
  return static_cast<std::int64_t>(episodes) *
         (static_cast<std::int64_t>(stream) + static_cast<std::int64_t>(marks.size() * task.database().addresses()));
}

std::int64_t table_tokens(const Task& task, const EpisodeCase& request, std::size_t episodes) {
  return static_cast<std::int64_t>(task.tokens(request) * episodes);
}

std::int64_t curve_tokens(const AddressValueTask& task, std::size_t scenario, std::span<const std::size_t> delays,
                          std::size_t episodes) {
  if (delays.empty()) return 0;
  return table_tokens(task, {.scenario = scenario, .delay = delays.back()}, episodes) +
         static_cast<std::int64_t>((delays.size() - 1) * task.database().addresses() * episodes);
}

}  // namespace schemamem
