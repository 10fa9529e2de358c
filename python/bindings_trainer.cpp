#include "batch_task.h"
#include "bindings.h"
#include "watch.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

namespace schemamem::python {
namespace {

using Texts = std::map<std::string, std::string>;

/// Training step by step, on a task of the library or on batches of the caller's.
class OwnTrainer {
 public:
  /// `shape` is given for batches of the caller's; else task and setting count.
  OwnTrainer(const std::string& model, const Texts& options, const std::string& task, const std::string& setting,
             std::optional<BatchShape> shape, const std::string& recipe, const Texts& overrides, std::uint64_t seed,
             int threads) {
    if (shape) batches_ = std::make_shared<BatchTask>(*shape);
    std::shared_ptr<const inside::Task> used = batches_;
    if (!used) used = take(make_task(task, setting));
    const inside::TaskShape ports = used->shape();
    const ModelSpec spec = take(resolve_model(
        {.name = model, .set = options}, {.inputs = ports.inputs, .outputs = ports.outputs, .symbols = ports.symbols}));
    std::vector<std::string> set;
    for (const auto& [name, value] : overrides) set.push_back(name + "=" + value);
    ResolvedRecipe resolved = take(resolve_recipe(recipe, set));
    if (batches_) {  // whoever has the batches decides when it is enough
      resolved.recipe.levels.limit = resolved.recipe.validation.every = std::numeric_limits<std::int64_t>::max();
      resolved.recipe.cooldown.steps = 0;
    }
    recipe_ = resolved.name;
    model_ = take(make_model<float>(spec));
    trainer_.emplace(*model_, TrainSetup{.recipe = resolved.recipe, .task = std::move(used), .seed = seed},
                     impl::threads_of(threads));
  }

  /// A step and the check behind it; a check that was interrupted comes first.
  nb::dict step() {
    const Busy mine(busy_, "Trainer");
    refuse_end();
    if (batches_)
      throw Failure::usage("Trainer.step: this trainer was made for batches of your own: step(x, targets).");
    nb::dict told;
    if (!trainer_->check_due()) told = train();
    if (trainer_->check_due()) {
      const std::string stage = trainer_->curriculum().stage(trainer_->position()).name;
      const Check check = take(watched(stop_, [&] { return trainer_->check(stop_); }));
      told["check"] = rows_of(check);
      told["stage"] = stage;
      told["lowest"] = check.lowest();
    }
    return told;
  }

  nb::dict step_on(const Array<const float, 3>& x, const Array<const std::int32_t, 2>& targets,
                   const std::optional<Array<const std::uint8_t, 2>>& marks,
                   const std::optional<Array<const float, 2>>& weights) {
    const Busy mine(busy_, "Trainer");
    if (!batches_)
      throw Failure::usage("Trainer.step: this trainer draws its own batches; call step() without arguments.");
    const std::size_t episodes = x.shape(0), rows = x.shape(1);
    const auto expected = static_cast<std::size_t>(trainer_->setup().recipe.batch.episodes);
    const std::size_t width = trainer_->setup().task->shape().row_width();
    const auto same = [&](const auto& other) { return other.shape(0) == episodes && other.shape(1) == rows; };
    if (episodes != expected || x.shape(2) != width || !same(targets) || (marks && !same(*marks)) ||
        (weights && !same(*weights)))
      throw Failure::usage("Trainer.step: expected x [" + std::to_string(expected) + ", T, " + std::to_string(width) +
                           "] and targets, marks and weights of [" + std::to_string(expected) + ", T]; found x [" +
                           std::to_string(episodes) + ", " + std::to_string(rows) + ", " + std::to_string(x.shape(2)) +
                           "]. The number of episodes is set when a trainer is made: batch=");
    OwnBatch batch{.episodes = episodes, .rows = rows, .x = numbers(x), .targets = numbers(targets)};
    if (marks) batch.marks = numbers(*marks);
    if (weights) batch.weights = numbers(*weights);
    batches_->put(batch);
    return train();
  }

  bool done() const { return trainer_->ended() || failed_; }
  bool passed() const { return trainer_->ended() && !trainer_->position().gave_up && !failed_; }
  std::int64_t steps() const { return trainer_->position().step; }
  std::string stage() const {
    const bool behind = trainer_->position().stage == trainer_->curriculum().stages().size();
    return behind ? "" : trainer_->curriculum().stage(trainer_->position()).name;
  }

  v0::Model model() {
    const Busy mine(busy_, "Trainer");
    auto notes = checkpoint_notes(*trainer_);
    notes.emplace("recipe", recipe_);
    const auto bytes = encode_tensors(trainer_->result_tensors(), model_file_metadata(model_->spec(), notes));
    return impl::Access::model(take(LoadedModel<float>::parse(bytes.span(), "the trained model")));
  }

 private:
  void refuse_end() const {
    if (done()) throw Failure::usage("Trainer.step: training has ended; look at passed, and take the model.");
  }

  nb::dict train() {
    auto report = watched(stop_, [&] { return trainer_->step(stop_); });
    if (!report) {
      failed_ = report.error().kind() == inside::ErrorKind::kNonFinite;
      throw Failure(report.error());
    }
    nb::dict told;
    told["step"] = report->step;
    told["loss"] = report->loss;
    told["gradient_norm"] = report->gradient_norm;
    told["rate"] = report->rate;
    return told;
  }

  nb::list rows_of(const Check& check) const {
    const inside::Task& task = *trainer_->setup().task;
    nb::list rows;
    for (const GroupScore& group : check.groups) {
      nb::dict row;
      row["scenario"] = task.scenarios()[group.asked_in.scenario];
      row["delay"] = group.asked_in.delay;
      row["group"] = std::string(task.groups()[static_cast<std::size_t>(group.group)]);
      row["asked"] = group.asked;
      row["right"] = group.right;
      row["exact"] = group.percent();
      rows.append(row);
    }
    return rows;
  }

  std::string recipe_;
  std::shared_ptr<BatchTask> batches_;
  std::unique_ptr<SequenceModel<float>> model_;
  std::optional<inside::Trainer> trainer_;
  StopFlag stop_{false};
  std::atomic<bool> busy_{false};
  bool failed_ = false;
};

void make(OwnTrainer* place, const std::string& model, const Texts& options, const std::string& task,
          const std::string& setting, const std::optional<std::map<std::string, std::size_t>>& shape,
          const std::string& recipe, const Texts& overrides, std::uint64_t seed, int threads) {
  std::optional<BatchShape> own;
  if (shape) {
    const auto at = [&](const char* name) { return shape->contains(name) ? shape->at(name) : 0; };
    own = {.inputs = at("inputs"),
           .symbols = at("symbols"),
           .classes = at("classes"),
           .bits = at("bits"),
           .longest = at("longest"),
           .chunks = at("chunks")};
  }
  new (place) OwnTrainer(model, options, task, setting, own, recipe, overrides, seed, threads);
}

}  // namespace

void bind_trainer(nb::module_& core) {
  nb::class_<OwnTrainer>(core, "Trainer")
      .def("__init__", &make, nb::arg("model"), nb::arg("options"), nb::arg("task"), nb::arg("setting"),
           nb::arg("shape").none(), nb::arg("recipe"), nb::arg("overrides"), nb::arg("seed"), nb::arg("threads"))
      .def("step", &OwnTrainer::step)
      .def("step_on", &OwnTrainer::step_on, nb::arg("x"), nb::arg("targets"), nb::arg("marks").none(),
           nb::arg("weights").none())
      .def_prop_ro("done", &OwnTrainer::done)
      .def_prop_ro("passed", &OwnTrainer::passed)
      .def_prop_ro("steps", &OwnTrainer::steps)
      .def_prop_ro("stage", &OwnTrainer::stage)
      .def("model", &OwnTrainer::model);
}

}  // namespace schemamem::python
