#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json_events.h"
#include "base/text.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

/// "config.clip" of "config" and "clip". A key may hold anything.
std::string path_to(const std::string& path, std::string_view key) {
  return path.empty() ? printable(key) : path + "." + printable(key);
}

std::string found_text(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::string:
      return "the string " + quote(value.get_ref<const std::string&>());
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    default:
      return "the number " + value.dump();
  }
}

/// Builds the value that the events tell. Keys are looked up in a set and not in the object, which would search all of
/// its fields for each one.
class Builder {
 public:
  explicit Builder(std::size_t depth) : most_(depth) {}
  Json root;
  std::string failure;

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(std::int64_t value) { return add(value); }
  bool number_unsigned(std::uint64_t value) { return add(value); }
  bool number_float(double value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return false; }  // no text has any
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second) {
      level.key = name;
      failure = place() + ": the key is given twice";
      return false;
    }
    level.key = std::move(name);
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& exception) {
    const JsonSyntaxFault fault = json_syntax_fault(byte, exception);
    failure = fmt::format("no valid JSON at byte {}: {}", fault.byte, fault.reason);
    return false;
  }

 private:
  struct Level {
    Json* container = nullptr;
    std::string key;             // whose value comes next
    std::set<std::string> keys;  // met so far
  };

  Json* put(Json value) {
    if (levels_.empty()) {
      root = std::move(value);
      return &root;
    }
    Level& level = levels_.back();
    if (level.container->is_array()) {
      auto& items = level.container->get_ref<Json::array_t&>();
      items.push_back(std::move(value));
      return &items.back();
    }
    auto& fields = level.container->get_ref<Json::object_t&>();
    fields.emplace_back(level.key, std::move(value));
    return &fields.back().second;
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool open(Json container) {
    if (levels_.size() == most_) {
      failure = fmt::format("{}: arrays and objects are nested deeper than {}", place(), most_);
      return false;
    }
    levels_.push_back({put(std::move(container)), {}, {}});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return true;
  }
  std::string place() const {
    std::string path;
    for (const Level& level : levels_)
      if (level.container->is_object() && !level.key.empty()) path = path_to(path, level.key);
    return path.empty() ? "at the top" : path;
  }

  std::size_t most_;
  std::vector<Level> levels_;
};

}  // namespace

struct JsonField::Reading {
  std::string what;
  Json root{};
  std::optional<Error> fault{};
};

Result<JsonField> parse_json(std::string_view text, const std::string& what, JsonLimits limits) {
  const auto refused = [&](const std::string& why) { return Error(ErrorKind::kBadData, what + ": " + why); };
  if (text.size() > limits.bytes)
    return refused(fmt::format("a JSON text of {} bytes; at most {} are accepted", text.size(), limits.bytes));
  Builder builder(limits.depth);
  if (!walk_json(text, builder)) return refused(builder.failure);
  auto reading = std::make_shared<JsonField::Reading>(JsonField::Reading{.what = what});
  reading->root = std::move(builder.root);
  const Json* const root = &reading->root;
  return JsonField(std::move(reading), root, "");
}

Result<JsonField> parse_json_object(std::string_view text, const std::string& what, JsonLimits limits) {
  Result<JsonField> json = parse_json(text, what, limits);
  if (!json || json->raw().is_object()) return json;
  return Error(ErrorKind::kBadData, fmt::format("{}: expected a JSON object, found {}", what, found_text(json->raw())));
}

Status JsonField::status() const {
  if (reading_->fault) return *reading_->fault;
  return Done{};
}

void JsonField::expect(bool holds, const std::string& reason) const {
  if (holds || reading_->fault) return;
  const std::string place = path_.empty() ? "" : ": " + path_;
  reading_->fault = Error(ErrorKind::kBadData, reading_->what + place + ": " + reason);
}

void JsonField::unexpected(const std::string& expected) const {
  expect(value_ == nullptr, fmt::format("expected {}, found {}", expected, found_text(raw())));
}

const Json& JsonField::raw() const {
  static const Json nothing;
  return value_ == nullptr ? nothing : *value_;
}

bool JsonField::is_null() const { return raw().is_null(); }
bool JsonField::is_number() const { return raw().is_number(); }
bool JsonField::is_text() const { return raw().is_string(); }
bool JsonField::has(std::string_view key) const { return find(key).has_value(); }

JsonField JsonField::item(std::size_t index, const Json& value) const {
  return {reading_, &value, fmt::format("{}[{}]", path_, index)};
}
JsonField JsonField::member(std::string_view key, const Json& value) const {
  return {reading_, &value, path_to(path_, key)};
}

std::optional<JsonField> JsonField::find(std::string_view key) const {
  if (!raw().is_object()) {
    unexpected("an object");
    return std::nullopt;
  }
  for (const auto& [name, value] : raw().get_ref<const Json::object_t&>())
    if (name == key) return member(name, value);
  return std::nullopt;
}

JsonField JsonField::at(std::string_view key) const {
  if (std::optional<JsonField> found = find(key)) return *std::move(found);
  expect(value_ == nullptr, fmt::format("the field {} is missing", quote(key)));
  return {reading_, nullptr, path_to(path_, key)};
}

std::string JsonField::text() const {
  if (raw().is_string()) return raw().get<std::string>();
  unexpected("a string");
  return {};
}

bool JsonField::flag() const {
  if (raw().is_boolean()) return raw().get<bool>();
  unexpected("true or false");
  return false;
}

double JsonField::number() const {
  if (raw().is_number()) return raw().get<double>();
  unexpected("a number");
  return 0;
}

std::int64_t JsonField::count(std::int64_t most) const {
  if (raw().is_number_unsigned() && raw().get<std::uint64_t>() <= static_cast<std::uint64_t>(most))
    return raw().get<std::int64_t>();
  unexpected(fmt::format("a whole number from 0 to {}", most));
  return 0;
}

std::uint64_t JsonField::natural() const {
  if (raw().is_number_unsigned()) return raw().get<std::uint64_t>();
  unexpected("a whole number from 0 to 2^64 - 1");
  return 0;
}

std::vector<JsonField> JsonField::items() const {
  std::vector<JsonField> items;
  if (!raw().is_array()) unexpected("an array");
  if (raw().is_array())
    for (const Json& value : raw()) items.push_back(item(items.size(), value));
  return items;
}

std::vector<std::pair<std::string, JsonField>> JsonField::members() const {
  std::vector<std::pair<std::string, JsonField>> members;
  if (!raw().is_object()) unexpected("an object");
  if (raw().is_object())
    for (const auto& [name, value] : raw().get_ref<const Json::object_t&>())
      members.emplace_back(name, member(name, value));
  return members;
}

std::vector<std::int64_t> JsonField::counts(std::int64_t most) const {
  std::vector<std::int64_t> counts;
  if (!raw().is_array()) unexpected("an array");
  if (!raw().is_array()) return counts;
  counts.reserve(raw().size());
  for (const Json& value : raw()) {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    counts.push_back(fits ? value.get<std::int64_t>() : item(counts.size(), value).count(most));
  }
  return counts;
}

void JsonField::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [name, field] : members()) {
    expect(std::find(keys.begin(), keys.end(), name) != keys.end(), "unknown field " + quote(name));
  }
}

}  // namespace schemamem
