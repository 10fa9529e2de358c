/// \file
/// How failures are told. A call that may fail because of the world (a file, a name, a setting) returns a Result or a
/// Status; only a wrong call throws, something derived from std::logic_error. The library never prints, exits or
/// aborts.
///
/// \code{.cpp}
/// #include <schemamem/schemamem.h>
///
/// #include <cstdio>
///
/// int main() {
///   const auto model = schemamem::Model::load("no-such-model");
///   if (model) return 1;
///   std::puts(model.error().message().c_str());  // what was expected, what was found, what to do
///   return model.error().kind() == schemamem::ErrorKind::kUsage ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace schemamem {
inline namespace v0 {

/// What kind of thing went wrong. The numbers are the exit codes of the program `schemamem`.
enum class ErrorKind {
  kFailed = 1,         ///< a check did not pass
  kStepLimit = 2,      ///< training ended at its step limit
  kUsage = 64,         ///< the request itself is wrong
  kBadData = 65,       ///< an input exists but its content is wrong
  kMissingInput = 66,  ///< an input does not exist or cannot be read
  kCannotCreate = 73,  ///< an output cannot be created
  kInputOutput = 74,   ///< reading or writing failed half-way
  kInterrupted = 75,   ///< stopped on request
  kNonFinite = 76,     ///< NaN or infinity appeared
};

/// Why there is no result.
class Error {
 public:
  /// An error of this kind; the message is whole sentences.
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  /// What kind of thing went wrong.
  ErrorKind kind() const { return kind_; }
  /// Names the thing, what was expected, what was found and what to do.
  const std::string& message() const { return message_; }

 private:
  ErrorKind kind_;
  std::string message_;
};

/// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  /// Success.
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}
  /// Failure.
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}

  /// Whether there is a value.
  explicit operator bool() const { return content_.index() == 0; }

  /// The value. Asking for one that is not there throws std::logic_error with the message of the error.
  T& operator*() & { return checked(), std::get<0>(content_); }
  /// The value of a constant result.
  const T& operator*() const& { return checked(), std::get<0>(content_); }
  /// The value of a result that is not needed any more.
  T&& operator*() && { return checked(), std::get<0>(std::move(content_)); }
  /// A part of the value.
  T* operator->() { return &**this; }
  /// A part of the value of a constant result.
  const T* operator->() const { return &**this; }

  /// The reason. Asking for it when there is a value throws std::logic_error.
  const Error& error() const {
    if (*this) throw std::logic_error("Result::error: there is a value, not an error");
    return std::get<1>(content_);
  }

 private:
  void checked() const {
    if (!*this) throw std::logic_error("Result: there is no value: " + std::get<1>(content_).message());
  }

  std::variant<T, Error> content_;
};

/// Success, or the reason why not.
class Status {
 public:
  /// Success.
  Status() = default;
  /// Failure.
  Status(Error error) : content_(std::move(error)) {}

  /// Whether all went well.
  explicit operator bool() const { return content_.index() == 0; }

  /// The reason. Asking for it when all went well throws std::logic_error.
  const Error& error() const {
    if (*this) throw std::logic_error("Status::error: all went well, there is no error");
    return std::get<1>(content_);
  }

 private:
  std::variant<std::monostate, Error> content_;
};

}  // namespace v0
}  // namespace schemamem
