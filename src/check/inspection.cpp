#include "check/inspection.h"

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestObject = 1 << 20;

const char* kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::symlink:
      return "a symbolic link";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "a device";
  }
}

}  // namespace

std::optional<Inspection::Json> parse_object(std::string_view text) {
  const Result<JsonField> json = parse_json_object(text, "the text", {.bytes = kLargestObject});
  if (!json) return std::nullopt;
  return json->raw();
}

bool Inspection::there(const std::string& file, const std::string& rescue) {
  std::error_code fault;
  const fs::file_status status = fs::symlink_status(path(file), fault);
  if (status.type() == fs::file_type::not_found) return false;
  if (status.type() == fs::file_type::none) {
    check.findings.push_back({true, file, "cannot be looked at: " + fault.message(), rescue});
    return false;
  }
  if (status.type() == fs::file_type::regular) return true;
  damaged(file, fmt::format("expected a regular file, found {}", kind_of(status.type())), rescue);
  return false;
}

std::optional<std::string> Inspection::text(const std::string& file, std::uint64_t most, const std::string& rescue) {
  Result<std::string> text = read_text_file(path(file), most);
  if (text) return std::move(text).value();
  failed(file, text.error(), rescue);
  return std::nullopt;
}

std::optional<Inspection::Json> Inspection::object(const std::string& file, const std::string& rescue) {
  const auto content = text(file, kLargestObject, rescue);
  if (!content) return std::nullopt;
  auto json = parse_object(*content);
  if (!json) damaged(file, "expected a JSON object", rescue);
  return json;
}

void Inspection::damaged(const std::string& file, const std::string& what, const std::string& rescue) {
  check.findings.push_back({false, file, what, rescue});
}

void Inspection::failed(const std::string& file, const Error& error, const std::string& rescue) {
  std::string what = error.message();
  if (const std::string prefix = path(file).string() + ": "; what.starts_with(prefix)) what.erase(0, prefix.size());
  // The file was seen a moment ago: what cannot be opened is not absent.
  check.findings.push_back({error.kind() != ErrorKind::kBadData, file, what, rescue});
}

std::string Inspection::disagreement(const char* key, const Json& expected, const Json& found) {
  const auto show = [](const Json& value) {
    return printable(value.dump(-1, ' ', true, Json::error_handler_t::replace));
  };
  return fmt::format("\"{}\" should be {}, as run.json says, found {}", key, show(expected), show(found));
}

std::string Inspection::from_checkpoints(const std::string& files) const {
  if (!newest)
    return "There is no whole checkpoint to make it from again; copy the file from a backup, or train again.";
  return fmt::format("The checkpoint of step {} is whole: move {} away, and `schemamem resume` makes {} from it again.",
                     *newest, files, files.find(' ') == std::string::npos ? "it" : "them");
}

}  // namespace schemamem
