#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "support/every_model.h"

namespace schemamem {
namespace {

constexpr std::size_t kSymbols = 11, kOutputs = 5, kTokens = 70;

/// A model with its weights, and rows for it.
template <class T>
struct Reader {
  Reader(const test::ModelCase& made, bool symbols) {
    test::ModelCase sized = made;
    sized.spec.sizes["inputs"] = kSymbols;
    sized.spec.sizes["outputs"] = kOutputs;
    if (symbols) sized.spec.options["input"] = "symbols";
    model = sized.make<T>();
    folded = model->make_folded();
    weights = test::test_weights(*model);
    model->fold(view_of(std::span(weights)), *folded);
  }
  View<const T, 2> rows() const {
    return {x.data(), {x.size() / model->config().row_width(), model->config().row_width()}};
  }

  struct Outcome {
    std::vector<T> values, gradient;
  };
  Outcome trained() const {
    const auto tape = model->make_tape({.tokens = kTokens, .chunks = kTokens}, {.poison = true, .guard = 64});
    const auto shard = model->make_shard();
    Outcome out{.values = std::vector<T>(kTokens * kOutputs), .gradient = std::vector<T>(weights.size())};
    std::vector<T> d_y(out.values.size());
    Rng rng = test::test_rng(12);
    for (T& d : d_y) d = static_cast<T>(rng.normal());
    const View<T, 2> y(out.values.data(), {kTokens, kOutputs});
    model->forward(*folded, {.x = rows(), .marks = marks, .stillness = T(0.5)}, *tape, y);
    model->backward(*folded, *tape, {d_y.data(), {kTokens, kOutputs}}, *shard);
    GradientShard<T>* const shards[] = {shard.get()};
    model->unfold(*folded, shards, view_of(std::span(out.gradient)));
    EXPECT_TRUE(tape->guards_intact());
    return out;
  }
  std::vector<T> streamed() const {
    std::vector<T> y(x.size() / model->config().row_width() * kOutputs);
    StreamState<T> state = model->empty_state();
    const auto scratch = model->make_scratch();
    model->refresh(*folded, state, *scratch);
    model->advance(*folded, {rows(), marks}, state, *scratch, {y.data(), {y.size() / kOutputs, kOutputs}});
    return y;
  }

  std::unique_ptr<SequenceModel<T>> model;
  std::unique_ptr<Folded<T>> folded;
  std::vector<T> weights, x;
  std::vector<RowMark> marks;
};

class EveryModelOfSymbols : public testing::TestWithParam<test::ModelCase> {};
INSTANTIATE_TEST_SUITE_P(, EveryModelOfSymbols, testing::ValuesIn(test::every_model()), test::case_name);

TEST_P(EveryModelOfSymbols, IsTheModelOfRowsThatAreOneWhereTheSymbolIs) {
  Reader<double> symbols(GetParam(), true), rows(GetParam(), false);
  ASSERT_EQ(symbols.weights, rows.weights);
  Rng rng = test::test_rng(11);
  rows.x.resize(kTokens * kSymbols);
  for (std::size_t t = 0; t < kTokens; ++t) {
    const std::size_t symbol = rng.below(kSymbols);
    symbols.x.push_back(static_cast<double>(symbol));
    rows.x[t * kSymbols + symbol] = 1;
    rows.marks.push_back(row_mark(t % 9 == 4 || t % 9 == 7, t % 9 >= 4 && t % 9 < 7));
  }
  symbols.marks = rows.marks;
  const auto found = symbols.trained(), expected = rows.trained();
  EXPECT_EQ(found.values, expected.values);
  EXPECT_EQ(found.gradient, expected.gradient);
  EXPECT_EQ(symbols.streamed(), rows.streamed());
}

TEST_P(EveryModelOfSymbols, RefusesWhatIsNoSymbol) {
  Reader<float> reader(GetParam(), true);
  const auto tape = reader.model->make_tape({.tokens = 3, .chunks = 3}, {});
  for (const float symbol : {-1.0F, -0.5F, 0.5F, 10.5F, 11.0F, 1e30F, std::numeric_limits<float>::quiet_NaN(),
                             std::numeric_limits<float>::infinity()}) {
    reader.x = {0, 10, symbol};
    std::vector<float> y(3 * kOutputs);
    EXPECT_THROW(reader.model->forward(*reader.folded, {.x = reader.rows()}, *tape, {y.data(), {3, kOutputs}}),
                 ContractViolation)
        << symbol;
    EXPECT_THROW(reader.streamed(), ContractViolation) << symbol;
  }
  reader.x = {0, 10, 3};
  EXPECT_NO_THROW(reader.streamed());
}

TEST_P(EveryModelOfSymbols, HasNoGradientOfItsRows) {
  Reader<float> reader(GetParam(), true);
  reader.x = {0, 10, 3};
  const auto tape = reader.model->make_tape({.tokens = 3, .chunks = 3}, {});
  const auto shard = reader.model->make_shard();
  std::vector<float> y(3 * kOutputs), d_x(3);
  reader.model->forward(*reader.folded, {.x = reader.rows()}, *tape, {y.data(), {3, kOutputs}});
  EXPECT_THROW(reader.model->backward(*reader.folded, *tape, {y.data(), {3, kOutputs}}, *shard,
                                      {.x = {d_x.data(), {3, 1}}, .state = {}}),
               ContractViolation);
}

}  // namespace
}  // namespace schemamem
