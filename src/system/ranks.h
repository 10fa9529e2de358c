#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "system/threads.h"

namespace schemamem {

/// The processes that work on one problem together, numbered from 0. Each of them calls the functions that exchange
/// something in the same order and with the same sizes; a call returns when everyone has made it. Bytes arrive as they
/// were sent: numbers are added by whoever received them, in an order of his own choice. One thread calls.
class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;

  virtual int count() const = 0;
  virtual int mine() const = 0;
  /// How many of them run on this machine, this one included.
  virtual int beside() const = 0;
  bool is_first() const { return mine() == 0; }
  bool is_alone() const { return count() == 1; }

  /// The largest of what the ranks say.
  virtual int largest(int said) = 0;
  /// What rank 0 has, to all.
  virtual void broadcast(std::span<std::byte> bytes) = 0;
  /// `all` is one piece of each rank behind the other; `ends` has where each ends. A rank brings its own piece and gets
  /// the others'.
  virtual void all_gather(std::span<std::byte> all, std::span<const std::size_t> ends) = 0;
  /// Piece k of `out` goes to rank k; piece k of `in` came from rank k.
  virtual void all_to_all(std::span<const std::byte> out, std::span<const std::size_t> out_ends,
                          std::span<std::byte> in, std::span<const std::size_t> in_ends) = 0;

  /// `tell` is called, once, by an exchange that still waits for somebody a while after `stop` was set: whoever stops
  /// all ranks because one of them has died sets it. Both are used until the next call; without a flag nothing is told.
  virtual void watch(const StopFlag* /*stop*/, std::function<void()> /*tell*/) {}
};

/// This process and no other: whatever is exchanged stays as it is.
Ranks& alone();

/// Adds up, number by number, what the ranks have counted.
void add_counts(Ranks& ranks, std::span<std::int64_t> counts);
/// Rank 0's text, or that it has none, to all.
std::optional<std::string> share_text(Ranks& ranks, std::optional<std::string> text);

/// Where part `part` of `parts` begins when `count` things are shared out evenly, in order.
constexpr std::size_t even_share(std::size_t count, std::size_t parts, std::size_t part) {
  return count * part / parts;
}

}  // namespace schemamem
