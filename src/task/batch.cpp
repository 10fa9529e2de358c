#include "task/batch.h"

namespace schemamem {

Batch::Batch(const TaskShape& shape, std::size_t most_episodes, std::size_t most_tokens)
    : offsets_(most_episodes + 1),
      inputs_(most_tokens * shape.row_width()),
      weights_(most_tokens),
      marks_(most_tokens),
      labels_(most_tokens),
      groups_(most_tokens),
      is_final_(most_tokens),
      all_{.inputs = {inputs_.data(), {most_tokens, shape.row_width()}},
           .marks = marks_.span(),
           .labels = labels_.span(),
           .weights = weights_.span(),
           .groups = groups_.span(),
           .is_final = is_final_.span()} {}

void Batch::plan(const Task& task, std::span<const EpisodeCase> cases, std::size_t pieces, std::size_t rows) {
  require(cases.size() < offsets_.size(), "Batch::plan: more episodes than the batch has room for");
  require(task.shape().row_width() == all_.inputs.extent(1), "Batch::plan: the task has rows of another width");
  episodes_ = cases.size();
  for (std::size_t i = 0; i < cases.size(); ++i)
    offsets_[i + 1] = offsets_[i] + (i < pieces ? rows : task.tokens(cases[i]));
  require(tokens() <= all_.size(), "Batch::plan: more tokens than the batch has room for");
}

void Batch::fill(const Task& task, EpisodeSource& source, std::span<const EpisodeCase> cases, EpisodeAddress first) {
  plan(task, cases);
  for (std::size_t i = 0; i < cases.size(); ++i, ++first.index) source.make(cases[i], first, rows(i));
}

}  // namespace schemamem
