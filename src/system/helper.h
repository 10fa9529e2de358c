#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "system/process.h"

namespace schemamem {

/// The program of this name or path, as the shell would find it.
std::optional<std::filesystem::path> find_program(const std::string& name);

struct HelperOptions {
  std::filesystem::path folder{};              // where it works; empty: where we do
  bool starts_others = true;                   // else it can start no process
  std::size_t most = std::size_t{16} << 20;    // bytes that it may say
  std::chrono::milliseconds patience{60'000};  // then it is killed
};
/// How a helper ended, and what it said on its way: text of a stranger.
struct HelperEnd {
  ProcessEnd end;
  std::string out{}, error{};
};
/// Runs a program to its end, without a shell; it reads nothing. One that cannot be started, says too much or takes too
/// long is an error (kFailed); how it ended is for the caller to judge.
Result<HelperEnd> run_helper(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                             const HelperOptions& options = {});

}  // namespace schemamem
