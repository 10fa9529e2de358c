#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schemamem {

/// A column's heading; neighbours with the same non-empty group stand under one head.
struct Heading {
  std::string group{}, name{};
};

/// A table for people, and the same as records for programs. Texts are UTF-8 with `commands` in backticks; each format
/// spells them in its own way.
struct Table {
  std::string name{};   // of its files
  std::string label{};  // where it can be referred to: "tab:cost"; may be empty
  std::string title{};
  std::string caption{};
  std::size_t keys = 1;  // leading columns that name the row
  std::vector<Heading> headings{};
  std::vector<std::vector<std::string>> rows{};  // an empty one is a rule between two others
  std::vector<std::string> notes{};
  std::vector<std::string> record_header{};
  std::vector<std::vector<std::string>> records{};
};

std::string markdown(const Table& table);
/// For a document with booktabs, amssymb, graphicx, longtable and array. A table of up to 40 rows is
/// made no wider than the page; a longer one breaks over pages and breaks its long keys over lines.
std::string latex(const Table& table);
/// RFC 4180 with a header line.
std::string csv(const Table& table);
std::string csv(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& records);

/// A number for programs: ten digits, or nothing.
std::string plain(const std::optional<double>& value);
/// 88667 as "88,667".
std::string grouped(std::int64_t number);

}  // namespace schemamem
