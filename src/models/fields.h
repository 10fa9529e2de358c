#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "models/model_spec.h"

namespace schemamem {

/// What a size of a model may be. The limits are far beyond what is useful; they keep products of sizes from
/// overflowing and a broken file from asking for all memory.
struct SizeRange {
  std::size_t least = 1, most = 1;
  std::size_t multiple = 1;  // and a multiple of this
};
/// What an option of a model may be: the words for false and true.
struct OptionWords {
  std::string_view no, yes;
};
/// A number, or the word that stands for zero: an option that nothing but its number describes.
struct OptionNumber {
  std::string_view none;
  std::size_t least = 1, most = 1;
};

inline std::string allowed_text(const SizeRange& range) {
  const std::string what = range.multiple > 1 ? "a multiple of " + std::to_string(range.multiple) : "a whole number";
  return what + " from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}
inline std::string allowed_text(const OptionWords& words) {
  return std::string(words.no) + " or " + std::string(words.yes);
}
inline std::string allowed_text(const OptionNumber& number) {
  return std::string(number.none) + " or " + allowed_text(SizeRange{.least = number.least, .most = number.most});
}
constexpr bool is_allowed(std::size_t value, const SizeRange& range) {
  return value >= range.least && value <= range.most && value % range.multiple == 0;
}
constexpr bool is_allowed(bool, const OptionWords&) { return true; }
constexpr bool is_allowed(std::size_t value, const OptionNumber& number) {
  return value == 0 || (value >= number.least && value <= number.most);
}

/// The fields that every model has: calls field(name, value, SizeRange, OptionWords or OptionNumber, what it means) for
/// each. A model's own config has a function `fields` that calls this first. One list serves files, the command line,
/// hashes and help.
template <class Self, class Field>
void frame_fields(Self& self, Field&& field) {
  field("inputs", self.inputs, SizeRange{.least = 1, .most = 1 << 20},
        "numbers of an input row; of a model of symbols, how many symbols there are");
  field("outputs", self.outputs, SizeRange{.least = 1, .most = 1 << 20}, "numbers of an output row");
  field("layers", self.layers, SizeRange{.least = 1, .most = 256}, "layers");
  field("input", self.symbols, OptionWords{"rows", "symbols"},
        "what comes in: rows of numbers, or symbols that are looked up in a learned table");
  field("maps", self.bare, OptionWords{"both", "none"},
        "the maps into and out of the layers; none: a bare stack whose rows have its width");
}

/// Throws ContractViolation unless every field is in its range and those of the frame fit the model's width.
template <class Config>
void check_fields(const Config& config) {
  Config::fields(config, [](std::string_view name, auto value, const auto& allowed, std::string_view) {
    require(is_allowed(value, allowed),
            std::string(name) + " is " + std::to_string(value) + "; expected " + allowed_text(allowed));
  });
  require(!(config.bare && config.symbols), "maps is none, which takes rows: input cannot be symbols");
  require(!config.bare || (config.inputs == config.width && config.outputs == config.width),
          "maps is none: inputs and outputs equal the width, " + std::to_string(config.width));
}

/// A config as a spec.
template <class Config>
ModelSpec spec_of(const Config& config) {
  struct Visit {
    ModelSpec& spec;
    void operator()(std::string_view name, std::size_t value, const SizeRange&, std::string_view) const {
      spec.sizes.emplace(name, value);
    }
    void operator()(std::string_view name, bool value, const OptionWords& words, std::string_view) const {
      if (value) spec.options.emplace(name, words.yes);  // false is the default
    }
    void operator()(std::string_view name, std::size_t value, const OptionNumber&, std::string_view) const {
      if (value != 0) spec.options.emplace(name, std::to_string(value));  // none is the default
    }
  };
  ModelSpec spec{.name = std::string(Config::kName), .sizes = {}, .options = {}};
  Config::fields(config, Visit{spec});
  return spec;
}

}  // namespace schemamem
