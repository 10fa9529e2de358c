#pragma once

#include <filesystem>
#include <string>

#include "base/sha256.h"
#include "record/tensor_files.h"
#include "system/files.h"
#include "tensors/safetensors.h"
#include "train/checkpoint.h"

namespace schemamem::test {

inline std::string file_hash(const std::filesystem::path& path) {
  const auto bytes = read_file(path, kLargestTensorFile);
  return bytes ? sha256_hex(bytes->span()) : "absent";
}

/// The SHA-256 of weights, optimiser and metrics of a finished run.
inline std::string result_hashes(const std::filesystem::path& run) {
  const Checkpoints checkpoints(run);
  const auto steps = checkpoints.complete();
  if (steps.empty()) return "no checkpoint";
  return file_hash(run / "model.safetensors") + " " +
         file_hash(checkpoints.folder(steps.front()) / "optimizer.safetensors") + " " +
         file_hash(run / "metrics.jsonl");
}

}  // namespace schemamem::test
