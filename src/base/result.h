#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace schemamem {

/// What kind of thing went wrong; the command line turns each kind into one exit code (docs/formats.md, "Exit codes").
enum class ErrorKind {
  kFailed,        // 1: a check did not pass
  kStepLimit,     // 2: training ended at its step limit
  kUsage,         // 64: the request itself is wrong
  kBadData,       // 65: an input exists but its content is wrong
  kMissingInput,  // 66: an input does not exist or cannot be read
  kCannotCreate,  // 73: an output cannot be created
  kInputOutput,   // 74: reading or writing failed half-way
  kInterrupted,   // 75: stopped on request, resumable
  kNonFinite,     // 76: NaN or infinity appeared
};

/// A failure of the world outside the program: a file, a configuration, a user's request.
/// The message names the thing, what was expected, what was found and what to do next.
class Error {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }

  /// The same error, told from further out: "loading run.toml: line 3: ...".
  Error with(const std::string& context) const { return {kind_, context + ": " + message_}; }

 private:
  ErrorKind kind_;
  std::string message_;
};

/// A caller's mistake: the program is wrong, not the world.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws ContractViolation unless `holds`. Stands at the door of a room, never inside a kernel's loop.
inline void require(bool holds, const char* what) {
  if (!holds) throw ContractViolation(what);
}
inline void require(bool holds, const std::string& what) {
  if (!holds) throw ContractViolation(what);
}

/// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}      // NOLINT(google-explicit-constructor): `return value;`
  Result(Error error) : content_(std::move(error)) {}  // NOLINT(google-explicit-constructor): `return error;`

  explicit operator bool() const { return std::holds_alternative<T>(content_); }

  const T& value() const& { return checked(); }
  T& value() & {
    static_cast<void>(checked());
    return std::get<T>(content_);
  }
  T&& value() && {
    static_cast<void>(checked());
    return std::get<T>(std::move(content_));
  }
  const Error& error() const {
    require(!*this, "Result::error: there is a value");
    return std::get<Error>(content_);
  }

  const T* operator->() const { return &checked(); }
  const T& operator*() const& { return checked(); }

 private:
  const T& checked() const {
    if (!*this) throw ContractViolation("Result::value: " + std::get<Error>(content_).message());
    return std::get<T>(content_);
  }

  std::variant<T, Error> content_;
};

/// Success without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace schemamem
