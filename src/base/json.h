#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace schemamem {

/// The largest whole number that every reader of JSON takes for what it is, 2^53; sums of a few cannot overflow.
inline constexpr std::int64_t kMostJsonCount = std::int64_t{1} << 53;

/// What a JSON text may be at most.
struct JsonLimits {
  std::size_t bytes = std::size_t{1} << 20;
  std::size_t depth = 32;  // of arrays and objects inside each other
};

/// A value of a JSON text that anybody may have written, with its place in it. Reading one as something that it is not
/// gives a harmless value and is remembered, the first time, for the whole text:
///
///   const Result<JsonField> json = parse_json(text, "result.json");
///   if (!json) return json.error();
///   RunResult result{.status = json->text("status"), .steps = json->count("steps")};
///   if (const Status read = json->status(); !read) return read.error();
///   // result.json: steps: expected a whole number from 0 to 9007199254740992, found the string "many"
///
/// So nobody acts on what was read before `status()` was asked. A field keeps its text alive; a text is read by one
/// thread at a time.
class JsonField {
 public:
  /// Done, or the first thing that was wrong anywhere in the text: bad data.
  Status status() const;

  bool is_null() const;
  bool is_number() const;
  bool is_text() const;
  bool has(std::string_view key) const;
  /// The field of an object; wrong if there is none.
  JsonField at(std::string_view key) const;
  /// The same, nothing if there is none.
  std::optional<JsonField> find(std::string_view key) const;

  std::string text() const;
  bool flag() const;
  /// Never infinite, and no NaN: JSON has neither.
  double number() const;
  /// A whole number without point or exponent.
  std::int64_t count(std::int64_t most = kMostJsonCount) const;
  std::uint64_t natural() const;
  std::vector<JsonField> items() const;
  std::vector<std::pair<std::string, JsonField>> members() const;
  /// An array of whole numbers: as items() and count(), without a field for each.
  std::vector<std::int64_t> counts(std::int64_t most = kMostJsonCount) const;

  std::string text(std::string_view key) const { return at(key).text(); }
  bool flag(std::string_view key) const { return at(key).flag(); }
  double number(std::string_view key) const { return at(key).number(); }
  std::int64_t count(std::string_view key) const { return at(key).count(); }
  std::uint64_t natural(std::string_view key) const { return at(key).natural(); }
  std::vector<JsonField> items(std::string_view key) const { return at(key).items(); }
  std::vector<std::pair<std::string, JsonField>> members(std::string_view key) const { return at(key).members(); }

  /// Wrong if the object has a field that is not listed.
  void allow_only(std::initializer_list<std::string_view> keys) const;
  /// Wrong, with a reason of the caller's, unless `holds`. The place is told before it.
  void expect(bool holds, const std::string& reason) const;
  /// The value itself, for who only hands it on.
  const nlohmann::ordered_json& raw() const;

 private:
  struct Reading;
  friend Result<JsonField> parse_json(std::string_view text, const std::string& what, JsonLimits limits);

  JsonField(std::shared_ptr<Reading> reading, const nlohmann::ordered_json* value, std::string path)
      : reading_(std::move(reading)), value_(value), path_(std::move(path)) {}
  JsonField item(std::size_t index, const nlohmann::ordered_json& value) const;
  JsonField member(std::string_view key, const nlohmann::ordered_json& value) const;
  void unexpected(const std::string& expected) const;

  std::shared_ptr<Reading> reading_;
  const nlohmann::ordered_json* value_;  // null behind a fault
  std::string path_;                     // "config.optimizer.clip"; empty for the whole
};

/// Takes a text apart; `what` names it in messages. Refused as bad data: what is no JSON, goes beyond the limits, or
/// has a key twice in one object.
Result<JsonField> parse_json(std::string_view text, const std::string& what, JsonLimits limits = {});
/// The same of a text that must be an object.
Result<JsonField> parse_json_object(std::string_view text, const std::string& what, JsonLimits limits = {});

}  // namespace schemamem
