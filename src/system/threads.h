#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace schemamem {

/// Set by whoever wants a long piece of work to stop; looked at between episodes.
using StopFlag = std::atomic<bool>;

/// Threads that share out numbered slices of a problem. Which thread runs a slice is left to chance; what a slice is,
/// is fixed by the problem and never by the thread count, so results that are combined in slice order are the same bits
/// for any number of threads. The calling thread works too: ThreadPool(1) starts nothing. Where the system gives fewer
/// threads than were asked for, there are fewer; threads() tells.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(slice, thread) for every slice in [0, slices), thread in [0, threads()), and returns when all are done.
  /// On a busy machine a thread may wake up late: nobody waits for one that has taken no slice.
  /// The first exception thrown by a slice is rethrown here after the others have ended. Allocates nothing. Not
  /// reentrant.
  template <class Work>
  void run(std::size_t slices, Work&& work) {
    run_erased(slices, &work, [](void* context, std::size_t slice, int thread) {
      (*static_cast<std::remove_reference_t<Work>*>(context))(slice, thread);
    });
  }

 private:
  using Call = void (*)(void* context, std::size_t slice, int thread);
  void run_erased(std::size_t slices, void* context, Call call);
  void work_off(int thread);
  void worker(int thread);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::size_t next_ = 0, slices_ = 0, unfinished_ = 0;
  void* context_ = nullptr;
  Call call_ = nullptr;
  std::exception_ptr failure_;
  bool stop_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace schemamem
