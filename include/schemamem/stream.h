/// \file
/// A model that reads rows of numbers for as long as one likes, in constant space and time a row.
///
/// \code{.cpp}
/// #include <schemamem/stream.h>
///
/// #include <vector>
///
/// int main() {
///   const auto model = schemamem::Model::load("a3v3-schemamem-steady-s42");
///   if (!model) return 1;
///   schemamem::Stream stream(*model);
///   const std::vector<float> rows(3 * model->row_width(), 1.0F);
///   const std::vector<float> outputs = stream.push(rows);  // three rows in, three rows out
///   schemamem::Stream other = stream.fork();               // the same past, a future of its own
///   other.push(rows);
///   if (!other.restore(stream.bytes())) return 1;  // and back
///   return outputs.size() == 3 * model->outputs() && other.tokens() == 3 ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <schemamem/error.h>
#include <schemamem/model.h>

namespace schemamem {
namespace impl {
struct Stream;
}  // namespace impl
inline namespace v0 {

/// What a row is, besides its numbers.
enum class Mark : std::uint8_t {
  kNone = 0,            ///< nothing in particular
  kEndsChunk = 1,       ///< a chunk ends before this row: what was written so far is committed to memory
  kReads = 2,           ///< the row only asks; training may want it to leave the memory as it is
  kEndsChunkReads = 3,  ///< both
};

/// What a model has read, and what it carries from row to row. Its numbers do not depend on how the rows were cut into
/// calls, nor on saving, loading and forking in between. A stream belongs to one thread at a time; it shares its model.
class Stream {
 public:
  /// An empty memory.
  explicit Stream(const Model& model);
  /// A stream that goes on from a state file of the same model.
  static Result<Stream> open(const std::string& path, const Model& model);
  Stream(Stream&&) noexcept;             ///< Leaves the other to be destroyed or assigned to.
  Stream& operator=(Stream&&) noexcept;  ///< Leaves the other to be destroyed or assigned to.
  ~Stream();                             ///< Forgets.

  /// Reads whole rows, one behind the other, and returns as many output rows. Marks follow from the rows as the model's
  /// file says: for the address-value task from the last number of a row, its validity bit; else there are none.
  /// Numbers that are not finite, and part of a row, throw std::invalid_argument.
  std::vector<float> push(std::span<const float> rows);
  /// Reads rows with one mark each.
  std::vector<float> push(std::span<const float> rows, std::span<const Mark> marks);
  /// The same into memory of the caller's, which has room for exactly the output rows. Allocates nothing.
  void push(std::span<const float> rows, std::span<float> outputs);
  /// Reads rows with one mark each, into memory of the caller's.
  void push(std::span<const float> rows, std::span<const Mark> marks, std::span<float> outputs);

  /// Changes of state smaller than this do not happen from here on: radians of a slot for SchemaMem, gates for the
  /// baselines. A model whose reads are nearly still then does not drift at all. At least 0, where it is off, and below
  /// 1; else std::invalid_argument. It is part of the state: forks and state files have it, and reset() keeps it.
  void set_floor(double floor);
  /// The floor; 0: off, as it is at first.
  double floor() const;

  /// Forgets everything.
  void reset();
  /// A second stream with the same past and a future of its own.
  Stream fork() const;
  /// Rows read since the beginning or the last reset.
  std::int64_t tokens() const;

  /// Writes a state file: it is complete or absent.
  Status save(const std::string& path) const;
  /// Goes on from a state file. A failure leaves the stream as it was.
  Status load(const std::string& path);
  /// The bytes of a state file.
  std::vector<std::byte> bytes() const;
  /// Goes on from such bytes. A failure leaves the stream as it was.
  Status restore(std::span<const std::byte> bytes);

  /// The model that reads.
  const Model& model() const;

 private:
  explicit Stream(std::unique_ptr<impl::Stream> content);

  std::unique_ptr<impl::Stream> content_;
};

}  // namespace v0
}  // namespace schemamem
