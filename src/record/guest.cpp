#include "record/guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/name.h"
#include "base/text.h"
#include "system/files.h"

namespace schemamem {
namespace {

using Json = nlohmann::json;  // keeps its keys sorted
namespace fs = std::filesystem;

constexpr std::string_view kFormat = "schemamem guest";
constexpr int kVersion = 1;
constexpr const char* kFile = "guest.json";
constexpr std::size_t kLargestManifest = 1 << 16;

/// What is wrong with a line about a guest; empty if nothing is.
std::string fault_of(std::string_view text) {
  if (text.size() > kLongestGuestText)
    return fmt::format("must have at most {} bytes, found {}", kLongestGuestText, text.size());
  if (escaped(text) != text) return "must be one line of printable UTF-8, found " + quote(text);
  return "";
}

}  // namespace

Status check_guest(const Guest& guest) {
  const auto usage = [](const std::string& message) { return Error(ErrorKind::kUsage, message); };
  for (const auto& [what, name] :
       {std::pair("name", &guest.name), std::pair("setting", &guest.setting), std::pair("task", &guest.task)}) {
    if (const Status named = check_name(*name, fmt::format("The {} of a guest", what)); !named)
      return usage(named.error().message());
  }
  for (const auto& [what, text] : {std::pair("owner", &guest.owner), std::pair("note", &guest.note)}) {
    if (const std::string fault = fault_of(*text); !fault.empty())
      return usage(fmt::format("The {} of a guest {}.", what, fault));
  }
  if (guest.parameters.value_or(0) < 0)
    return usage(fmt::format("A guest has at least 0 parameters, found {}.", *guest.parameters));
  return Done{};
}

std::string encode_guest(const Guest& guest) {
  const Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"name", guest.name},
                  {"task", guest.task},
                  {"setting", guest.setting},
                  {"seed", guest.seed},
                  {"owner", guest.owner},
                  {"note", guest.note},
                  {"parameters", guest.parameters ? Json(*guest.parameters) : Json()}};
  return json.dump(1) + "\n";
}

Result<Guest> parse_guest(std::string_view text, const std::string& what) {
  const Result<JsonField> json = parse_json_object(text, what, {.bytes = kLargestManifest});
  if (!json) return json.error();
  json->allow_only({"format", "version", "name", "task", "setting", "seed", "owner", "note", "parameters"});
  const std::string format = json->text("format");
  json->at("format").expect(format == kFormat, fmt::format("expected \"{}\", found {}", kFormat, quote(format)));
  const std::int64_t version = json->count("version");
  json->at("version").expect(version == kVersion, fmt::format("expected {}, found {}", kVersion, version));
  Guest guest{.name = json->text("name"),
              .task = json->text("task"),
              .setting = json->text("setting"),
              .seed = json->natural("seed"),
              .owner = json->text("owner"),
              .note = json->text("note")};
  if (const JsonField parameters = json->at("parameters"); !parameters.is_null()) guest.parameters = parameters.count();
  if (const Status read = json->status(); !read) return read.error();
  if (const Status good = check_guest(guest); !good)
    return Error(ErrorKind::kBadData, what + ": " + good.error().message());
  return guest;
}

bool is_guest(const fs::path& folder) { return !is_absent(folder / kFile); }

Result<std::vector<fs::path>> find_guests(const fs::path& path) {
  if (is_guest(path)) return std::vector{path};
  std::vector<fs::path> guests;
  std::error_code unreadable;
  if (!fs::is_directory(path, unreadable)) return guests;
  const auto names = list_directory(path);
  if (!names) return names.error();
  for (const std::string& name : *names)
    if (is_guest(path / name)) guests.push_back(path / name);
  return guests;
}

std::string guest_folder_name(const Guest& guest) {
  return fmt::format("{}-{}-s{}", guest.name, guest.setting, guest.seed);
}

Result<Guest> load_guest(const fs::path& folder) {
  const Result<std::string> text = read_text_file(folder / kFile, kLargestManifest);
  if (!text) return text.error();
  return parse_guest(*text, (folder / kFile).string());
}

Result<fs::path> save_guest(const fs::path& root, const Guest& guest, const EvaluationRecord& record) {
  if (const Status good = check_guest(guest); !good) return good.error();
  const fs::path folder = root / guest_folder_name(guest);
  if (is_guest(folder)) {
    const auto there = load_guest(folder);
    if (!there) return there.error();
    if (there->name != guest.name || there->task != guest.task || there->setting != guest.setting ||
        there->seed != guest.seed)
      return Error(ErrorKind::kBadData, fmt::format("{} is of another guest, {}. Choose another name or folder.",
                                                    folder.string(), guest_folder_name(*there)));
  }
  if (const Status made = make_directories(folder); !made) return made.error();
  if (const Status saved = save_evaluation(folder / "evaluations" / evaluation_file_name(record.protocol), record);
      !saved)
    return saved.error();
  if (const Status written = write_file_atomically(folder / kFile, encode_guest(guest)); !written)
    return written.error();
  return folder;
}

}  // namespace schemamem
