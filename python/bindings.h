#pragma once

#include "api/access.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <schemamem/schemamem.h>

#include <atomic>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

/// The compiled half of the Python package: thin classes and functions that the Python half (python/schemamem) dresses
/// with names, shapes and words. Include this header first: it brings the rooms before the public headers.
namespace schemamem::python {

namespace nb = nanobind;

/// Arrays of NumPy's (or of anyone who speaks its protocols), used in place.
template <class T, int Rank>
using Array = nb::ndarray<T, nb::ndim<Rank>, nb::c_contig, nb::device::cpu>;

/// All numbers of an array, row behind row.
template <class AnyArray>
auto numbers(const AnyArray& array) {
  return std::span(array.data(), array.size());
}

/// An error on its way to Python, where each kind has a class of its own (python/schemamem/errors.py).
class Failure : public std::runtime_error {
 public:
  explicit Failure(const v0::Error& error) : std::runtime_error(error.message()), kind_(error.kind()) {}
  explicit Failure(const inside::Error& error) : Failure(impl::public_error(error)) {}
  static Failure usage(std::string message) { return Failure(v0::Error(v0::ErrorKind::kUsage, std::move(message))); }
  v0::ErrorKind kind() const { return kind_; }

 private:
  v0::ErrorKind kind_;
};

/// What a result holds, or its error as an exception.
template <class Result>
auto take(Result result) {
  if (!result) throw Failure(result.error());
  return *std::move(result);
}
template <class T>
T take(inside::Result<T> result) {
  if (!result) throw Failure(result.error());
  return std::move(result).value();
}
template <class Status>
void check(const Status& status) {
  if (!status) throw Failure(status.error());
}

inline nb::bytes bytes_of(std::span<const std::byte> bytes) { return nb::bytes(bytes.data(), bytes.size()); }
inline std::span<const std::byte> span_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

/// Whoever works without the interpreter's lock on an object that belongs to one thread at a time. A second thread is
/// turned away: its numbers could be anything.
class Busy {
 public:
  Busy(std::atomic<bool>& flag, const char* what) : flag_(flag) {
    if (flag_.exchange(true, std::memory_order_acquire))
      throw Failure::usage(std::string(what) + ": another thread is using it; give each thread a fork of its own.");
  }
  ~Busy() { flag_.store(false, std::memory_order_release); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// A scored group as a row of schemamem.Records.
nb::dict dict_of(const EvaluationCell& cell);

void bind_errors(nb::module_& core);
void bind_model(nb::module_& core);
void bind_stream(nb::module_& core);
void bind_memory(nb::module_& core);
void bind_episodes(nb::module_& core);
void bind_evaluation(nb::module_& core);
void bind_bench(nb::module_& core);
void bind_trainer(nb::module_& core);
void bind_part(nb::module_& core);
void bind_weights(nb::module_& core);

}  // namespace schemamem::python
