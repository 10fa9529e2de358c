#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "support/program.h"

namespace schemamem::test {

/// A way to make one file of a folder hostile. `outside` is a folder that nobody may touch, with a file `victim`.
struct Manner {
  const char* name;
  std::function<void(const std::filesystem::path& file, const std::filesystem::path& outside)> apply;
  bool as_nobody = false;
};

inline void put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::remove_all(path);
  std::ofstream(path, std::ios::binary) << text;
}

inline constexpr int kNesting = 100'000;
inline std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// What terminals, shells, gnuplot, TeX and browsers obey.
inline const std::string kCommandsInText =
    "x\x1b[31m\x1b]0;owned\x07\x9b\x7f`touch outside/owned`$(touch outside/owned)\nsystem(\"touch outside/owned\")\n\r"
    "<script>alert(1)</script>\\input{/etc/passwd}%s%n../../../outside/owned";

using Change = std::function<nlohmann::ordered_json(const nlohmann::ordered_json&)>;
/// Changes every JSON value of a file that holds one, or one a line, and that is no object.
inline nlohmann::ordered_json changed(const nlohmann::ordered_json& value, const Change& change) {
  if (value.is_object()) {
    nlohmann::ordered_json all = nlohmann::ordered_json::object();
    for (const auto& [key, inner] : value.items()) all[key] = changed(inner, change);
    return all;
  }
  return change(value);
}
inline void change_values(const std::filesystem::path& file, const Change& change) {
  const std::string text = text_of(file);
  const auto write = [&](const nlohmann::ordered_json& json) {
    return changed(json, change).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  };
  if (const auto whole = nlohmann::ordered_json::parse(text, nullptr, false); whole.is_object())
    return put(file, write(whole));
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    all += json.is_object() ? write(json) : kCommandsInText + line + "\n";
  }
  put(file, all);
}

inline std::vector<Manner> manners() {
  namespace fs = std::filesystem;
  const auto linked = [](const fs::path& file, const fs::path& to) {
    fs::remove_all(file);
    fs::create_symlink(to, file);
  };
  const auto sized = [](const fs::path& file, std::uintmax_t size) {
    if (!fs::is_regular_file(file)) put(file, "");
    fs::resize_file(file, size);
  };
  return {
      {"missing", [](const fs::path& file, const fs::path&) { fs::remove_all(file); }},
      {"empty", [](const fs::path& file, const fs::path&) { put(file, ""); }},
      {"cut", [=](const fs::path& file, const fs::path&) { sized(file, text_of(file).size() / 2); }},
      {"noise",
       [](const fs::path& file, const fs::path&) {
         std::string bytes;
         for (unsigned i = 1, x = 1; i < 4096; ++i) bytes += static_cast<char>((x = x * 1664525U + 1013904223U) >> 24);
         put(file, bytes);
       }},
      {"brackets", [](const fs::path& file, const fs::path&) { put(file, std::string(kNesting, '[')); }},
      {"objects",
       [](const fs::path& file, const fs::path&) {
         put(file, repeated("{\"a\":", kNesting) + "1" + std::string(kNesting, '}') + "\n");
       }},
      {"wrong types",
       [](const fs::path& file, const fs::path&) {
         change_values(file, [](const auto& value) {
           return value.is_string() ? nlohmann::ordered_json(5)
                                    : nlohmann::ordered_json(std::vector{nlohmann::ordered_json()});
         });
       }},
      {"wild numbers",
       [](const fs::path& file, const fs::path&) {
         change_values(file, [](const auto& value) {
           return value.is_number() ? nlohmann::ordered_json(~std::uint64_t{0}) : nlohmann::ordered_json(value);
         });
       }},
      {"negative numbers",
       [](const fs::path& file, const fs::path&) {
         change_values(file, [](const auto& value) {
           return value.is_number() ? nlohmann::ordered_json(-1) : nlohmann::ordered_json(value);
         });
       }},
      {"commands in texts",
       [](const fs::path& file, const fs::path&) {
         change_values(file, [](const auto& value) {
           return value.is_string() ? nlohmann::ordered_json(kCommandsInText) : nlohmann::ordered_json(value);
         });
       }},
      {"huge and sparse", [=](const fs::path& file, const fs::path&) { sized(file, std::uintmax_t{3'000'000'000}); }},
      {"a folder",
       [](const fs::path& file, const fs::path&) {
         fs::remove_all(file);
         fs::create_directory(file);
       }},
      {"a link to a file outside",
       [=](const fs::path& file, const fs::path& outside) { linked(file, outside / "victim"); }},
      {"a link to a folder outside", [=](const fs::path& file, const fs::path& outside) { linked(file, outside); }},
      {"a dangling link", [=](const fs::path& file, const fs::path& outside) { linked(file, outside / "owned"); }},
      {"a loop of links", [=](const fs::path& file, const fs::path&) { linked(file, file.filename()); }},
      {"a link to /dev/zero", [=](const fs::path& file, const fs::path&) { linked(file, "/dev/zero"); }},
      {"a link to /dev/stdin", [=](const fs::path& file, const fs::path&) { linked(file, "/dev/stdin"); }},
      {"a hard link",
       [](const fs::path& file, const fs::path& outside) {
         fs::remove_all(file);
         fs::create_hard_link(outside / "victim", file);
       }},
      {"a pipe",
       [](const fs::path& file, const fs::path&) {
         fs::remove_all(file);
         ::mkfifo(file.c_str(), 0666);
       }},
      {"a device",
       [](const fs::path& file, const fs::path&) {
         fs::remove_all(file);
         ::mknod(file.c_str(), S_IFCHR | 0666, makedev(1, 5));
       }},
      {"unreadable",
       [](const fs::path& file, const fs::path&) {
         if (!fs::exists(file)) put(file, "");
         ::chmod(file.c_str(), 0);
       },
       true},
  };
}

}  // namespace schemamem::test
