#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/sha256.h"
#include "support/tiny_training.h"
#include "system/files.h"

namespace schemamem::test {

/// Trains a tiny run until `step` or its end.
inline void train_tiny_run(const std::filesystem::path& folder, std::int64_t step = INT64_MAX,
                           const RunRequest& request = tiny_request()) {
  class StopAt final : public RunObserver {
   public:
    explicit StopAt(std::int64_t at) : at_(at) {}
    void stepped(const Trainer&, const StepReport& report) override { stop = report.step >= at_; }
    StopFlag stop{false};

   private:
    std::int64_t at_;
  };
  StopAt observer(step);
  static_cast<void>(train_run(*tiny_model(request.model.name), request, {.folder = folder}, observer.stop, observer));
}

/// Makes the marker of a checkpoint true again after one of its files was changed.
inline void seal_checkpoint(const std::filesystem::path& checkpoint) {
  nlohmann::ordered_json hashes = nlohmann::ordered_json::parse(std::ifstream(checkpoint / "complete.json"));
  for (const char* part : {"model.safetensors", "optimizer.safetensors", "state.json"})
    hashes[part] = sha256_hex(read_file(checkpoint / part, 1 << 28).value().span());
  std::ofstream(checkpoint / "complete.json") << hashes.dump(1) << "\n";
}

}  // namespace schemamem::test
