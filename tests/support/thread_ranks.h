#pragma once

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "base/result.h"
#include "system/ranks.h"

namespace schemamem::test {

/// Ranks that are threads of one process, and exchange through its memory.
class ThreadRanks {
 public:
  explicit ThreadRanks(int count) : barrier_(count), places_(static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) ranks_.push_back(std::make_unique<Rank>(*this, i));
  }

  /// Calls work(ranks) on every rank, each in a thread of its own.
  void run(const std::function<void(Ranks&)>& work) {
    std::vector<std::thread> threads;
    for (const auto& rank : ranks_) threads.emplace_back([&] { work(*rank); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  /// What a rank shows the others between two barriers.
  struct Place {
    int said = 0;
    std::span<const std::byte> bytes;
    std::span<const std::size_t> ends;
  };
  static std::span<const std::byte> piece(std::span<const std::byte> all, std::span<const std::size_t> ends, int at) {
    const auto i = static_cast<std::size_t>(at);
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return all.subspan(begin, ends[i] - begin);
  }

  class Rank final : public Ranks {
   public:
    Rank(ThreadRanks& all, int mine) : all_(all), mine_(mine) {}
    int count() const override { return static_cast<int>(all_.ranks_.size()); }
    int mine() const override { return mine_; }
    int beside() const override { return count(); }
    int largest(int said) override {
      int found = said;
      exchange({.said = said, .bytes = {}, .ends = {}},
               [&](int, const Place& place) { found = std::max(found, place.said); });
      return found;
    }
    void broadcast(std::span<std::byte> bytes) override {
      exchange({.bytes = bytes, .ends = {}}, [&](int rank, const Place& place) {
        if (rank == 0 && mine_ != 0) std::copy(place.bytes.begin(), place.bytes.end(), bytes.begin());
      });
    }
    void all_gather(std::span<std::byte> bytes, std::span<const std::size_t> ends) override {
      exchange({.bytes = bytes, .ends = ends}, [&](int rank, const Place& place) {
        const auto found = piece(place.bytes, ends, rank);
        if (rank != mine_) std::copy(found.begin(), found.end(), bytes.begin() + (found.data() - place.bytes.data()));
      });
    }
    void all_to_all(std::span<const std::byte> out, std::span<const std::size_t> out_ends, std::span<std::byte> in,
                    std::span<const std::size_t> in_ends) override {
      exchange({.bytes = out, .ends = out_ends}, [&](int rank, const Place& place) {
        const auto found = piece(place.bytes, place.ends, mine_);
        const auto to = piece(in, in_ends, rank);
        require(found.size() == to.size(), "ThreadRanks: two ranks expect different sizes");
        std::copy(found.begin(), found.end(), in.begin() + (to.data() - in.data()));
      });
    }

   private:
    template <class Take>
    void exchange(const Place& own, const Take& take) {
      all_.places_[static_cast<std::size_t>(mine_)] = own;
      all_.barrier_.arrive_and_wait();
      for (int rank = 0; rank < count(); ++rank) take(rank, all_.places_[static_cast<std::size_t>(rank)]);
      all_.barrier_.arrive_and_wait();
    }

    ThreadRanks& all_;
    int mine_;
  };

  std::barrier<> barrier_;
  std::vector<Place> places_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace schemamem::test
