#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "record/evaluation_record.h"
#include "record/safetensors.h"
#include "stream/loaded_model.h"
#include "task/setting.h"

namespace schemamem {

/// A file of trained weights, read once: what it is, and the model for any instruction set.
class TrainedWeights {
 public:
  /// Reads what `schemamem train` wrote, or a model file (docs/formats.md) with the setting among its notes. A file
  /// that does not say which model and setting it is for, or whose tensors do not fit them, is bad data.
  static Result<TrainedWeights> load(const std::filesystem::path& path);

  const EvaluatedCheckpoint& about() const { return about_; }
  const Setting& setting() const { return setting_; }
  Result<std::shared_ptr<const LoadedModel<float>>> model(Isa isa) const;

 private:
  TrainedWeights(EvaluatedCheckpoint about, Setting setting, ModelSpec spec, TensorFile file)
      : about_(std::move(about)), setting_(setting), spec_(std::move(spec)), file_(std::move(file)) {}

  EvaluatedCheckpoint about_;
  Setting setting_;
  ModelSpec spec_;
  TensorFile file_;
};

}  // namespace schemamem
