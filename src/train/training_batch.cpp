#include "train/training_batch.h"

#include "train/loss_weights.h"
#include "train/sampler.h"

namespace schemamem {

TrainingBatch::TrainingBatch(const Recipe& recipe, const Task& task, const SequenceModel<float>& model,
                             std::uint64_t seed, const Curriculum& curriculum, std::size_t longest)
    : recipe_(recipe),
      task_(task),
      seed_(seed),
      cases_(static_cast<std::size_t>(recipe.batch.episodes)),
      source_(task.source()),
      lanes_(recipe, task, model, seed),
      batch_(task.shape(), cases_.size(), cases_.size() * longest),
      row_weights_(cases_.size() * longest) {
  // A source grows with the longest episode that it has made: here, so that no step allocates.
  for (const Stage& stage : curriculum.stages()) {
    for (const EpisodeCase& one : stage.checked) source_->make(one, {}, batch_.all().slice(0, task.tokens(one)));
  }
}

void TrainingBatch::fill(const Stage& stage, const Position& at) {
  pieces_ = stage.phase == Phase::kLanes ? lanes_.count() : 0;
  draw_cases(recipe_, stage, seed_, at.step, cases_);
  batch_.plan(task_, cases_, pieces_, lanes_.tokens());
  if (pieces_ > 0) lanes_.seek(at.stage_step);
  EpisodeAddress address{
      .seed = seed_, .purpose = Purpose::kTrainEpisode, .index = static_cast<std::uint64_t>(at.step) * cases_.size()};
  for (std::size_t i = 0; i < cases_.size(); ++i, ++address.index) {
    if (i < pieces_) {
      lanes_.fill(i, batch_.rows(i));
    } else {
      source_->make(cases_[i], address, batch_.rows(i));
    }
  }
  const std::size_t border = offsets()[pieces_];
  const std::span<float> weights = std::span(row_weights_).first(tokens());
  loss_weights(recipe_, stage, batch_.rows().slice(border, tokens() - border), weights.subspan(border));
  if (pieces_ == 0) return;
  const double share = static_cast<double>(pieces_) / static_cast<double>(cases_.size());
  even_weights(batch_.rows().slice(0, border), weights.first(border));
  for (std::size_t t = 0; t < weights.size(); ++t)
    weights[t] = static_cast<float>((t < border ? share : 1 - share) * static_cast<double>(weights[t]));
}

}  // namespace schemamem
