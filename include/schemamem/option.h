/// \file
/// Named settings: sizes of a model, fields of a recipe. An unknown name is an error that suggests the nearest one.
///
/// \code{.cpp}
/// #include <schemamem/option.h>
///
/// int main() {
///   const schemamem::Options options{{"slots", 64}, {"input", "rows"}, {"optimizer.clip", 0.5}};
///   return options[0].value == "64" ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace schemamem {
inline namespace v0 {

/// A name and its value, as text.
struct Option {
  std::string name;   ///< "slots", "optimizer.clip"
  std::string value;  ///< "64", "0.5"

  /// A text.
  Option(std::string option, std::string text) : name(std::move(option)), value(std::move(text)) {}
  /// A text.
  Option(std::string option, const char* text) : name(std::move(option)), value(text) {}
  /// Yes or no.
  Option(std::string option, bool yes) : name(std::move(option)), value(yes ? "true" : "false") {}
  /// A number.
  template <class T>
  requires std::is_arithmetic_v<T> Option(std::string option, T number)
      : name(std::move(option)), value(text_of(number)) {}

  /// Same name, same value.
  friend bool operator==(const Option&, const Option&) = default;

 private:
  /// The shortest text that is read back as the same number.
  template <class T>
  static std::string text_of(T number) {
    std::array<char, 64> text{};
    const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), end.ptr};
  }
};

/// Several of them.
using Options = std::vector<Option>;

}  // namespace v0
}  // namespace schemamem
