#include "record/json_file.h"

namespace schemamem {

Result<JsonField> read_json_object(const std::filesystem::path& path, FileSystem& files) {
  const JsonLimits limits;
  const Result<std::string> text = read_text_file(path, limits.bytes, files);
  if (!text) return text.error();
  return parse_json_object(*text, path.string(), limits);
}

}  // namespace schemamem
