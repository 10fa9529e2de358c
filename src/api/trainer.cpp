#include "api/access.h"
#include "api/own_task.h"

#include <schemamem/trainer.h>

#include <stdexcept>

namespace schemamem {
namespace impl {

/// What a public Trainer owns.
struct Trainer {
  std::string recipe;
  std::unique_ptr<SequenceModel<float>> model;
  inside::Trainer trainer;
  StopFlag stop{false};
  double loss = 0;
  v0::Scores last_check{};
  v0::Status failure{};

  Trainer(const ResolvedRecipe& resolved, std::unique_ptr<SequenceModel<float>> made,
          std::shared_ptr<const inside::Task> task, const v0::TrainOptions& options)
      : recipe(resolved.name),
        model(std::move(made)),
        trainer(*model, {.recipe = resolved.recipe, .task = std::move(task), .seed = options.seed},
                threads_of(options.threads)) {}
};

}  // namespace impl

inline namespace v0 {
namespace {

using impl::Access;
using impl::public_error;

/// A constructor has no other way to say what is wrong with its arguments.
template <class T>
T value_or_throw(inside::Result<T> result) {
  if (!result) throw std::invalid_argument("Trainer: " + result.error().message());
  return std::move(result).value();
}

std::unique_ptr<impl::Trainer> make_trainer(const ModelChoice& choice, std::shared_ptr<const inside::Task> task,
                                            const TrainOptions& options) {
  inside::ModelChoice model{.name = choice.model, .set = {}};
  for (const Option& option : choice.options) model.set[option.name] = option.value;
  const inside::TaskShape shape = task->shape();
  const ModelSpec spec = value_or_throw(
      resolve_model(model, {.inputs = shape.inputs, .outputs = shape.outputs, .symbols = shape.symbols}));
  std::vector<std::string> overrides;
  for (const Option& option : options.overrides) overrides.push_back(option.name + "=" + option.value);
  const ResolvedRecipe recipe = value_or_throw(resolve_recipe(options.recipe, overrides));
  if (const auto fits = Lanes::check(recipe.recipe, *task); !fits)
    throw std::invalid_argument("Trainer: " + fits.error().message());
  return std::make_unique<impl::Trainer>(recipe, value_or_throw(make_model<float>(spec)), std::move(task), options);
}

Scores scores_of(const inside::Task& task, const Check& check) {
  Scores scores;
  for (const GroupScore& group : check.groups) {
    scores.cells.push_back({.scenario = task.scenarios()[group.asked_in.scenario],
                            .delay = group.asked_in.delay,
                            .group = std::string(task.groups()[static_cast<std::size_t>(group.group)]),
                            .asked = group.asked,
                            .right = group.right});
  }
  return scores;
}

}  // namespace

Trainer::Trainer(const ModelChoice& model, std::shared_ptr<const Task> task, const TrainOptions& options)
    : content_(make_trainer(model, std::make_shared<const impl::OwnTask>(std::move(task)), options)) {}
Trainer::Trainer(const ModelChoice& model, const NamedTask& task, const TrainOptions& options)
    : content_(make_trainer(model, value_or_throw(make_task(task.name, task.setting)), options)) {}
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

Status Trainer::step() {
  if (done()) return content_->failure;
  inside::Trainer& trainer = content_->trainer;
  const auto report = trainer.step(content_->stop);
  if (!report) return content_->failure = public_error(report.error());
  content_->loss = report->loss;
  if (!trainer.check_due()) return {};
  const auto check = trainer.check(content_->stop);
  if (!check) return content_->failure = public_error(check.error());
  content_->last_check = scores_of(*trainer.setup().task, *check);
  return {};
}

bool Trainer::done() const { return content_->trainer.ended() || !content_->failure; }
bool Trainer::passed() const {
  return content_->trainer.ended() && !content_->trainer.position().gave_up && content_->failure;
}
std::int64_t Trainer::steps() const { return content_->trainer.position().step; }
double Trainer::loss() const { return content_->loss; }

std::string Trainer::stage() const {
  const inside::Trainer& trainer = content_->trainer;
  const bool behind = trainer.position().stage == trainer.curriculum().stages().size();
  return behind ? "" : trainer.curriculum().stage(trainer.position()).name;
}

const Scores& Trainer::last_check() const { return content_->last_check; }

Model Trainer::model() const {
  auto notes = checkpoint_notes(content_->trainer);
  notes.emplace("recipe", content_->recipe);
  const auto bytes =
      encode_tensors(content_->trainer.result_tensors(), model_file_metadata(content_->model->spec(), notes));
  return Access::model(LoadedModel<float>::parse(bytes.span(), "the trained model").value());
}

}  // namespace v0
}  // namespace schemamem
