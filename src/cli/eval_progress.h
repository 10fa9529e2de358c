#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <ostream>
#include <string>

#include "eval/evaluator.h"

namespace schemamem {

/// Shows how far an evaluation is and how long it will still take: a bar that is drawn again in place on a terminal, a
/// plain line now and then elsewhere.
class EvalProgress final : public EvaluationObserver {
 public:
  using Clock = std::chrono::steady_clock;

  EvalProgress(std::ostream& out, bool redraws, std::int64_t total_tokens);
  ~EvalProgress() override;
  EvalProgress(const EvalProgress&) = delete;
  EvalProgress& operator=(const EvalProgress&) = delete;

  /// What is being evaluated from here on.
  void begin(const std::string& subject);
  void advanced(std::int64_t tokens) override;
  void short_of_threads(int wanted, int found) override;
  /// Removes the bar; what follows starts on a clean line.
  void close();

 private:
  std::string line(Clock::time_point at) const;

  std::ostream& out_;
  bool redraws_;
  std::int64_t total_, done_ = 0;
  std::string subject_;
  Clock::time_point started_, drawn_;
  bool on_screen_ = false;
  std::mutex mutex_;
};

}  // namespace schemamem
