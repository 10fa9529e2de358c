#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/rng.h"
#include "base/sha256.h"
#include "kernels/cross_entropy.h"

namespace schemamem {
namespace {

/// Streams of the schema's own draw, behind those of the model's tensors.
constexpr std::uint64_t kSchemaStreams = 1'000'000;

/// Seconds since the last call.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Rows of a lane that a step takes.
std::size_t longest_piece(const Recipe& recipe) {
  return recipe.lanes.steps > 0 ? static_cast<std::size_t>(recipe.lanes.tokens) : 0;
}

Error interrupted() { return {ErrorKind::kInterrupted, "stopped on request"}; }

std::vector<NamedTensor> named(const Layout& layout, const std::string& prefix, std::span<const float> flat) {
  std::vector<NamedTensor> tensors;
  for (const TensorSpec& tensor : layout.tensors()) {
    tensors.push_back(named_tensor(prefix + tensor.name, tensor.shape, flat.subspan(tensor.offset, tensor.size)));
  }
  return tensors;
}

}  // namespace

Trainer::Trainer(const SequenceModel<float>& model, const TrainSetup& setup, int threads, Isa isa, Ranks& ranks)
    : model_(model),
      setup_(setup),
      curriculum_(setup.recipe, *setup.task, model.config().traits),
      largest_(largest_episode(model, *setup.task, curriculum_.stages(), longest_piece(setup.recipe))),
      ranks_(ranks),
      pool_(threads),
      batch_step_(model, pool_, largest_,
                  {.most_episodes = static_cast<std::size_t>(setup.recipe.batch.episodes),
                   .shards = static_cast<std::size_t>(setup.recipe.batch.shards)},
                  ranks),
      weights_(model.parameters().size()),
      average_(model.parameters().size()),
      gradient_(model.parameters().size()),
      before_cooldown_(setup.recipe.cooldown.steps > 0 ? model.parameters().size() : 0),
      optimizer_(setup.recipe, model.parameters(), threads, isa),
      validator_(setup.recipe, *setup.task, model, ranks),
      batch_(setup.recipe, *setup_.task, model, setup.seed, curriculum_, largest_.tokens),
      results_(batch_.episodes()) {
  const TaskShape shape = setup.task->shape();
  require(model.config().inputs == shape.inputs && model.config().outputs == shape.outputs &&
              model.config().symbols == shape.symbols,
          "Trainer: the model has the inputs and outputs of the task");
  start_weights();
}

void Trainer::start_weights() {
  const View<float, 1> weights = view_of(weights_.span());
  model_.initialise(setup_.recipe.initial.scheme, setup_.seed, weights);
  if (const double deviation = setup_.recipe.initial.schema_deviation; deviation > 0) {
    std::uint64_t stream = kSchemaStreams;
    for (const TensorSpec& tensor : model_.parameters().tensors()) {
      if (tensor.role != Role::kBank) continue;
      Rng rng = Rng::stream(setup_.seed, Purpose::kWeights, stream++);
      for (float& value : weights.slice(tensor.offset, tensor.size))
        value = static_cast<float>(deviation * rng.normal());
    }
  }
  std::copy(weights_.begin(), weights_.end(), average_.begin());
}

void Trainer::run_episode(std::size_t i, Mode mode, float stillness, Workspace<float>& workspace,
                          GradientShard<float>& shard) {
  const EpisodeRows rows = batch_.rows(i);
  const std::span<const float> all_weights = batch_.weights(i);
  const AnswerKind kind = setup_.task->shape().answer;
  const std::span<const std::uint32_t> asked = workspace.choose(kind, rows);
  workspace.labels.clear();
  workspace.weights.clear();
  for (const std::uint32_t t : asked) {
    workspace.labels.push_back(rows.labels[t]);
    workspace.weights.push_back(all_weights[t]);
  }
  const bool all = asked.empty();
  const std::span<const std::int32_t> labels = all ? std::span<const std::int32_t>(rows.labels) : workspace.labels;
  const std::span<const float> weights = all ? all_weights : workspace.weights;
  const std::array<std::size_t, 2> extents{labels.size(), model_.config().outputs};
  const View<float, 2> logits(workspace.logits.data(), extents), d_logits(workspace.d_logits.data(), extents);
  Episode<float> episode{.x = rows.inputs, .marks = rows.marks, .mode = mode, .stillness = stillness, .answers = asked};
  if (i < batch_.pieces()) {
    episode.initial = batch_.lanes().before(i);
    episode.final = batch_.lanes().behind(i);
  }
  model_.forward(batch_step_.folded(), episode, *workspace.tape, logits);
  EpisodeResult& result = results_[i] = {};
  for (std::size_t t = 0; i < batch_.pieces() && t < labels.size(); ++t) {
    if (labels[t] == EpisodeRows::kNoLabel) continue;
    ++result.asked;
    if (answer_of(kind, logits[t]) == labels[t]) ++result.right;
  }
  result.loss = kind == AnswerKind::kBits ? bitwise_cross_entropy(logits, labels, weights, d_logits)
                                          : softmax_cross_entropy(logits, labels, weights, d_logits);
  result.stillness = model_.backward(batch_step_.folded(), *workspace.tape, d_logits, shard);
}

Result<StepReport> Trainer::step(const StopFlag& stop) {
  require(!ended() && !check_due(), "Trainer::step: the run has ended, or a check comes first");
  const Stage& stage = curriculum_.stage(position_);
  StepReport report{.step = position_.step + 1, .rate = curriculum_.rate(position_)};
  Stopwatch watch;
  if (curriculum_.renews_optimizer(position_)) optimizer_.renew();
  if (stage.phase == Phase::kCooldown && position_.stage_step == 0)
    std::copy(kept_weights().begin(), kept_weights().end(), before_cooldown_.begin());
  const Mode mode = curriculum_.mode(position_);
  const std::size_t episodes = batch_.episodes();
  batch_.fill(stage, position_);
  batch_step_.plan(batch_.offsets());
  report.seconds.data = watch.lap();
  batch_step_.fold(view_of(std::span<const float>(weights_.span())));
  report.seconds.folding = watch.lap();

  const auto stillness = static_cast<float>(curriculum_.stillness(position_) / static_cast<double>(episodes));
  batch_step_.run(stop, [&](std::size_t i, Workspace<float>& workspace, GradientShard<float>& shard) {
    run_episode(i, mode, stillness, workspace, shard);
  });
  report.seconds.kernels = watch.lap();
  if (ranks_.largest(stop.load(std::memory_order_relaxed) ? 1 : 0) > 0) return interrupted();
  batch_step_.share(std::as_writable_bytes(std::span(results_)), episodes);
  if (batch_.pieces() > 0) batch_step_.share(std::as_writable_bytes(batch_.lanes().all_behind()), batch_.pieces());
  batch_step_.reduce();
  report.seconds.ranks = watch.lap();
  batch_step_.gradient(view_of(gradient_.span()));
  report.seconds.folding += watch.lap();

  report.mode = mode;
  std::int64_t asked = 0, right = 0;
  for (const EpisodeResult& result : results_) {
    report.loss += result.loss;
    report.stillness += result.stillness / static_cast<double>(episodes);
    asked += result.asked;
    right += result.right;
  }
  if (batch_.pieces() > 0) report.right = static_cast<double>(right) / std::max(1.0, static_cast<double>(asked));
  report.gradient_norm = std::sqrt(squared_norm(gradient_.span()));
  report.tokens = batch_.tokens();
  if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm) || !std::isfinite(report.stillness)) {
    return Error(ErrorKind::kNonFinite, fmt::format("step {} of {} ({}): loss {}, gradient norm {}", report.step,
                                                    stage.name, mode_name(mode), report.loss, report.gradient_norm));
  }
  const double clip = setup_.recipe.optimizer.clip;
  const double scale = clip > 0 && report.gradient_norm > clip ? clip / report.gradient_norm : 1;
  optimizer_.step(report.rate, scale, gradient_.span(), pool_, weights_.span());
  // Early on the average follows faster, so that it does not remember the initial weights.
  if (averages()) {
    const double seen = static_cast<double>(position_.step + 1);
    average_step(std::min(setup_.recipe.optimizer.average, seen / (seen + 10)), weights_.span(), average_.span());
  }
  if (batch_.pieces() > 0) batch_.lanes().keep();
  curriculum_.after_step(position_);
  report.seconds.optimizer = watch.lap();
  return report;
}

/// Every rank moves its own weights: they stay the same only where the same instructions round in the same way.
Status Trainer::compare_ranks() const {
  if (ranks_.is_alone()) return Done{};
  const std::string mine = sha256_hex(std::as_bytes(std::span(weights_.span())));
  const bool differs = share_text(ranks_, mine) != mine;
  const int rank = ranks_.largest(differs ? ranks_.mine() : 0);
  if (rank == 0) return Done{};
  return Error(ErrorKind::kFailed,
               fmt::format("After step {} rank {} has other weights than rank 0: its machine computes other bits. Run "
                           "all ranks on machines of one kind, with the same program and C library; the run goes on "
                           "from its last checkpoint.",
                           position_.step, rank));
}

Result<Check> Trainer::check(const StopFlag& stop) {
  require(check_due(), "Trainer::check: no check is due");
  const Stage& stage = curriculum_.stage(position_);
  if (const Status same = compare_ranks(); !same) return same.error();
  batch_step_.fold(view_of(kept_weights()));
  std::optional<Check> check = validator_.run(stage, batch_step_.folded(), batch_step_.workspaces(), pool_, stop);
  if (!check) return interrupted();
  const std::size_t before = position_.stage;
  curriculum_.after_check(check->lowest(), position_);
  if (position_.stage != before && !position_.fell_back)
    passed_.push_back({.name = stage.name, .step = position_.step, .lowest = check->lowest()});
  return std::move(*check);
}

std::span<const float> Trainer::kept_weights() const { return averages() ? average_.span() : weights_.span(); }

void Trainer::enter(std::size_t stage) {
  require(stage < curriculum_.stages().size(), "Trainer::enter: the curriculum has no such stage");
  position_ = {.step = position_.step, .stage = stage, .checked_at = position_.step};
}

/// A step on lanes was made, and another may follow: their states are part of the run.
bool Trainer::has_lanes() const {
  return !ended() && curriculum_.stage(position_).phase == Phase::kLanes && position_.stage_step > 0;
}

/// A step of the cool-down was made: there are weights from before it.
bool Trainer::has_cooled() const {
  if (setup_.recipe.cooldown.steps == 0 || position_.gave_up) return false;
  return ended() || (curriculum_.stage(position_).phase == Phase::kCooldown && position_.stage_step > 0);
}

std::vector<NamedTensor> Trainer::result_tensors() const {
  return named(model_.parameters(), "", position_.fell_back ? before_cooldown_.span() : kept_weights());
}

std::vector<NamedTensor> Trainer::model_tensors() const { return named(model_.parameters(), "", kept_weights()); }

std::vector<NamedTensor> Trainer::optimizer_tensors() const {
  const Layout& layout = model_.parameters();
  std::vector<NamedTensor> tensors = named(layout, "weights.", weights_.span());
  const auto append = [&](const std::string& prefix, std::span<const float> flat) {
    for (NamedTensor& tensor : named(layout, prefix, flat)) tensors.push_back(std::move(tensor));
  };
  append("average.", average_.span());
  append("first.", optimizer_.first());
  append("second.", optimizer_.second());
  if (has_lanes()) {
    const Lanes& lanes = batch_.lanes();
    tensors.push_back(named_tensor("lanes", {lanes.count(), lanes.elements()}, lanes.states()));
  }
  if (has_cooled()) append("before_cooldown.", before_cooldown_.span());
  return tensors;
}

Status Trainer::restore(const TensorFile& optimizer, const Saved& saved) {
  const Position& at = saved.position;
  const std::size_t stages = curriculum_.stages().size();
  const bool in_order = at.phase_step <= at.step && at.stage_step <= at.step && at.checked_at <= at.step &&
                        saved.optimizer_steps <= at.step;
  if (at.stage > stages || saved.passed.size() > stages || !in_order) {
    return Error(
        ErrorKind::kBadData,
        fmt::format("{}: its state is at step {} of the run, {} of the phase and {} of stage {}, with {} steps "
                    "of the optimiser and {} passed stages; the run has {} stages, and no part has more "
                    "steps than the whole",
                    optimizer.what(), at.step, at.phase_step, at.stage_step, at.stage, saved.optimizer_steps,
                    saved.passed.size(), stages));
  }
  const auto read = [&](const std::string& prefix, std::span<float> flat) -> Status {
    for (const TensorSpec& tensor : model_.parameters().tensors()) {
      const auto found = optimizer.find(prefix + tensor.name, tensor.shape);
      if (!found) return found.error();
      const auto values = optimizer.values<float>(prefix + tensor.name);
      if (!values) return values.error();
      std::copy(values->begin(), values->end(), flat.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
    }
    return Done{};
  };
  for (const auto& [prefix, flat] : {std::pair{"weights.", weights_.span()},
                                     {"average.", average_.span()},
                                     {"first.", optimizer_.first()},
                                     {"second.", optimizer_.second()}}) {
    if (const Status status = read(prefix, flat); !status) return status;
  }
  optimizer_.set_steps(saved.optimizer_steps);
  position_ = saved.position;
  passed_ = saved.passed;
  if (has_lanes()) {
    Lanes& lanes = batch_.lanes();
    const auto found = optimizer.find("lanes", {lanes.count(), lanes.elements()});
    if (!found) return found.error();
    const auto states = optimizer.values<float>("lanes");
    if (!states) return states.error();
    std::copy(states->begin(), states->end(), lanes.states().begin());
  }
  return has_cooled() ? read("before_cooldown.", before_cooldown_.span()) : Status(Done{});
}

}  // namespace schemamem
