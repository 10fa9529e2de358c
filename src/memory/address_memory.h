#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/result.h"
#include "memory/address_book.h"
#include "memory/state_watch.h"
#include "stream/stream.h"
#include "task/address_value.h"

namespace schemamem {

/// What a memory says to a question.
struct Recalled {
  std::size_t value = 0;
  float confidence = 0;  // the probability that the model gives this value
};

/// A model of the address-value task as a database: written to, asked, and let wait. A stream, with an account of what
/// was written beside it. Asking is reading one more row: it moves the memory on.
class AddressMemory {
 public:
  using SharedModel = std::shared_ptr<const LoadedModel<float>>;

  /// An empty memory. A model that was not trained for the address-value task is a usage error.
  static Result<AddressMemory> make(SharedModel model);

  /// An address or a value that does not exist is a usage error, and nothing is read.
  Status write(std::size_t address, std::size_t value);
  Result<Recalled> ask(std::size_t address);
  /// Lets questions pass about addresses that were never written; about any, once all were. Once in a while `go_on` is
  /// told how many have passed; false ends the waiting there.
  void wait(std::uint64_t rows, const std::function<bool(std::uint64_t)>& go_on = {});
  /// As StreamReader::set_floor.
  void set_floor(double floor) { stream_.set_floor(floor); }
  void reset();
  /// A fork is watched if this one is.
  AddressMemory fork() const;
  /// A fork that goes on from another state of the same model; the account is this one's.
  AddressMemory fork_at(StreamState<float> state) const;

  /// Goes on from another state of the same model; one that no stream can have is the caller's mistake. The account
  /// stays.
  void set_state(StreamState<float> state) { stream_.set_state(std::move(state)); }
  /// From here on commits are seen; a memory that is not watched keeps nothing for it.
  void watch();
  const std::optional<StateWatch>& watched() const { return watch_; }
  /// As StateWatch::freeze; it watches too.
  void freeze(bool frozen);

  const Setting& setting() const { return setting_; }
  std::size_t addresses() const { return setting_.addresses(); }
  std::size_t values() const { return setting_.values(); }
  const AddressBook& book() const { return book_; }
  /// What was last written to an address, if anything was; one that does not exist is a usage error.
  Result<std::optional<std::size_t>> written(std::size_t address) const;
  /// What an address holds by the account: what was last written, else the default.
  std::size_t truth(std::size_t address) const;
  std::int64_t tokens() const { return stream_.tokens(); }
  /// What the model said to the last row, a logit a bit; empty before the first.
  std::span<const float> logits() const;
  PlaceWeights<float> place_weights(std::size_t layer) const { return stream_.place_weights(layer); }
  const SharedModel& model() const { return stream_.model(); }
  const StreamState<float>& state() const { return stream_.state(); }

  /// The bytes of a state file that has the account in its metadata.
  Buffer<std::byte> encode() const;
  /// Goes on from such bytes, or from those of a plain stream, whose account is empty. A failure changes nothing.
  Status restore(std::span<const std::byte> bytes, const std::string& what);

 private:
  AddressMemory(SharedModel model, const Setting& setting);
  AddressMemory(Stream<float> stream, const AddressMemory& other);
  /// Reads tokens and returns the outputs of the last one.
  std::span<const float> read(std::span<const Token> tokens);

  Setting setting_;
  Stream<float> stream_;
  AddressBook book_;
  std::optional<StateWatch> watch_;
  std::vector<Token> waiting_;         // questions that are read together
  std::vector<float> rows_, outputs_;  // of one reading
};

}  // namespace schemamem
