#include "system/threads.h"

#include "base/result.h"

namespace schemamem {

ThreadPool::ThreadPool(int threads) {
  require(threads >= 1, "ThreadPool: at least one thread");
  workers_.reserve(static_cast<std::size_t>(threads) - 1);
  try {
    for (int thread = 1; thread < threads; ++thread) workers_.emplace_back([this, thread] { worker(thread); });
  } catch (const std::exception&) {
    // The system gives no more: those that are there, at least the calling thread, do all the work.
  }
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
    next_ = 0;
    slices_ = unfinished_ = slices;
    failure_ = nullptr;
  }
  wake_.notify_all();
  work_off(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return unfinished_ == 0; });
  call_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::work_off(int thread) {
  std::unique_lock lock(mutex_);
  while (next_ < slices_) {
    const std::size_t slice = next_++;
    const Call call = call_;
    void* const context = context_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      call(context, slice, thread);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--unfinished_ == 0) done_.notify_one();
  }
}

void ThreadPool::worker(int thread) {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || next_ < slices_; });
      if (stop_) return;
    }
    work_off(thread);
  }
}

}  // namespace schemamem
