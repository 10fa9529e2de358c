#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "kernels/isa.h"
#include "models/schemamem/model.h"
#include "support/golden.h"
#include "support/schemamem.h"

namespace schemamem::test {
namespace {

constexpr double kTolerance = 1e-9;

using reference::SchemaMemMode;

SchemaMemMode mode_of(const std::string& name) {
  if (name == "full") return SchemaMemMode::kFullHistory;
  return name == "ablated" ? SchemaMemMode::kAblated : SchemaMemMode::kRecurrent;
}

class SchemaMemReference : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Golden, SchemaMemReference,
                         testing::Values("recurrent_short", "recurrent_overwrite", "recurrent_chunk7", "full_history",
                                         "ablated"),
                         [](const auto& made) { return std::string(made.param); });

TEST_P(SchemaMemReference, AgreesWithTheGoldenVectors) {
  const Golden golden(std::string("schemamem/") + GetParam());
  const std::string mode = golden.text("mode");
  const std::size_t tokens = golden.number("tokens"), value_bits = golden.number("value_bits");
  const Layout layout = schemamem_parameters({.inputs = golden.number("address_bits") + value_bits + 1,
                                              .outputs = value_bits,
                                              .commit_every = golden.number("commit_every")});
  const reference::SchemaMemWeights weights = reference_schemamem(layout, golden.flat<double>(layout, "param."));
  reference::SchemaMemWeights d_weights = zeros_like(weights);
  for (std::size_t b = 0; b < golden.number("batch"); ++b) {
    const reference::SchemaMem episode(weights, to_matrix(golden.entry("x", b), tokens), mode_of(mode),
                                       golden.number("commit_every"));
    episode.backward(to_matrix(golden.entry("dlogits", b), tokens), d_weights);

    EXPECT_LE(golden_error(to_flat(episode.logits()), golden.entry("logits", b)), kTolerance);
    for (std::size_t l = 0; mode == "recurrent" && l < weights.layers.size(); ++l) {
      const std::vector<double> found = to_flat(episode.phases(l));
      const std::vector<double> expected = golden.entry("state." + std::to_string(l), b);
      EXPECT_LE(circle_error(std::span(found), std::span(expected)), kTolerance) << "layer " << l;
    }
  }
  const std::vector<double> gradient = flatten(d_weights);
  for (const TensorSpec& tensor : layout.tensors()) {
    const std::vector<double> found(gradient.begin() + static_cast<std::ptrdiff_t>(tensor.offset),
                                    gradient.begin() + static_cast<std::ptrdiff_t>(tensor.offset + tensor.size));
    EXPECT_LE(golden_error(found, golden.values("grad." + tensor.name)), kTolerance) << tensor.name;
  }
}

/// Sizes that no vector length divides, and the chunk lengths at which something begins or ends.
struct OddSizes {
  const char* name;
  SchemaMemConfig config;
  std::size_t tokens;
};
const OddSizes kOddSizes[] = {
    {"one_slot_live", {4, 2, 2, 4, 1, 2, 2, 3, 2, false, false, true}, 9},
    {"three_heads_of_six_live", {6, 3, 2, 18, 13, 3, 6, 5, 7, false, false, true}, 40},
    {"paper_sizes_live", {7, 3, 2, 32, 176, 4, 8, 16, 40, false, false, true}, 120},
    {"three_heads_of_six_live_seven_phases", {6, 3, 2, 18, 13, 3, 6, 5, 7, false, false, true, false, 7}, 40},
    {"paper_sizes_live_64_phases", {7, 3, 2, 32, 176, 4, 8, 16, 40, false, false, true, false, 64}, 120},
    {"five_heads_of_two_thousand_phases", {5, 2, 2, 10, 33, 5, 2, 9, 96, false, false, false, false, 1000}, 130},
    {"one_slot_pull", {4, 2, 2, 4, 1, 2, 2, 3, 2, false, false, false, true}, 9},
    {"three_heads_of_six_pull", {6, 3, 2, 18, 13, 3, 6, 5, 7, false, false, false, true}, 40},
    {"three_heads_of_six_live_pull_seven_phases", {6, 3, 2, 18, 13, 3, 6, 5, 7, false, false, true, true, 7}, 40},
    {"paper_sizes_pull", {7, 3, 2, 32, 176, 4, 8, 16, 40, false, false, false, true}, 120},
    {"paper_sizes_live_pull", {7, 3, 2, 32, 176, 4, 8, 16, 40, false, false, true, true}, 120},
    {"smallest", {2, 1, 1, 2, 1, 1, 2, 1, 1}, 5},
    {"one_slot", {4, 2, 2, 4, 1, 2, 2, 3, 2}, 9},
    {"three_heads_of_six", {6, 3, 2, 18, 13, 3, 6, 5, 7}, 40},
    {"five_heads_of_two", {5, 2, 2, 10, 33, 5, 2, 9, 96}, 130},
    {"one_wide_head", {5, 2, 1, 22, 19, 1, 22, 7, 97}, 120},
    {"twenty_heads", {5, 2, 1, 40, 17, 20, 2, 17, 95}, 100},
    {"paper_width_other_slots", {7, 3, 1, 32, 175, 4, 8, 16, 96}, 120},
};

struct EngineCase {
  const OddSizes* sizes;
  Isa isa;
};
std::vector<EngineCase> engine_cases() {
  std::vector<EngineCase> cases;
  for (const OddSizes& sizes : kOddSizes)
    for (const Isa isa : available_isas()) cases.push_back({&sizes, isa});
  return cases;
}
class SchemaMemEngine : public testing::TestWithParam<EngineCase> {};
INSTANTIATE_TEST_SUITE_P(OddSizes, SchemaMemEngine, testing::ValuesIn(engine_cases()), [](const auto& made) {
  return std::string(made.param.sizes->name) + "_" + std::string(isa_name(made.param.isa));
});

std::vector<double> random_numbers(Rng& rng, std::size_t count, double scale) {
  std::vector<double> values(count);
  for (double& value : values) value = scale * rng.normal();
  return values;
}
/// Bits whose validity changes now and then, so that both commit rules act.
std::vector<double> random_bits(Rng& rng, std::size_t tokens, std::size_t inputs) {
  std::vector<double> x(tokens * inputs);
  double validity = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool last = i % inputs == inputs - 1;
    if (last && rng.below(40) == 0) validity = 1 - validity;
    x[i] = last ? validity : static_cast<double>(rng.below(2));
  }
  return x;
}

TEST_P(SchemaMemEngine, EqualsTheReferenceAtOddSizesInEveryMode) {
  const SchemaMemConfig& config = GetParam().sizes->config;
  const std::size_t tokens = GetParam().sizes->tokens;
  const auto model = make_schemamem<double>(config, {.isa = GetParam().isa});
  const Layout& layout = model->parameters();
  Rng rng = Rng::stream(4, Purpose::kTest, tokens);
  const std::vector<double> flat = random_numbers(rng, layout.size(), 0.4);
  const std::vector<double> x = random_bits(rng, tokens, config.inputs);
  const std::vector<double> d_logits = random_numbers(rng, tokens * config.outputs, 1);
  const View<const double, 2> rows(x.data(), {tokens, config.inputs});
  const std::vector<RowMark> marks = validity_marks<double>(rows);
  const reference::SchemaMemWeights weights = reference_schemamem(layout, flat);
  const auto folded = model->make_folded();
  const auto tape = model->make_tape({.tokens = tokens, .chunks = tokens}, {.poison = true, .guard = 64});
  model->fold(view_of(std::span(flat)), *folded);
  struct {
    Mode mode;
    SchemaMemMode reference_mode;
    double floor = 0;
  } const runs[] = {{Mode::kRecurrent, SchemaMemMode::kRecurrent},
                    {Mode::kRecurrent, SchemaMemMode::kRecurrent, 0.3},
                    {Mode::kFullHistory, SchemaMemMode::kFullHistory, 0.3},
                    {Mode::kAblated, SchemaMemMode::kAblated, 0.3}};
  for (const auto& [mode, reference_mode, floor] : runs) {
    SCOPED_TRACE(std::string(mode_name(mode)) + ", floor " + std::to_string(floor));
    const Episode<double> episode{.x = rows, .marks = marks, .mode = mode, .floor = floor};
    const auto shard = model->make_shard();
    std::vector<double> logits(d_logits.size()), gradient(layout.size());
    model->forward(*folded, episode, *tape, {logits.data(), {tokens, config.outputs}});
    model->backward(*folded, *tape, {d_logits.data(), {tokens, config.outputs}}, *shard);
    GradientShard<double>* const shards[] = {shard.get()};
    model->unfold(*folded, shards, view_of(std::span(gradient)));

    reference::SchemaMemForm form = reference_form(config);
    form.floor = floor;
    const reference::SchemaMem expected(weights, to_matrix(x, tokens), reference_mode, config.commit_every, form);
    reference::SchemaMemWeights d_weights = zeros_like(weights);
    expected.backward(to_matrix(d_logits, tokens), d_weights);
    const std::vector<double> expected_gradient = flatten(d_weights);
    EXPECT_EQ(model->chunk_ends(episode), expected.chunk_ends());
    EXPECT_LE(golden_error(logits, to_flat(expected.logits())), kTolerance);
    for (const TensorSpec& tensor : layout.tensors()) {
      EXPECT_LE(golden_error(std::span<const double>(gradient).subspan(tensor.offset, tensor.size),
                             std::span<const double>(expected_gradient).subspan(tensor.offset, tensor.size)),
                kTolerance)
          << tensor.name;
    }
    EXPECT_TRUE(tape->guards_intact());
  }
}

}  // namespace
}  // namespace schemamem::test
