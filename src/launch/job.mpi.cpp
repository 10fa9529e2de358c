// The one file that knows MPI.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "launch/job.h"

namespace schemamem {
namespace {

using Clock = std::chrono::steady_clock;

/// MPI counts in int.
constexpr std::size_t kMost = std::numeric_limits<int>::max();
/// After a request to stop the others come within an episode, or not at all. Launchers that stop the survivors of a
/// rank that died leave them about a second.
constexpr std::chrono::milliseconds kPatience{500};
/// Looks at an exchange before the processor is offered to others, which may be the ones that are waited for.
constexpr int kLooks = 100;

/// Sizes and places of pieces, as MPI wants them.
class Pieces {
 public:
  void set(std::span<const std::size_t> ends) {
    require(ends.empty() || ends.back() <= kMost, "Ranks: an exchange of more bytes than MPI counts");
    sizes_.resize(ends.size());
    places_.resize(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      places_[i] = i == 0 ? 0 : static_cast<int>(ends[i - 1]);
      sizes_[i] = static_cast<int>(ends[i]) - places_[i];
    }
  }
  const int* sizes() const { return sizes_.data(); }
  const int* places() const { return places_.data(); }

 private:
  std::vector<int> sizes_, places_;
};

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, mine_, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &beside_);
    MPI_Comm_free(&machine);
  }

  int count() const override { return count_; }
  int mine() const override { return mine_; }
  int beside() const override { return beside_; }

  int largest(int said) override {
    int found = said;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&said, &found, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
    wait(request);
    return found;
  }
  void broadcast(std::span<std::byte> bytes) override {
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), kMost));
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ibcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, 0, MPI_COMM_WORLD, &request);
      wait(request);
      bytes = bytes.subspan(piece.size());
    }
  }
  void all_gather(std::span<std::byte> all, std::span<const std::size_t> ends) override {
    in_.set(ends);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_BYTE, all.data(), in_.sizes(), in_.places(), MPI_BYTE, MPI_COMM_WORLD,
                    &request);
    wait(request);
  }
  void all_to_all(std::span<const std::byte> out, std::span<const std::size_t> out_ends, std::span<std::byte> in,
                  std::span<const std::size_t> in_ends) override {
    out_.set(out_ends);
    in_.set(in_ends);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoallv(out.data(), out_.sizes(), out_.places(), MPI_BYTE, in.data(), in_.sizes(), in_.places(), MPI_BYTE,
                   MPI_COMM_WORLD, &request);
    wait(request);
  }

  void watch(const StopFlag* stop, std::function<void()> tell) override {
    stop_ = stop;
    tell_ = std::move(tell);
  }

 private:
  void wait(MPI_Request& request) {
    Clock::time_point asked{};
    int looks = 0, done = 0;
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
      if (++looks < kLooks) continue;
      looks = 0;
      std::this_thread::yield();
      if (stop_ == nullptr || !stop_->load(std::memory_order_relaxed)) continue;
      if (asked == Clock::time_point{}) asked = Clock::now();
      if (Clock::now() - asked > kPatience && tell_) std::exchange(tell_, nullptr)();
    }
  }

  int count_ = 1, mine_ = 0, beside_ = 1;
  Pieces out_, in_;
  const StopFlag* stop_ = nullptr;
  std::function<void()> tell_;
};

/// A process of an MPI job; what MPI itself finds wrong ends the job (its default).
class MpiJob final : public Job {
 public:
  MpiJob() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    ranks_ = std::make_unique<MpiRanks>();
  }
  ~MpiJob() override { MPI_Finalize(); }

  Ranks& ranks() override { return *ranks_; }
  void end_all(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  std::unique_ptr<MpiRanks> ranks_;
};

/// Whether a launcher started this process: each says so in the environment. Without one MPI would cost every call of
/// the program its start.
bool is_launched() {
  constexpr const char* kSigns[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", "MPI_LOCALNRANKS"};
  return std::any_of(std::begin(kSigns), std::end(kSigns),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

std::unique_ptr<Job> join_job() {
  if (is_launched()) return std::make_unique<MpiJob>();
  return job_of_one();
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int size = 0;
  MPI_Get_library_version(text, &size);
  const std::string whole(text, static_cast<std::size_t>(size));
  return whole.substr(0, whole.find(','));
}

}  // namespace schemamem
