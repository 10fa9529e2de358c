#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "models/part_run.h"
#include "support/golden.h"

// A model as a part of something larger: rows and a state in, rows and a state out, with the gradients of both; the
// stack of layers with its maps and without.

namespace schemamem {
namespace {

using test::golden_error;
using test::PartRun;
using test::PieceInputs;
using test::PieceOutcome;
using test::PieceRequest;

class EveryModelPart : public testing::TestWithParam<test::ModelCase> {};
INSTANTIATE_TEST_SUITE_P(, EveryModelPart, testing::ValuesIn(test::every_part()), test::case_name);

/// The slope of the loss along a random direction of `values`, by five-point differences, against their gradient. The
/// direction has length one, so the slope is about as large as the gradient of one element.
void expect_slope(PartRun<double>& run, PieceInputs<double>& in, std::span<double> values,
                  std::span<const double> gradient, const PieceRequest<double>& request, const std::string& what) {
  const std::vector<double> centre(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double unit = 1 / std::sqrt(count), step = 1e-4;
  Rng rng = test::test_rng(values.size());
  std::vector<double> direction(values.size());
  double slope = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    direction[i] = rng.below(2) == 0 ? unit : -unit;
    slope += direction[i] * gradient[i];
    squares += gradient[i] * gradient[i];
  }
  const auto at = [&](double distance) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = centre[i] + distance * direction[i];
    return request.stillness == 0 ? run.values(in, request) : run.run(in, request);
  };
  const double near = run.difference(at(-step), at(step), request);
  const double far = run.difference(at(-2 * step), at(2 * step), request);
  std::copy(centre.begin(), centre.end(), values.begin());
  EXPECT_NEAR(slope, (8 * near - far) / (12 * step), 2e-6 * std::sqrt(squares / count) + 1e-8) << what;
}

/// `each` looks at every tensor of the state by itself.
void expect_slopes(PartRun<double>& run, PieceInputs<double> in, const PieceRequest<double>& request, bool each) {
  const PieceOutcome<double> at = run.run(in, request);
  expect_slope(run, in, in.x, at.d_x, request, "rows");
  expect_slope(run, in, in.weights, at.d_weights, request, "weights");
  if (in.initial.empty()) return;
  if (!each) return expect_slope(run, in, in.initial, at.d_state, request, "state");
  for (const TensorSpec& tensor : run.model().carried().tensors()) {
    expect_slope(run, in, std::span(in.initial).subspan(tensor.offset, tensor.size),
                 std::span(at.d_state).subspan(tensor.offset, tensor.size), request, tensor.name);
  }
}

TEST_P(EveryModelPart, HasTheGradientsOfItsRowsItsWeightsAndItsFirstState) {
  for (const std::size_t tokens : {1, 2, 7, 64, 129}) {
    // The general path has the bits of the fixed one at these sizes: the short pieces will do.
    if (GetParam().choice.general && tokens > 7) continue;
    PartRun<double> run(GetParam(), tokens);
    const PieceInputs<double> in = run.drawn(tokens);
    for (const double stillness : {0.0, 3.0}) {
      SCOPED_TRACE(std::to_string(tokens) + " rows, stillness " + std::to_string(stillness));
      expect_slopes(run, in, {.final = true, .stillness = stillness}, tokens == 7);
    }
  }
}

TEST_P(EveryModelPart, HasItsGradientsWhicheverStatesAreAskedFor) {
  PartRun<double> run(GetParam(), 31);
  const PieceInputs<double> from_a_state = run.drawn(31);
  PieceInputs<double> from_nothing = from_a_state;
  from_nothing.initial.clear();
  for (const double stillness : {0.0, 3.0}) {
    SCOPED_TRACE(stillness);
    expect_slopes(run, from_a_state, {.final = false, .stillness = stillness}, false);
    expect_slopes(run, from_nothing, {.final = true, .stillness = stillness}, false);
    expect_slopes(run, from_nothing, {.final = false, .stillness = stillness}, false);
  }
}

/// Where a piece may end so that an episode of these rows is the same in one piece and in two.
template <class T>
std::size_t border(const PartRun<T>& run) {
  const RowMarks marks = run.marks();
  for (std::size_t t = marks.size() / 2; t < marks.size(); ++t) {
    if (ends_chunk(marks[t])) return t;
  }
  return marks.size() / 2;
}

/// The values of an episode in one piece and in two, one behind the other.
template <class T>
std::pair<std::vector<T>, std::vector<T>> whole_and_halves(const test::ModelCase& made,
                                                           const PieceRequest<T>& request = {}) {
  constexpr std::size_t kTokens = 150;
  PartRun<T> run(made, kTokens);
  const PieceInputs<T> in = run.drawn(kTokens);
  run.set_weights(in.weights);
  const std::size_t cut = border(run);
  EXPECT_TRUE(ends_chunk(run.marks()[cut]));
  const auto whole = run.values(in.x, 0, kTokens, in.initial, request);
  const auto first = run.values(in.x, 0, cut, in.initial, request);
  const auto second = run.values(in.x, cut, kTokens - cut, first.final, request);
  std::pair<std::vector<T>, std::vector<T>> both{whole.y, first.y};
  both.first.insert(both.first.end(), whole.final.begin(), whole.final.end());
  both.second.insert(both.second.end(), second.y.begin(), second.y.end());
  both.second.insert(both.second.end(), second.final.begin(), second.final.end());
  return both;
}

TEST_P(EveryModelPart, GivesInTwoPiecesWhatItGivesInOne) {
  const auto [whole, halves] = whole_and_halves<float>(GetParam());
  if (GetParam().same_bits) {
    EXPECT_EQ(halves, whole);
  }
  const auto [exact, exact_halves] = whole_and_halves<double>(GetParam());
  EXPECT_LE(golden_error(exact_halves, exact), 1e-10);
  const auto [floored, floored_halves] = whole_and_halves<double>(GetParam(), {.floor = 0.1});
  EXPECT_LE(golden_error(floored_halves, floored), 1e-10);
}

TEST_P(EveryModelPart, CarriesGradientsFromPieceToPiece) {
  constexpr std::size_t kTokens = 120;
  for (const auto& [stillness, floor] : {std::pair{0.0, 0.0}, {3.0, 0.0}, {3.0, 0.1}}) {
    PartRun<double> run(GetParam(), kTokens);
    const PieceInputs<double> in = run.drawn(kTokens);
    const PieceRequest<double> request{.final = true, .stillness = stillness, .floor = floor};
    const PieceOutcome<double> whole = run.run(in, request);
    const std::size_t cut = border(run);
    run.shard().clear();
    std::vector<double> d_end = run.d_final();
    const auto middle = run.values(in.x, 0, cut, in.initial, request).final;
    const auto second = run.piece(in.x, cut, kTokens - cut, middle, request, d_end);
    const auto first = run.piece(in.x, 0, cut, in.initial, request, d_end);
    std::vector<double> d_x = first.d_x;
    d_x.insert(d_x.end(), second.d_x.begin(), second.d_x.end());
    EXPECT_LE(golden_error(d_x, whole.d_x), 1e-9);
    EXPECT_LE(golden_error(first.d_state, whole.d_state), 1e-9);
    EXPECT_LE(golden_error(run.gradient(), whole.d_weights), 1e-9);
    EXPECT_NEAR(first.penalty + second.penalty, whole.penalty, 1e-9 * (1 + whole.penalty));
  }
}

/// Outputs of rows [cut, end) of a stream that has read those before.
template <class T>
std::vector<T> continued(PartRun<T>& run, const std::vector<T>& x, std::size_t cut, StreamState<T>& state) {
  const std::size_t tokens = x.size() / run.inputs();
  const View<const T, 2> rows(x.data(), {tokens, run.inputs()});
  std::vector<T> y(tokens * run.outputs());
  const View<T, 2> out(y.data(), {tokens, run.outputs()});
  const auto scratch = run.model().make_scratch();
  run.model().refresh(run.folded(), state, *scratch);
  run.model().advance(run.folded(), {rows.slice(0, cut), run.marks().first(cut)}, state, *scratch, out.slice(0, cut));
  run.model().advance(run.folded(), {rows.slice(cut, tokens - cut), run.marks().subspan(cut)}, state, *scratch,
                      out.slice(cut, tokens - cut));
  return {y.begin() + static_cast<std::ptrdiff_t>(cut * run.outputs()), y.end()};
}

TEST_P(EveryModelPart, FromAStateIsTheStreamThatGoesOnFromIt) {
  constexpr std::size_t kTokens = 150;
  const auto compare = [&]<class T>(T bound) {
    PartRun<T> run(GetParam(), kTokens);
    const PieceInputs<T> in = run.drawn(kTokens);
    run.set_weights(in.weights);
    const std::size_t cut = border(run);
    const auto past = run.values(in.x, 0, cut, {}, {});
    const auto future = run.values(in.x, cut, kTokens - cut, past.final, {.final = false});
    StreamState<T> state = run.model().empty_state();
    const std::vector<T> streamed = continued(run, in.x, cut, state);
    if (GetParam().same_bits) {
      EXPECT_EQ(streamed, future.y);
    }
    EXPECT_LE(golden_error(streamed, future.y), bound);
  };
  compare(1e-4F);
  compare(1e-10);
}

TEST_P(EveryModelPart, LeavesTheStateThatAStreamHasBehindTheCommit) {
  constexpr std::size_t kTokens = 60;
  PartRun<double> run(GetParam(), kTokens + 1);
  const PieceInputs<double> in = run.drawn(kTokens + 1);
  run.set_weights(in.weights);
  // A stream commits when the next row comes; baselines have no commits, and that row would change their states.
  const std::size_t read = GetParam().commits ? kTokens + 1 : kTokens;
  std::vector<RowMark> marks(run.marks().begin(), run.marks().end());
  marks.back() = RowMark::kEndsChunk;
  std::vector<double> final(run.model().carried().size()), y((kTokens + 1) * run.outputs());
  const auto tape = run.model().make_tape({.tokens = kTokens, .chunks = kTokens}, {});
  run.model().forward(
      run.folded(),
      {.x = {in.x.data(), {kTokens, run.inputs()}}, .marks = std::span(marks).first(kTokens), .final = final}, *tape,
      {y.data(), {kTokens, run.outputs()}});
  StreamState<double> state = run.model().empty_state();
  const auto scratch = run.model().make_scratch();
  run.model().refresh(run.folded(), state, *scratch);
  run.model().advance(run.folded(),
                      {View<const double, 2>(in.x.data(), {read, run.inputs()}), std::span(marks).first(read)}, state,
                      *scratch, {y.data(), {read, run.outputs()}});
  for (const TensorSpec& tensor : run.model().carried().tensors()) {
    const TensorSpec& there = run.model().state().find(tensor.name);
    EXPECT_LE(test::circle_error(std::span<const double>(final).subspan(tensor.offset, tensor.size),
                                 std::span<const double>(state.values.span()).subspan(there.offset, there.size)),
              1e-10)
        << tensor.name;
  }
}

TEST_P(EveryModelPart, StreamsWhatItsForwardPassGives) {
  PartRun<double> run(GetParam(), 129);
  const PieceInputs<double> in = run.drawn(129);
  run.set_weights(in.weights);
  StreamState<double> state = run.model().empty_state();
  const auto forward = run.values(in.x, 0, 129, {}, {.final = false});
  EXPECT_LE(golden_error(continued(run, in.x, 0, state), forward.y), 1e-10);
}

TEST_P(EveryModelPart, AnswersAreTheRowsOfAWholeEpisodeAndGiveTheGradientOfZeroElsewhere) {
  constexpr std::size_t kTokens = 70;
  PartRun<float> run(GetParam(), kTokens);
  const SequenceModel<float>& model = run.model();
  const PieceInputs<float> in = run.drawn(kTokens);
  run.set_weights(in.weights);
  const std::vector<std::uint32_t> answers{0, 3, 4, 5, 17, 33, 68, 69};
  const std::size_t outputs = run.outputs();
  const std::vector<float> d_answers = test::normal_numbers<float>(answers.size() * outputs, 7);
  std::vector<float> d_all(kTokens * outputs), all(d_all.size()), some(d_answers.size());
  for (std::size_t i = 0; i < d_answers.size(); ++i) d_all[answers[i / outputs] * outputs + i % outputs] = d_answers[i];
  const auto tape = model.make_tape({.tokens = kTokens, .chunks = kTokens}, {.poison = true, .guard = 64});
  const auto gradients = [&](std::span<const std::uint32_t> wanted, std::vector<float>& y,
                             const std::vector<float>& d_y) {
    std::vector<float> d_x(in.x.size());
    run.shard().clear();
    const std::array<std::size_t, 2> shape{y.size() / outputs, outputs};
    model.forward(run.folded(), {.x = {in.x.data(), {kTokens, run.inputs()}}, .marks = run.marks(), .answers = wanted},
                  *tape, {y.data(), shape});
    model.backward(run.folded(), *tape, {d_y.data(), shape}, run.shard(),
                   {.x = {d_x.data(), {kTokens, run.inputs()}}, .state = {}});
    std::vector<float> both = run.gradient();
    both.insert(both.end(), d_x.begin(), d_x.end());
    return both;
  };
  const std::vector<float> expected = gradients({}, all, d_all), found = gradients(answers, some, d_answers);
  for (std::size_t i = 0; i < some.size(); ++i)
    ASSERT_EQ(some[i], all[answers[i / outputs] * outputs + i % outputs]) << i;
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(tape->guards_intact());
}

TEST_P(EveryModelPart, ShardsAddUpByTheirNumbers) {
  constexpr std::size_t kTokens = 40;
  PartRun<float> run(GetParam(), kTokens);
  const SequenceModel<float>& model = run.model();
  const PieceInputs<float> in = run.drawn(kTokens);
  run.set_weights(in.weights);
  const auto tape = model.make_tape({.tokens = kTokens, .chunks = kTokens}, {});
  const auto one = model.make_shard(), other = model.make_shard();
  std::vector<float> y(kTokens * run.outputs());
  std::uint64_t index = 8;
  for (GradientShard<float>* const shard : {one.get(), other.get()}) {
    const std::vector<float> x = test::normal_numbers<float>(in.x.size(), index++);
    const std::vector<float> d_y = test::normal_numbers<float>(y.size(), index++);
    model.forward(run.folded(), {.x = {x.data(), {kTokens, run.inputs()}}, .marks = run.marks()}, *tape,
                  {y.data(), {kTokens, run.outputs()}});
    model.backward(run.folded(), *tape, {d_y.data(), {kTokens, run.outputs()}}, *shard);
  }
  // Given a third shard that holds the sum of both, number by number,
  const auto both = model.make_shard();
  const std::span<float> sum = both->numbers(), share = one->numbers(), other_share = other->numbers();
  ASSERT_EQ(sum.size(), share.size());
  EXPECT_GE(sum.size(), in.weights.size());
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = share[i] + other_share[i];
  // its gradient is that of the two.
  std::vector<float> expected(in.weights.size()), found(in.weights.size());
  GradientShard<float>* const shards[] = {one.get(), other.get(), both.get()};
  model.unfold(run.folded(), std::span(shards).first(2), view_of(std::span(expected)));
  model.unfold(run.folded(), std::span(shards).last(1), view_of(std::span(found)));
  EXPECT_EQ(found, expected);
}

TEST_P(EveryModelPart, RefusesStatesAndGradientsThatAreNotItsOwn) {
  PartRun<float> run(GetParam(), 4);
  const SequenceModel<float>& model = run.model();
  const PieceInputs<float> in = run.drawn(4);
  run.set_weights(in.weights);
  const auto tape = model.make_tape({.tokens = 4, .chunks = 4}, {});
  std::vector<float> y(4 * run.outputs()), d_x(in.x.size()), state(model.carried().size() + 1);
  const Episode<float> good{.x = {in.x.data(), {4, run.inputs()}}, .marks = run.marks()};
  const auto forward = [&](auto change) {
    Episode<float> episode = good;
    change(episode);
    model.forward(run.folded(), episode, *tape, {y.data(), {episode.answered(), run.outputs()}});
  };
  const auto backward = [&](const EpisodeGradients<float>& also) {
    model.backward(run.folded(), *tape, {y.data(), {4, run.outputs()}}, run.shard(), also);
  };
  const std::vector<std::uint32_t> late{1, 4}, falling{2, 1}, twice{2, 2};
  EXPECT_THROW(forward([&](Episode<float>& e) { e.initial = state; }), ContractViolation);
  EXPECT_THROW(forward([&](Episode<float>& e) { e.final = state; }), ContractViolation);
  EXPECT_THROW(forward([&](Episode<float>& e) { e.marks = run.marks().first(3); }), ContractViolation);
  EXPECT_THROW(forward([&](Episode<float>& e) { e.answers = late; }), ContractViolation);
  EXPECT_THROW(forward([&](Episode<float>& e) { e.answers = falling; }), ContractViolation);
  EXPECT_THROW(forward([&](Episode<float>& e) { e.answers = twice; }), ContractViolation);
  const std::span<float> fitting = std::span(state).first(state.size() - 1);
  if (GetParam().commits) {
    EXPECT_THROW(forward([&](Episode<float>& e) {
                   e.mode = Mode::kAblated;
                   e.initial = fitting;
                 }),
                 ContractViolation);
  }
  forward([](Episode<float>&) {});
  state[2] = 1;
  EXPECT_THROW(backward({.x = {}, .state = fitting}), ContractViolation) << "forward gave no final state";
  EXPECT_THROW(backward({.x = {}, .state = state}), ContractViolation);
  EXPECT_THROW(backward({.x = {d_x.data(), {3, run.inputs()}}, .state = {}}), ContractViolation);
  state[2] = 0;
  EXPECT_NO_THROW(backward({.x = {d_x.data(), {4, run.inputs()}}, .state = fitting}));
}

}  // namespace
}  // namespace schemamem
