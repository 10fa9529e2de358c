#include "stream/file_kind.h"

#include <fmt/format.h>

#include "base/text.h"

namespace schemamem {

std::map<std::string, std::string> kind_metadata(const FileKind& kind) {
  return {{"format", std::string(kind.format)}, {"version", std::to_string(kind.version)}};
}

Status check_kind(const TensorFile& file, const FileKind& kind) {
  const Result<std::string> format = file.metadata_value("format");
  if (!format)
    return Error(ErrorKind::kBadData,
                 fmt::format("{}; expected a file of the format \"{}\"", format.error().message(), kind.format));
  if (*format != kind.format)
    return Error(ErrorKind::kBadData, fmt::format("{}: expected a file of the format \"{}\", found {}", file.what(),
                                                  kind.format, quote(*format)));
  const Result<std::string> version = file.metadata_value("version");
  if (!version) return version.error();
  if (*version != std::to_string(kind.version))
    return Error(ErrorKind::kBadData,
                 fmt::format("{}: version {} of the format \"{}\"; this program reads version {}: use the program that "
                             "wrote the file, or write it again",
                             file.what(), quote(*version), kind.format, kind.version));
  return Done{};
}

}  // namespace schemamem
