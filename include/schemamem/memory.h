/// \file
/// A memory one can talk to: values are written to addresses and asked for, any time later.
///
/// \code{.cpp}
/// #include <schemamem/memory.h>
///
/// #include <cstdio>
///
/// int main() {
///   const auto model = schemamem::Model::load("a5v5-schemamem-steady-s42");
///   if (!model) return std::puts(model.error().message().c_str()), 1;
///   schemamem::Memory memory(*model);
///   memory.write(5, 3);
///   memory.wait(1000);
///   const schemamem::Answer answer = memory.ask(5);
///   std::printf("5 -> %zu (sure: %.3f)\n", answer.value, static_cast<double>(answer.confidence));
///   if (!memory.save("today.state")) return 1;
///   auto later = schemamem::Memory::open("today.state", *model);
///   return later && answer.value == 3 && later->ask(5).value == 3 ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <schemamem/error.h>
#include <schemamem/model.h>

namespace schemamem {
namespace impl {
struct Memory;
}  // namespace impl
inline namespace v0 {

/// What a memory says to a question.
struct Answer {
  std::size_t value = 0;   ///< what it takes the address to hold
  float confidence = 0.F;  ///< the probability that the model gives this value, from 0 to 1
};

/// A model of the address-value task as a database of addresses() places, each with one of values() values. Until it is
/// written, address a holds a mod values(). Asking is reading one more row: it, too, moves the memory on. A memory
/// belongs to one thread at a time; it shares its model.
class Memory {
 public:
  /// An empty memory. A model that was not trained for the address-value task throws std::invalid_argument.
  explicit Memory(const Model& model);
  /// A memory that goes on from a state file of the same model.
  static Result<Memory> open(const std::string& path, const Model& model);
  Memory(Memory&&) noexcept;             ///< Leaves the other to be destroyed or assigned to.
  Memory& operator=(Memory&&) noexcept;  ///< Leaves the other to be destroyed or assigned to.
  ~Memory();                             ///< Forgets.

  /// Writes a value to an address. An address or a value that does not exist is a usage error, and nothing is written.
  Status write(std::size_t address, std::size_t value);
  /// What an address holds. There is no room for an error in an answer: an address that does not exist throws
  /// std::out_of_range.
  Answer ask(std::size_t address);
  /// Lets `rows` questions pass, about addresses that were never written (about any, once all were): the delay of the
  /// paper's episodes.
  void wait(std::size_t rows);
  /// Changes of state smaller than this do not happen from here on, as Stream::set_floor() says.
  void set_floor(double floor);
  /// The floor; 0: off, as it is at first.
  double floor() const;
  /// Forgets everything.
  void reset();
  /// A second memory with the same past and a future of its own.
  Memory fork() const;

  /// How many addresses there are.
  std::size_t addresses() const;
  /// How many values there are.
  std::size_t values() const;
  /// What was last written to an address, by an account beside the model; nothing if nothing was. An address that does
  /// not exist throws std::out_of_range.
  std::optional<std::size_t> written(std::size_t address) const;
  /// Rows read since the beginning or the last reset: writes, questions and waiting.
  std::int64_t tokens() const;

  /// Writes a state file: it is complete or absent.
  Status save(const std::string& path) const;
  /// Goes on from a state file. A failure leaves the memory as it was.
  Status load(const std::string& path);
  /// The bytes of a state file.
  std::vector<std::byte> bytes() const;
  /// Goes on from such bytes. A failure leaves the memory as it was.
  Status restore(std::span<const std::byte> bytes);

  /// The model that remembers.
  const Model& model() const;

 private:
  explicit Memory(std::unique_ptr<impl::Memory> content);

  std::unique_ptr<impl::Memory> content_;
};

}  // namespace v0
}  // namespace schemamem
