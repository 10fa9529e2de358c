/// \file
/// Training of a model on a task of one's own, or on a task of the library by name.
///
/// \code{.cpp}
/// #include <schemamem/schemamem.h>
///
/// #include <array>
/// #include <cstdio>
///
/// // Says again what it sees.
/// struct Copy final : schemamem::Task {
///   schemamem::TaskShape shape() const override { return {.inputs = 8, .classes = 8, .longest = 16}; }
///   void episode(schemamem::Rng& rng, schemamem::EpisodeWriter& out) const override {
///     for (int t = 0; t < 16; ++t) {
///       const auto seen = static_cast<std::size_t>(rng.below(8));
///       std::array<float, 8> row{};
///       row[seen] = 1;
///       out.row(row);
///       out.target(seen);
///     }
///   }
/// };
///
/// int main() {
///   schemamem::Trainer trainer({.model = "schemamem", .options = {{"slots", 16}, {"width", 32}, {"layers", 1}}},
///   Copy{},
///                              {.recipe = "fast", .overrides = {{"validation.every", 50}, {"cooldown.steps", 0}}});
///   while (!trainer.done()) trainer.step();
///   std::printf("%lld steps, loss %.3f, %.1f %% right\n", static_cast<long long>(trainer.steps()), trainer.loss(),
///               trainer.last_check().lowest());
///   return trainer.passed() && trainer.model().save("copy.safetensors") ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <schemamem/error.h>
#include <schemamem/evaluation.h>
#include <schemamem/model.h>
#include <schemamem/option.h>
#include <schemamem/task.h>

namespace schemamem {
namespace impl {
struct Trainer;
}  // namespace impl
inline namespace v0 {

/// Which model is to be trained.
struct ModelChoice {
  std::string model = "schemamem";  ///< "schemamem", "mamba3" or "gdn"
  Options options = {};             ///< sizes and options that are not to be the published ones: {{"slots", 64}}
};

/// How it is trained. `schemamem config explain` lists recipes and fields.
struct TrainOptions {
  std::string recipe = "fast";  ///< a recipe of the library, or the path of a .toml file
  std::uint64_t seed = 42;      ///< root of every random stream
  int threads = 0;              ///< the result is the same for any number; 0: as many as there are cores
  Options overrides = {};       ///< fields of the recipe: {{"levels.limit", 1000}}
};

/// Whoever trains step by step. After the same steps with the same options the weights are the same, to the bit.
class Trainer {
 public:
  /// Trains on a task of one's own, which is moved into the trainer. It is one level of the recipe (`levels.*`), ended
  /// when every group reaches `levels.threshold` in `validation.passes` checks in a row. An unknown model, option,
  /// recipe or field, and a shape that contradicts itself, throw std::invalid_argument.
  template <class OwnTask>
  requires std::is_base_of_v<Task, OwnTask> Trainer(const ModelChoice& model, OwnTask task,
                                                    const TrainOptions& options = {})
      : Trainer(model, std::shared_ptr<const Task>(std::make_shared<const OwnTask>(std::move(task))), options) {}
  /// The same, for a task that is shared.
  Trainer(const ModelChoice& model, std::shared_ptr<const Task> task, const TrainOptions& options = {});
  /// Trains on a task of the library, with its own curriculum.
  Trainer(const ModelChoice& model, const NamedTask& task, const TrainOptions& options = {});
  Trainer(Trainer&&) noexcept;             ///< Leaves the other to be destroyed or assigned to.
  Trainer& operator=(Trainer&&) noexcept;  ///< Leaves the other to be destroyed or assigned to.
  ~Trainer();                              ///< Keeps nothing: save model() first.

  /// One optimiser step, and the check behind it if one is due. When loss or gradient are not finite, training is done
  /// and the weights are those from before. Behind the end, nothing happens.
  Status step();
  /// Whether there is nothing left to do: the curriculum is passed, a stage reached its limit, or a step failed.
  bool done() const;
  /// Whether the curriculum was passed.
  bool passed() const;

  /// Optimiser steps so far.
  std::int64_t steps() const;
  /// Loss of the last step.
  double loss() const;
  /// The stage that is trained, as the recipe calls it; empty behind the last.
  std::string stage() const;
  /// The scores of the last check; empty before the first.
  const Scores& last_check() const;

  /// The weights so far (their average, if the recipe has one), as a model of its own.
  Model model() const;

 private:
  std::unique_ptr<impl::Trainer> content_;
};

}  // namespace v0
}  // namespace schemamem
