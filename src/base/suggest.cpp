#include "base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <vector>

namespace schemamem {
namespace {

/// No name in this program is longer; what is longer still is not a typo of one, and not worth quadratic time.
constexpr std::size_t kLongestWord = 64;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// How many letters two words have in common, wherever they stand: cheap to count, and one edit brings at most one
/// more.
class Letters {
 public:
  explicit Letters(std::string_view word) {
    for (const char c : word) ++counts_[index(c)];
  }
  std::size_t in_common_with(std::string_view other) const {
    Counts left = counts_;
    std::size_t common = 0;
    for (const char c : other) {
      std::uint8_t& count = left[index(c)];
      if (count == 0) continue;
      --count;
      ++common;
    }
    return common;
  }

 private:
  using Counts = std::array<std::uint8_t, 256>;
  static_assert(kLongestWord < 256);
  static std::size_t index(char c) {
    return static_cast<std::size_t>(std::tolower(static_cast<unsigned char>(c))) % Counts{}.size();
  }
  Counts counts_{};
};

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment; rows i-2, i-1 and i of the table are enough.
  std::array<std::vector<std::size_t>, 3> rows;
  for (auto& row : rows) row.resize(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
}

std::optional<std::string> closest(std::string_view word, std::span<const std::string> known) {
  if (word.size() > kLongestWord) return std::nullopt;
  std::optional<std::string> best;
  const Letters letters(word);
  // A third of the letters may be wrong: "retenton" finds retention, "A3" finds nothing far away.
  std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= limit) continue;  // at least as many edits
    if (longer - letters.in_common_with(candidate) >= limit) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const auto best = closest(word, known);
  return best ? fmt::format(" Did you mean \"{}\"?", *best) : std::string();
}

}  // namespace schemamem
