#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "record/evaluation_record.h"
#include "stream/loaded_model.h"
#include "task/task.h"
#include "tensors/safetensors.h"

namespace schemamem {

/// A file of trained weights, read once: what it is, and the model for any instruction set.
class TrainedWeights {
 public:
  /// Reads a model file (docs/formats.md) with the task and its setting among its notes, as `schemamem train` writes
  /// it. A file that does not say which model, task and setting it is for, or whose tensors do not fit them, is bad
  /// data.
  static Result<TrainedWeights> load(const std::filesystem::path& path);

  const EvaluatedCheckpoint& about() const { return about_; }
  const std::shared_ptr<const Task>& task() const { return task_; }
  Result<std::shared_ptr<const LoadedModel<float>>> model(Isa isa) const;

 private:
  TrainedWeights(EvaluatedCheckpoint about, std::shared_ptr<const Task> task, TensorFile file)
      : about_(std::move(about)), task_(std::move(task)), file_(std::move(file)) {}

  EvaluatedCheckpoint about_;
  std::shared_ptr<const Task> task_;
  TensorFile file_;
};

}  // namespace schemamem
