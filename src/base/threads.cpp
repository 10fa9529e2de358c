#include "base/threads.h"

#include "base/result.h"

namespace schemamem {

ThreadPool::ThreadPool(int threads) {
  require(threads >= 1, "ThreadPool: at least one thread");
  workers_.reserve(static_cast<std::size_t>(threads) - 1);
  for (int thread = 1; thread < threads; ++thread) workers_.emplace_back([this, thread] { worker(thread); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_erased(std::size_t slices, void* context, Call call) {
  if (slices == 0) return;
  {
    const std::lock_guard lock(mutex_);
    require(call_ == nullptr, "ThreadPool::run: called from inside one of its own slices");
    context_ = context;
    call_ = call;
    slices_ = slices;
    next_ = 0;
    failure_ = nullptr;
    busy_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  wake_.notify_all();
  work_off(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  call_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::work_off(int thread) {
  for (;;) {
    std::size_t slice = 0;
    {
      const std::lock_guard lock(mutex_);
      if (next_ == slices_) return;
      slice = next_++;
    }
    try {
      call_(context_, slice, thread);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }
}

void ThreadPool::worker(int thread) {
  std::size_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
      if (stop_) return;
      seen = generation_;
    }
    work_off(thread);
    {
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }
}

}  // namespace schemamem
