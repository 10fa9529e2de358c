#include "record/json_file.h"

#include "system/files.h"

namespace schemamem {

Result<nlohmann::ordered_json> read_json_object(const std::filesystem::path& path) {
  constexpr std::uint64_t kLargest = 1 << 20;
  const Result<std::string> text = read_text_file(path, kLargest);
  if (!text) return text.error();
  auto json = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (json.is_object()) return json;
  return Error(ErrorKind::kBadData, path.string() + ": expected a JSON object; the file was changed or damaged");
}

}  // namespace schemamem
