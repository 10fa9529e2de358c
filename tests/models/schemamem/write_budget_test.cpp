#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "base/rng.h"
#include "kernels/reference/schemamem.h"
#include "models/schemamem/config.h"
#include "support/every_model.h"
#include "support/schemamem.h"

// Why the printed layer cannot be written for ever: docs/theory.md.

namespace schemamem {
namespace {

using reference::Matrix;
using reference::SchemaMemChunk;
using reference::SchemaMemCommit;
using reference::SchemaMemForm;
using reference::SchemaMemWriter;

constexpr std::size_t kChunks = 200;
constexpr std::size_t kRows = 3;  // of a chunk
const SchemaMemConfig kConfig{
    .inputs = 5, .outputs = 2, .layers = 3, .width = 6, .slots = 5, .heads = 3, .head_dim = 2, .hidden = 3};

struct Memory {
  explicit Memory(SchemaMemForm kind) : form(kind) {
    Rng rng = test::test_rng(11);
    const Layout layout = schemamem_parameters(kConfig);
    std::vector<double> flat(layout.size());
    for (double& number : flat) number = 0.5 * rng.normal();
    weights = test::reference_schemamem(layout, flat);
    for (std::size_t c = 0; c < kChunks; ++c) {
      Matrix chunk(kRows, reference::Vector(kConfig.width));
      for (auto& row : chunk)
        for (double& number : row) number = rng.normal();
      inputs.push_back(chunk);
    }
    for (const auto& layer : weights.layers) phases.push_back(reference::zeros_like(layer.schema));
  }

  /// S <- S + direction * dS of a chunk, layer after layer. Forwards, a layer is read before it is written; backwards
  /// it was read with the S that the subtraction brings back.
  void commit(const Matrix& chunk, double direction) {
    Matrix h = chunk;
    for (std::size_t l = 0; l < phases.size(); ++l) {
      const Matrix before = phases[l];
      const Matrix increment = SchemaMemChunk(weights.layers[l], h, before, form).increment();
      phases[l] = reference::each(
          [&](double s, double ds) {
            const double sum = s + direction * ds;
            return sum - 2 * std::numbers::pi * std::floor(sum / (2 * std::numbers::pi));
          },
          before, increment);
      h = SchemaMemChunk(weights.layers[l], h, direction > 0 ? before : phases[l], form).outputs();
    }
  }

  /// The largest phase, the shorter way round the circle.
  double furthest() const {
    double largest = 0;
    for (const Matrix& layer : phases)
      for (const auto& row : layer)
        for (const double s : row) largest = std::max(largest, std::abs(std::remainder(s, 2 * std::numbers::pi)));
    return largest;
  }

  SchemaMemForm form;
  reference::SchemaMemWeights weights;
  std::vector<Matrix> inputs, phases;
};

double left_after_going_back(const SchemaMemForm& form) {
  Memory memory(form);
  for (const Matrix& chunk : memory.inputs) memory.commit(chunk, 1);
  EXPECT_GT(memory.furthest(), 1.0) << "much was written";
  for (auto chunk = memory.inputs.rbegin(); chunk != memory.inputs.rend(); ++chunk) memory.commit(*chunk, -1);
  return memory.furthest();
}

TEST(ThePrintedWriter, ForgetsNothingAtAll_ItsCommitsRunBackwardsToTheEmptyMemory) {
  EXPECT_LT(left_after_going_back({}), 1e-9);
}

TEST(ALiveWriter, CannotBeRunBackwardsLikeThat) {
  EXPECT_GT(left_after_going_back({.writer = SchemaMemWriter::kLive}), 0.1);
}

/// The largest difference between two memories, the shorter way round the circle.
double apart(const Memory& a, const Memory& b) {
  double largest = 0;
  for (std::size_t l = 0; l < a.phases.size(); ++l)
    for (std::size_t m = 0; m < a.phases[l].size(); ++m)
      for (std::size_t j = 0; j < a.phases[l][m].size(); ++j)
        largest =
            std::max(largest, std::abs(std::remainder(a.phases[l][m][j] - b.phases[l][m][j], 2 * std::numbers::pi)));
  return largest;
}
/// How far apart two different pasts are after they were written the same.
double apart_in_the_end(const SchemaMemForm& form) {
  Memory one(form), other(form);
  Rng rng = test::test_rng(12);
  for (Matrix& layer : other.phases)
    for (auto& row : layer)
      for (double& phase : row) phase = 2 * std::numbers::pi * rng.uniform();
  EXPECT_GT(apart(one, other), 1.0);
  for (const Matrix& chunk : one.inputs) {
    one.commit(chunk, 1);
    other.commit(chunk, 1);
  }
  return apart(one, other);
}

TEST(ACommitThatPulls, MakesOneOfAllPastsThatWereWrittenTheSame) {
  EXPECT_LT(apart_in_the_end({.commit = SchemaMemCommit::kPull}), 1e-9);
}

TEST(ThePrintedCommit, KeepsDifferentPastsApartForEver) { EXPECT_GT(apart_in_the_end({}), 0.1); }

}  // namespace
}  // namespace schemamem
