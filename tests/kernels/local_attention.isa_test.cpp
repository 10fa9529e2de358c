#include "kernels/local_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/kernel_case.h"
#include "kernels/reference/operations.h"

namespace schemamem::SCHEMAMEM_ISA {
namespace {

using reference::Matrix;
using reference::operator*;
using reference::operator+=;
using reference::transposed;
using test::distance;
using test::Guarded;
using test::random_values;
using test::to_matrix;

template <class T>
constexpr double kEpsilon = std::numeric_limits<T>::epsilon();

using AnySizes = LocalSizes<std::size_t, std::size_t>;
using PaperSizes = LocalSizes<Fixed<4>, Fixed<8>>;

template <class T, class Sizes>
[[gnu::noinline]] void run_forward(const Sizes& sizes, std::size_t rows, const LocalForward<T>& a) {
  local_attention_forward<T>(sizes, rows, a);
}
template <class T, class Sizes>
[[gnu::noinline]] void run_backward(const Sizes& sizes, std::size_t rows, const LocalBackward<T>& a) {
  local_attention_backward<T>(sizes, rows, a);
}

/// One chunk. Rows of queries are feature-major: entry e * heads + h; scores are base-2 logarithms.
template <class T>
struct LocalCase {
  LocalCase(std::size_t heads_, std::size_t dim_, std::size_t rows_, double scale_)
      : scale(scale_),
        heads(heads_),
        dim(dim_),
        rows(rows_),
        width(heads * dim),
        query(random_values<T>(rows * query_row(), 1, scale)),
        keys_values(random_values<T>(rows * key_row(), 2)),
        d_out(random_values<T>(rows * query_row(), 3)),
        out(rows * query_row(), T(0)),
        key_norms(rows),
        packed_query(local_packed_size<T>(heads, dim, rows)),
        probabilities(local_probability_size<T>(heads, rows)),
        powers(rows * kLanes<T>),
        packed_inverse(local_packed_size<T>(heads, 1, rows)),
        d_qkv(rows * d_row()),
        packed_d_out(packed_query.size()),
        d_scores(probabilities.size()) {}
  std::size_t query_row() const { return width + 3; }
  std::size_t key_row() const { return 2 * dim + 1; }
  std::size_t d_row() const { return width + 2 * dim; }

  template <class Sizes>
  void forward(const Sizes& sizes, std::size_t first, std::size_t count, bool keep_all) {
    run_forward<T>(sizes, count,
                   {.query = query.data() + first * query_row(),
                    .query_row = query_row(),
                    .keys = keys_values.data(),
                    .values = keys_values.data() + dim,
                    .key_row = key_row(),
                    .offset = first,
                    .out = out.data() + first * query_row(),
                    .out_row = query_row(),
                    .key_norms = key_norms.data(),
                    .probabilities = keep_all ? probabilities.data() : powers.data(),
                    .packed_query = keep_all ? packed_query.data() : nullptr,
                    .packed_inverse = keep_all ? packed_inverse.data() : nullptr});
  }
  void forward(std::size_t first, std::size_t count, bool keep_all) {
    forward(AnySizes{heads, dim}, first, count, keep_all);
  }
  template <class Sizes>
  void backward(const Sizes& sizes) {
    run_backward<T>(sizes, rows,
                    {.keys = keys_values.data(),
                     .values = keys_values.data() + dim,
                     .key_row = key_row(),
                     .out = out.data(),
                     .d_out = d_out.data(),
                     .out_row = query_row(),
                     .d_out_row = query_row(),
                     .packed_query = packed_query.data(),
                     .probabilities = probabilities.data(),
                     .packed_inverse = packed_inverse.data(),
                     .d_query = d_qkv.data(),
                     .d_keys = d_qkv.data() + width,
                     .d_values = d_qkv.data() + width + dim,
                     .d_row = d_row(),
                     .packed_d_out = packed_d_out.data(),
                     .d_scores = d_scores.data()});
  }
  bool intact() const {
    return out.intact() && key_norms.intact() && packed_query.intact() && probabilities.intact() && powers.intact() &&
           packed_inverse.intact() && d_qkv.intact() && packed_d_out.intact() && d_scores.intact();
  }

  double scale;  // of the queries; all else has size one
  std::size_t heads, dim, rows, width;
  std::vector<T> query, keys_values, d_out;
  Guarded<T> out, key_norms, packed_query, probabilities, powers, packed_inverse, d_qkv, packed_d_out, d_scores;
};

/// The features of one head of feature-major rows, [rows, dim]; and back.
Matrix head_of(const Matrix& rows, std::size_t head, std::size_t heads, std::size_t dim) {
  Matrix part = reference::zeros(rows.size(), dim);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t e = 0; e < dim; ++e) part[t][e] = rows[t][e * heads + head];
  }
  return part;
}
void set_head(Matrix& rows, std::size_t head, std::size_t heads, const Matrix& part) {
  for (std::size_t t = 0; t < rows.size(); ++t) {
    for (std::size_t e = 0; e < part[t].size(); ++e) rows[t][e * heads + head] = part[t][e];
  }
}

struct Exact {
  Matrix out, d_query, d_keys, d_values;
  double largest_score = 1;
};
template <class T>
Exact exact(const LocalCase<T>& c) {
  const Matrix queries = to_matrix(c.query, c.rows, c.width, c.query_row());
  const Matrix d_out = to_matrix(c.d_out, c.rows, c.width, c.query_row());
  const Matrix both = to_matrix(c.keys_values, c.rows, 2 * c.dim, c.key_row());
  const Matrix keys = reference::columns(both, 0, c.dim), values = reference::columns(both, c.dim, c.dim);
  Exact e{.out = reference::zeros_like(queries),
          .d_query = reference::zeros_like(queries),
          .d_keys = reference::zeros_like(keys),
          .d_values = reference::zeros_like(values)};
  for (std::size_t h = 0; h < c.heads; ++h) {
    const Matrix q = head_of(queries, h, c.heads, c.dim), d = head_of(d_out, h, c.heads, c.dim);
    const Matrix scores = q * transposed(keys) * std::numbers::ln2;
    for (const auto& row : scores) {
      for (const double score : row) e.largest_score = std::max(e.largest_score, std::abs(score));
    }
    const Matrix p = reference::softmax(scores, [](std::size_t t) { return t + 1; });
    const Matrix d_score = reference::softmax_backward(p, d * transposed(values));
    set_head(e.out, h, c.heads, p * values);
    set_head(e.d_query, h, c.heads, d_score * keys);  // of the natural scores: the caller's factors are left out
    e.d_keys += transposed(d_score) * q;
    e.d_values += transposed(p) * d;
  }
  return e;
}

template <class T>
void expect_exact(LocalCase<T>& c) {
  const Exact e = exact(c);
  // A score of size s is off by about s eps, which is the relative error of its power; sums run over keys and rows.
  const double bound = (30 + static_cast<double>(c.rows) + 8 * e.largest_score) * kEpsilon<T>;
  // d_score is a difference: its error is that of its terms, also where little is left of them.
  const double terms = static_cast<double>(c.dim);
  const Matrix d_qkv = to_matrix(c.d_qkv, c.rows, c.d_row(), c.d_row());
  ASSERT_LE(distance(to_matrix(c.out, c.rows, c.width, c.query_row()), e.out), bound);
  ASSERT_LE(distance(reference::columns(d_qkv, 0, c.width), e.d_query, terms), 2 * bound);
  ASSERT_LE(distance(reference::columns(d_qkv, c.width, c.dim), e.d_keys, terms * c.scale), 2 * bound);
  ASSERT_LE(distance(reference::columns(d_qkv, c.width + c.dim, c.dim), e.d_values), 2 * bound);
  ASSERT_TRUE(c.intact());
}

template <class T>
class LocalAttention : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(LocalAttention, Scalars);

TYPED_TEST(LocalAttention, ForwardAndBackwardAreTheEquationsForEveryShape) {
  using T = TypeParam;
  for (const std::size_t heads : {1, 2, 3, 4, 5, 8, 20}) {
    for (const std::size_t dim : {2, 4, 6, 8, 10}) {
      for (const std::size_t rows : {1, 2, 7, 95, 96, 97}) {
        if (rows > 7 && heads * dim > 60) continue;  // nothing that a smaller product does not show
        SCOPED_TRACE(testing::Message() << heads << " heads of " << dim << ", " << rows << " tokens");
        LocalCase<T> c(heads, dim, rows, 1.0);
        c.forward(0, rows, true);
        c.backward(AnySizes{heads, dim});
        ASSERT_NO_FATAL_FAILURE(expect_exact(c));
      }
    }
  }
}

TYPED_TEST(LocalAttention, HugeScoresAreShiftedByTheirMaximum) {
  using T = TypeParam;
  for (const std::size_t heads : {1, 3, 4, 20}) {
    for (const double scale : {20.0, 1000.0}) {
      SCOPED_TRACE(testing::Message() << heads << " heads, scale " << scale);
      LocalCase<T> c(heads, 4, 40, scale);
      c.forward(0, 40, true);
      c.backward(AnySizes{heads, 4});
      ASSERT_NO_FATAL_FAILURE(expect_exact(c));
    }
  }
}

TYPED_TEST(LocalAttention, SizesKnownToTheCompilerGiveTheSameBits) {
  using T = TypeParam;
  LocalCase<T> any(4, 8, 97, 1.0), fixed(4, 8, 97, 1.0);
  any.forward(0, 97, true);
  any.backward(AnySizes{4, 8});
  fixed.forward(PaperSizes{}, 0, 97, true);
  fixed.backward(PaperSizes{});
  EXPECT_EQ(fixed.out.values(), any.out.values());
  EXPECT_EQ(fixed.d_qkv.values(), any.d_qkv.values());
}

TYPED_TEST(LocalAttention, AChunkInPiecesHasTheBitsOfTheWhole) {
  using T = TypeParam;
  for (const std::size_t heads : {1, 3, 4, 5, 20}) {
    for (const double scale : {1.0, 25.0}) {  // the latter has rows with and without a shift
      LocalCase<T> whole(heads, 6, 97, scale);
      whole.forward(0, 97, true);
      for (const std::vector<std::size_t>& pieces : {std::vector<std::size_t>{1}, {5, 1, 40, 3}, {16, 2}}) {
        LocalCase<T> cut(heads, 6, 97, scale);
        for (std::size_t first = 0, i = 0; first < 97; ++i) {
          const std::size_t count = std::min<std::size_t>(pieces[i % pieces.size()], 97 - first);
          cut.forward(first, count, false);
          first += count;
        }
        ASSERT_EQ(cut.out.values(), whole.out.values()) << heads << " heads, pieces from " << pieces[0];
        ASSERT_TRUE(cut.intact());
      }
    }
  }
}

TYPED_TEST(LocalAttention, ARotationTurnsPairsAndItsInverseTurnsThemBack) {
  using T = TypeParam;
  for (std::size_t pairs = 1; pairs <= 37; ++pairs) {
    const std::vector<T> start = random_values<T>(2 * pairs, 4), angles = random_values<T>(pairs, 5);
    std::vector<T> cosines(pairs), sines(pairs);
    for (std::size_t i = 0; i < pairs; ++i) cosines[i] = std::cos(angles[i]), sines[i] = std::sin(angles[i]);
    Guarded<T> row(start);
    rotate_row<T>(row.data(), cosines.data(), sines.data(), pairs, T(1), T(0.5));
    for (std::size_t i = 0; i < pairs; ++i) {
      const double low = static_cast<double>(start[i]), high = static_cast<double>(start[pairs + i]);
      const double c = std::cos(static_cast<double>(angles[i])), s = std::sin(static_cast<double>(angles[i]));
      ASSERT_NEAR(row[i], 0.5 * (low * c - high * s), 8 * kEpsilon<T>);
      ASSERT_NEAR(row[pairs + i], 0.5 * (high * c + low * s), 8 * kEpsilon<T>);
    }
    rotate_row<T>(row.data(), cosines.data(), sines.data(), pairs, T(-1), T(2));
    for (std::size_t i = 0; i < 2 * pairs; ++i) ASSERT_NEAR(row[i], start[i], 16 * kEpsilon<T>);
    ASSERT_TRUE(row.intact());
  }
}

}  // namespace
}  // namespace schemamem::SCHEMAMEM_ISA
