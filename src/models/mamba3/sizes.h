#pragma once

#include <cstddef>

#include "models/baseline/mixer.h"

namespace schemamem::mamba3 {

/// H heads · G groups of heads that share B and C · P value width · N state width · R rotary angles.
inline constexpr std::size_t kWidth = kModelWidth;
inline constexpr std::size_t kHeads = 4, kGroups = 2, kHeadsOfGroup = kHeads / kGroups;
inline constexpr std::size_t kValue = 16, kState = 80, kAngles = 20;
inline constexpr std::size_t kInner = kHeads * kValue;

inline constexpr double kDecayFloor = 1e-4, kNormEpsilon = 1e-5;

/// Rows of in_proj: z | x | B | C | dt | A | trap | angle.
inline constexpr std::size_t kRowZ = 0, kRowX = kRowZ + kInner, kRowB = kRowX + kInner,
                             kRowC = kRowB + kGroups * kState, kRowDt = kRowC + kGroups * kState,
                             kRowA = kRowDt + kHeads, kRowTrap = kRowA + kHeads, kRowAngle = kRowTrap + kHeads,
                             kRows = kRowAngle + kAngles;
/// The rows that the gates come from, dt to angle, are projected ahead of the others.
inline constexpr std::size_t kGateRows = kRows - kRowDt;

/// The state of a stream: angle [H, R] | ssm [H, P, N] | k [H, N] | v [H, P].
inline constexpr std::size_t kStateAngle = 0, kStateSsm = kStateAngle + kHeads * kAngles,
                             kStateK = kStateSsm + kHeads * kValue * kState, kStateV = kStateK + kHeads * kState,
                             kStateSize = kStateV + kHeads * kValue;

/// Weights as the kernels read them; a scalar per head is padded to a vector.
inline constexpr std::size_t kPadded = 16;
inline constexpr std::size_t kFoldIn = 0,                                                  // in_proj [480, 32]
    kFoldInT = kFoldIn + kRows * kWidth,                                                   // its transpose
    kFoldOut = kFoldInT + kRows * kWidth,                                                  // out_proj [32, 64]
    kFoldOutT = kFoldOut + kWidth * kInner,                                                // its transpose
    kFoldBBias = kFoldOutT + kWidth * kInner,                                              // [H, N]
    kFoldCBias = kFoldBBias + kHeads * kState, kFoldBNorm = kFoldCBias + kHeads * kState,  // [N]
    kFoldCNorm = kFoldBNorm + kState, kFoldDtBias = kFoldCNorm + kState, kFoldD = kFoldDtBias + kPadded,
                             kFoldSize = kFoldD + kPadded;

/// The gradient's own form differs from the official one only in out_proj, which is transposed.
inline constexpr std::size_t kGradIn = 0, kGradOutT = kGradIn + kRows * kWidth,
                             kGradBBias = kGradOutT + kWidth * kInner, kGradCBias = kGradBBias + kHeads * kState,
                             kGradBNorm = kGradCBias + kHeads * kState, kGradCNorm = kGradBNorm + kState,
                             kGradDtBias = kGradCNorm + kState, kGradD = kGradDtBias + kHeads,
                             kGradSize = kGradD + kHeads;

/// Tokens that are mixed at once. The products inside a chunk grow with its length, those with the state do not; 16
/// tokens are one vector of AVX-512 and have the fewest flops.
inline constexpr std::size_t kChunk = 16;
constexpr std::size_t chunks_of(std::size_t tokens) { return (tokens + kChunk - 1) / kChunk; }

/// k and v of one token and head.
inline constexpr std::size_t kBeforeSize = kState + kValue;

/// Activations lie feature by feature, a chunk's tokens side by side: a row is [kChunk]. Norms, rotations and gates
/// then need no shuffles, and every product finds its right factor in place.
enum TapeBlock : std::size_t {
  kTapeInput,      // chunks x [32] rows: u transposed
  kTapeProjected,  // chunks x [480] rows
  kTapeSigmoid,    // chunks x [64] rows: sigmoid(z)
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

/// Per head and token (the recurrence: forward.isa.cpp).
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
