#pragma once

namespace schemamem {

/// What a model can do and is asked to do, so that nobody asks for its name.
struct ModelTraits {
  bool full_history = false;  // knows Mode::kFullHistory, and is trained on batches of it
  bool ablation = false;      // knows Mode::kAblated
  double final_target = 99;   // % that the paper asks of the last stages of its curriculum
};

}  // namespace schemamem
