#include "system/ranks.h"

#include <algorithm>
#include <vector>

namespace schemamem {
namespace {

class OneRank final : public Ranks {
 public:
  int count() const override { return 1; }
  int mine() const override { return 0; }
  int beside() const override { return 1; }
  int largest(int said) override { return said; }
  void broadcast(std::span<std::byte>) override {}
  void all_gather(std::span<std::byte>, std::span<const std::size_t>) override {}
  void all_to_all(std::span<const std::byte> out, std::span<const std::size_t>, std::span<std::byte> in,
                  std::span<const std::size_t>) override {
    std::copy(out.begin(), out.end(), in.begin());
  }
};

}  // namespace

Ranks& alone() {
  static OneRank rank;
  return rank;
}

void add_counts(Ranks& ranks, std::span<std::int64_t> counts) {
  if (ranks.is_alone()) return;
  const auto everyone = static_cast<std::size_t>(ranks.count());
  std::vector<std::int64_t> all(everyone * counts.size());
  std::copy(counts.begin(), counts.end(), &all[static_cast<std::size_t>(ranks.mine()) * counts.size()]);
  std::vector<std::size_t> ends(everyone);
  for (std::size_t rank = 0; rank < everyone; ++rank) ends[rank] = (rank + 1) * counts.size_bytes();
  ranks.all_gather(std::as_writable_bytes(std::span(all)), ends);
  std::fill(counts.begin(), counts.end(), std::int64_t{0});
  for (std::size_t i = 0; i < all.size(); ++i) counts[i % counts.size()] += all[i];
}

std::optional<std::string> share_text(Ranks& ranks, std::optional<std::string> text) {
  std::int64_t size = text ? static_cast<std::int64_t>(text->size()) : -1;
  ranks.broadcast(std::as_writable_bytes(std::span(&size, 1)));
  if (size < 0) return std::nullopt;
  std::string shared = text.value_or("");
  shared.resize(static_cast<std::size_t>(size));
  ranks.broadcast(std::as_writable_bytes(std::span(shared)));
  return shared;
}

}  // namespace schemamem
