#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "bindings.h"

namespace schemamem::python {

/// Raises what a signal asked for (Ctrl-C: KeyboardInterrupt). The interpreter's lock is held.
inline void heed_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Calls piece(first, count) for all of `total` without the interpreter's lock, in pieces of about 20 ms, and looks for
/// signals between them.
template <class Piece>
void in_pieces(std::size_t total, const Piece& piece) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kLong = std::chrono::milliseconds(20);
  std::size_t count = 64;
  for (std::size_t first = 0; first < total;) {
    const std::size_t now = std::min(count, total - first);
    {
      const nb::gil_scoped_release unlocked;
      const auto start = Clock::now();
      piece(first, now);
      if (Clock::now() - start < kLong) count *= 2;
    }
    first += now;
    if (first < total) heed_signals();
  }
}

/// Runs long work on a thread of its own while this one looks for signals; one that raises sets `stop`, and is raised
/// when the work has ended. Returns what the work returns.
template <class Work>
auto watched(StopFlag& stop, const Work& work) {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr failure;
  std::optional<decltype(work())> result;
  std::optional<nb::python_error> raised;
  stop = false;
  {
    const nb::gil_scoped_release unlocked;
    std::thread worker([&] {
      try {
        result.emplace(work());
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      ended.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(30), [&] { return done; })) {
      if (raised) continue;
      lock.unlock();
      {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) raised.emplace();
      }
      if (raised) stop = true;
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace schemamem::python
