#include <schemamem/schemamem.h>

#include <array>

struct Copy final : schemamem::Task {
  schemamem::TaskShape shape() const override { return {.inputs = 8, .classes = 8, .longest = 64}; }
  void episode(schemamem::Rng& rng, schemamem::EpisodeWriter& out) const override {
    for (int t = 0; t < 64; ++t) {
      const auto seen = static_cast<std::size_t>(rng.below(8));
      std::array<float, 8> row{};
      row[seen] = 1;
      out.row(row);
      out.target(seen);
    }
  }
};

int main() {
  schemamem::Trainer trainer({.model = "schemamem", .options = {{"slots", 64}}}, Copy{},
                             {.recipe = "fast", .overrides = {{"validation.every", 50}, {"cooldown.steps", 10}}});
  while (!trainer.done()) trainer.step();
  return trainer.passed() && trainer.model().save("copy.safetensors") ? 0 : 1;
}
