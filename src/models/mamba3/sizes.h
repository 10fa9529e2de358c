#pragma once

#include <cstddef>
#include <type_traits>

namespace schemamem::mamba3 {

inline constexpr double kDecayFloor = 1e-4, kNormEpsilon = 1e-5;

/// Tokens that are mixed at once. The products inside a chunk grow with its length, those with the state do not; 16
/// tokens are one vector of AVX-512 and have the fewest flops.
inline constexpr std::size_t kChunk = 16;
constexpr std::size_t chunks_of(std::size_t tokens) { return (tokens + kChunk - 1) / kChunk; }

/// The model, value and state widths are multiples of this, whole vectors on every instruction set; numbers per head or
/// per angle are not, and are padded to it where vectors read them.
inline constexpr std::size_t kPad = 16;
[[gnu::always_inline]] constexpr std::size_t padded(std::size_t n) { return (n + kPad - 1) / kPad * kPad; }

/// Rows of in_proj: z | x | B | C | dt | A | trap | angle.
struct RowPlaces {
  std::size_t z, x, b, c, dt, a, trap, angle;
};
/// The state of a stream: angle [H, R] | ssm [H, P, N] | k [H, N] | v [H, P].
struct StatePlaces {
  std::size_t angle, ssm, k, v, size;
};
/// Weights as the kernels read them; a scalar per head is padded to a vector.
struct FoldedPlaces {
  std::size_t in, in_t;        // in_proj [rows, D] and its transpose, whose rows are padded
  std::size_t out, out_t;      // out_proj [D, H P] and its transpose
  std::size_t b_bias, c_bias;  // [H, N]
  std::size_t b_norm, c_norm;  // [N]
  std::size_t dt_bias, d;      // [H]
  std::size_t size;
};
/// The gradient's own form differs from the official one only in out_proj, which is transposed.
struct GradientPlaces {
  std::size_t in, out_t, b_bias, c_bias, b_norm, c_norm, dt_bias, d, size;
};

/// Sizes known when the program runs, and what follows from them: D width · H heads · G groups of heads that share B
/// and C · P value width · N state width · R = N / 4 rotary angles.
struct AnySizes {
  static constexpr std::size_t kMostValue = 256, kMostHeadsOfGroup = 64;

  std::size_t width, heads, groups, value, state;
  std::size_t heads_of_group, angles, inner;
  std::size_t rows, padded_rows;      // of in_proj
  std::size_t gate_rows, other_rows;  // those that the gates come from, dt to angle, are projected first
  std::size_t before;                 // k and v of one token and head
  RowPlaces row;
  StatePlaces stream;
  FoldedPlaces folded;
  GradientPlaces gradient;

  constexpr AnySizes(std::size_t D, std::size_t H, std::size_t G, std::size_t P, std::size_t N)
      : width(D), heads(H), groups(G), value(P), state(N), heads_of_group(H / G), angles(N / 4), inner(H * P) {
    row.z = 0;
    row.x = row.z + inner;
    row.b = row.x + inner;
    row.c = row.b + groups * state;
    row.dt = row.c + groups * state;
    row.a = row.dt + heads;
    row.trap = row.a + heads;
    row.angle = row.trap + heads;
    rows = row.angle + angles;
    padded_rows = padded(rows);
    other_rows = row.dt;
    gate_rows = rows - other_rows;
    before = state + value;

    stream.angle = 0;
    stream.ssm = stream.angle + heads * angles;
    stream.k = stream.ssm + heads * value * state;
    stream.v = stream.k + heads * state;
    stream.size = stream.v + heads * value;

    folded.in = 0;
    folded.in_t = folded.in + rows * width;
    folded.out = folded.in_t + width * padded_rows;
    folded.out_t = folded.out + width * inner;
    folded.b_bias = folded.out_t + width * inner;
    folded.c_bias = folded.b_bias + heads * state;
    folded.b_norm = folded.c_bias + heads * state;
    folded.c_norm = folded.b_norm + state;
    folded.dt_bias = folded.c_norm + state;
    folded.d = folded.dt_bias + padded(heads);
    folded.size = folded.d + padded(heads);

    gradient.in = 0;
    gradient.out_t = gradient.in + rows * width;
    gradient.b_bias = gradient.out_t + width * inner;
    gradient.c_bias = gradient.b_bias + heads * state;
    gradient.b_norm = gradient.c_bias + heads * state;
    gradient.c_norm = gradient.b_norm + state;
    gradient.dt_bias = gradient.c_norm + state;
    gradient.d = gradient.dt_bias + heads;
    gradient.size = gradient.d + heads;
  }
};

/// The published sizes, known to the compiler.
struct PublishedSizes {
  static constexpr AnySizes kNumbers{32, 4, 2, 16, 80};
  static constexpr std::size_t kMostValue = kNumbers.value, kMostHeadsOfGroup = kNumbers.heads_of_group;

  template <std::size_t N>
  using Constant = std::integral_constant<std::size_t, N>;  // Fixed of kernels/product.h

  static constexpr Constant<kNumbers.width> width{};
  static constexpr Constant<kNumbers.heads> heads{};
  static constexpr Constant<kNumbers.groups> groups{};
  static constexpr Constant<kNumbers.value> value{};
  static constexpr Constant<kNumbers.state> state{};
  static constexpr Constant<kNumbers.heads_of_group> heads_of_group{};
  static constexpr Constant<kNumbers.angles> angles{};
  static constexpr Constant<kNumbers.inner> inner{};
  static constexpr Constant<kNumbers.rows> rows{};
  static constexpr Constant<kNumbers.padded_rows> padded_rows{};
  static constexpr Constant<kNumbers.gate_rows> gate_rows{};
  static constexpr Constant<kNumbers.other_rows> other_rows{};
  static constexpr Constant<kNumbers.before> before{};
  static constexpr RowPlaces row = kNumbers.row;
  static constexpr StatePlaces stream = kNumbers.stream;
  static constexpr FoldedPlaces folded = kNumbers.folded;
  static constexpr GradientPlaces gradient = kNumbers.gradient;

  [[gnu::always_inline]] constexpr explicit PublishedSizes(const AnySizes& /*chosen*/) {}
};

/// Activations lie feature by feature, a chunk's tokens side by side: a row is [kChunk]. Norms, rotations and gates
/// then need no shuffles, and every product finds its right factor in place.
enum TapeBlock : std::size_t {
  kTapeInput,      // chunks x [D] rows: u transposed
  kTapeProjected,  // chunks x [rows of in_proj] rows
  kTapeSigmoid,    // chunks x [H, P] rows: sigmoid(z)
  kTapeKey,        // chunks x [H, N] rows: k rotated
  kTapeQuery,      // chunks x [H, N] rows: q rotated
  kTapeTurn,       // chunks x [H, R, 2] rows: cosine and sine
  kTapeRate,       // chunks x [R] rows: tanh of the angle's rate
  kTapeScale,      // chunks x [2, G] rows: 1 / rms of B and C
  kTapeGate,       // [gates, H] rows over all tokens and one chunk more, so that a gate can be read one token ahead
  kTapeDecay,      // chunks x [H, kChunk] rows: exp(c_i - c_j) at row j, token i > j; zero elsewhere
  kTapeScore,      // chunks x [H, kChunk] rows: the same times q_i . k_j
  kTapeRead,       // chunks x [H, P] rows: P_t q_t, the output without the token's own term
  kTapeState,      // (chunks + 1) x [H, N, P]: the shifted state between chunks
  kTapeBefore,     // chunks x [H, N + P]: k rotated and v of the token before the chunk
  kTapeInitial,    // the state before the first token
  kTapeBlocks
};

/// Per head and token (the recurrence: forward.h).
enum Gate : std::size_t {
  kGateDt,          // Dt
  kGateDtSlope,     // dDt / d(dt~)
  kGateDecay,       // A
  kGateDecaySlope,  // dA / d(A~)
  kGateLambda,
  kGateGamma,     // lambda Dt
  kGateBehind,    // (1 - lambda) Dt: sigma of the token before
  kGateStrength,  // s = gamma + sigma
  kGateLog,       // c: sum of A Dt from the chunk's first token on
  kGateIn,        // e^c
  kGateOut,       // e^(c_last - c)
  kGateOwn,       // q . k
  kGates
};

enum ScratchBlock : std::size_t { kScratchForward, kScratchBackward, kScratchSums, kScratchExtra, kScratchBlocks };

}  // namespace schemamem::mamba3
