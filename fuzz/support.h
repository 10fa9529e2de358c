#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <span>
#include <string_view>

#include "base/result.h"

// What fuzz targets share. A target takes any bytes: they are refused with a message, or accepted and then keep the
// promises of what was accepted. The fuzzer counts an abort, a leak and an exception that nobody catches as findings.

namespace schemamem::fuzz {

inline void must(bool holds) {
  if (!holds) std::abort();
}

/// Accepted, or refused for one of these reasons and with words.
template <class T>
bool accepted(const Result<T>& result, std::initializer_list<ErrorKind> reasons) {
  if (result) return true;
  const Error& error = result.error();
  must(std::find(reasons.begin(), reasons.end(), error.kind()) != reasons.end() && !error.message().empty());
  return false;
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}
inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

inline void write(const std::filesystem::path& file, std::string_view text) {
  std::ofstream(file, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
}

}  // namespace schemamem::fuzz
