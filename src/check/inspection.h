#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "check/check.h"
#include "train/run_record.h"

namespace schemamem {

/// One check of one run: what its parts have found out so far, for the parts behind them.
struct Inspection {
  using Json = nlohmann::ordered_json;

  explicit Inspection(const std::filesystem::path& folder) : check{.folder = folder, .state = "unknown"} {}

  RunCheck check;
  std::optional<RunRequest> request;          // of the manifest
  std::optional<Json> result;                 // result.json, if it can be used
  std::optional<std::string> metrics;         // all of metrics.jsonl
  std::vector<Json> lines;                    // its objects, as far as they are sure
  std::optional<std::int64_t> newest;         // step of the newest whole checkpoint
  std::optional<std::uint64_t> metrics_sure;  // bytes of the metrics that the newest whole checkpoint counts on
  std::string weights_sha256;                 // of model.safetensors; empty if there is none to be used

  /// The most that a tensor file of this run can have: weights, average, two moments, weights before the cool-down,
  /// header.
  std::uint64_t largest_tensors = std::uint64_t{1} << 26;

  bool ended() const { return result.has_value(); }
  std::filesystem::path path(const std::string& file) const { return check.folder / file; }

  /// True if a file is there to be read. What is there and is no regular file is damage; what cannot even be looked at
  /// is unreadable.
  bool there(const std::string& file, const std::string& rescue);
  /// The text of a file that is there; nothing, and a finding, if it cannot be had.
  std::optional<std::string> text(const std::string& file, std::uint64_t most, const std::string& rescue);
  /// The same of a JSON object.
  std::optional<Json> object(const std::string& file, const std::string& rescue);

  void damaged(const std::string& file, const std::string& what, const std::string& rescue);
  void failed(const std::string& file, const Error& error, const std::string& rescue);
  void note(std::string text) { check.notes.push_back(std::move(text)); }
  /// Damage unless a field of a JSON object is what the manifest says.
  template <class T>
  void expect(const std::string& file, const Json& object, const char* key, const T& expected,
              const std::string& rescue) {
    const auto found = object.find(key);
    if (found != object.end() && *found == Json(expected)) return;
    damaged(file, disagreement(key, Json(expected), found == object.end() ? Json() : *found), rescue);
  }

  /// How to come by the last results again, as far as the checkpoints allow.
  std::string from_checkpoints(const std::string& files) const;

 private:
  static std::string disagreement(const char* key, const Json& expected, const Json& found);
};

/// A line of a log or a small file as an object; nothing if it is none, or nested beyond reason.
std::optional<Inspection::Json> parse_object(std::string_view text);

/// The parts of a check, in the order in which they need each other.
void check_manifest(Inspection& run);
void check_result(Inspection& run);
void read_metrics(Inspection& run);
void check_checkpoints(Inspection& run);
void check_metrics(Inspection& run);
void check_events(Inspection& run);
void check_weights(Inspection& run);
void check_records(Inspection& run);

}  // namespace schemamem
