#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "support/program.h"
#include "support/temporary_folder.h"

namespace schemamem::test {

/// How a call of the program ended on a folder from a stranger.
struct HostileEnd {
  ProcessEnd end;
  bool hung = false;  // it had to be killed
  std::string said{};
};

inline constexpr std::chrono::seconds kPatience{30};  // of a loaded machine; the promise is 5 s

/// Waits for a process, and kills it when patience is over.
inline HostileEnd wait_for(Process process, const std::filesystem::path& log,
                           std::chrono::milliseconds patience = kPatience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!process.end() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const bool hung = !process.end();
  if (hung) process.signal(SIGKILL);
  const ProcessEnd end = process.wait();
  return {.end = end, .hung = hung, .said = text_of(log)};
}

/// Runs the program itself; `arguments` are separated by spaces.
inline HostileEnd run_hostile(const std::string& arguments, std::chrono::milliseconds patience = kPatience) {
  const TemporaryFolder folder;
  return wait_for(start_program(arguments, folder / "log"), folder / "log", patience);
}

/// The arguments of a run that gives up after `limit` steps.
inline std::string short_training(const std::filesystem::path& folder, int limit = 8) {
  return "train --model schemamem --setting A2V2 --seed 5 --threads 1 --set batch.episodes=2 --set "
         "validation.every=4 --set validation.episodes=2 --set transactions.history_thresholds=[100,100,100] --set "
         "validation.passes=9 --set transactions.limit=" +
         std::to_string(limit) + " --out " + folder.string();
}

inline void write_victim(const std::filesystem::path& path, const std::string& text = "precious\n") {
  std::ofstream(path) << text;
}

}  // namespace schemamem::test
