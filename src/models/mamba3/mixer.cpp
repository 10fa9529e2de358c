#include "models/mamba3/mixer.h"

#include <algorithm>
#include <string>

#include "models/mamba3/init.h"
#include "models/mamba3/kernels.h"
#include "models/mamba3/work.h"

namespace schemamem {

namespace isa_scalar {
template <class T>
mamba3::Kernels<T> mamba3_kernels();
}
namespace isa_baseline {
template <class T>
mamba3::Kernels<T> mamba3_kernels();
}
namespace isa_neon {
template <class T>
mamba3::Kernels<T> mamba3_kernels();
}
namespace isa_avx2 {
template <class T>
mamba3::Kernels<T> mamba3_kernels();
}
namespace isa_avx512 {
template <class T>
mamba3::Kernels<T> mamba3_kernels();
}

namespace {

using namespace mamba3;  // NOLINT(google-build-using-namespace): this file is that mixer's

template <class T>
mamba3::Kernels<T> kernels_for(Isa isa) {
#if defined(SCHEMAMEM_HAS_scalar)
  if (isa == Isa::kScalar) return isa_scalar::mamba3_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_baseline)
  if (isa == Isa::kBaseline) return isa_baseline::mamba3_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_neon)
  if (isa == Isa::kNeon) return isa_neon::mamba3_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_avx2)
  if (isa == Isa::kAvx2) return isa_avx2::mamba3_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_avx512)
  if (isa == Isa::kAvx512) return isa_avx512::mamba3_kernels<T>();
#endif
  throw ContractViolation("make_mamba3_mixer: this binary has no kernels for " + std::string(isa_name(isa)));
}

Layout official_parameters() {
  Layout layout;
  layout.add("dt_bias", {kHeads});
  layout.add("B_bias", {kHeads, 1, kState});
  layout.add("C_bias", {kHeads, 1, kState});
  layout.add("D", {kHeads});
  layout.add("in_proj.weight", {kRows, kWidth});
  layout.add("B_norm.weight", {kState});
  layout.add("C_norm.weight", {kState});
  layout.add("out_proj.weight", {kWidth, kInner});
  return layout;
}

Layout official_state() {
  Layout layout;
  const std::size_t angle = layout.add("angle", {kHeads, kAngles});
  const std::size_t ssm = layout.add("ssm", {kHeads, kValue, kState});
  const std::size_t k = layout.add("k", {kHeads, kState});
  const std::size_t v = layout.add("v", {kHeads, kValue});
  require(angle == kStateAngle && ssm == kStateSsm && k == kStateK && v == kStateV && layout.size() == kStateSize,
          "mamba3: the state's layout and the kernels' offsets disagree");
  return layout;
}

/// A tensor's place in the official layout, in the folded weights and in the gradient's own form.
struct Place {
  const char* name;
  std::size_t folded, gradient;
};
/// Those that are copied as they are.
constexpr Place kPlaces[] = {{"in_proj.weight", kFoldIn, kGradIn},
                             {"dt_bias", kFoldDtBias, kGradDtBias},
                             {"B_bias", kFoldBBias, kGradBBias},
                             {"C_bias", kFoldCBias, kGradCBias},
                             {"B_norm.weight", kFoldBNorm, kGradBNorm},
                             {"C_norm.weight", kFoldCNorm, kGradCNorm},
                             {"D", kFoldD, kGradD}};

/// [rows, columns] to [columns, rows].
template <class T>
void copy_transposed(const T* from, std::size_t rows, std::size_t columns, T* to) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

template <class T>
class Mamba3Mixer final : public Mixer<T> {
 public:
  explicit Mamba3Mixer(Isa isa) : kernels_(kernels_for<T>(isa)) {}

  std::string_view name() const override { return "mamba3"; }
  const Layout& parameters() const override { return parameters_; }
  const Layout& state() const override { return state_; }
  T norm_epsilon() const override { return T(kNormEpsilon); }
  std::size_t mlp_hidden() const override { return 0; }

  void initialise(std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                  View<T, 1> weights) const override {
    mamba3::initialise<T>(parameters_, scheme, seed, first_stream, weights);
  }

  std::size_t folded_size() const override { return kFoldSize; }
  std::size_t shard_size() const override { return kGradSize; }
  void fold(View<const T, 1> weights, View<T, 1> folded) const override {
    require(weights.size() == parameters_.size() && folded.size() == kFoldSize, "mamba3: fold: sizes differ");
    for (const Place& place : kPlaces) {
      const View<const T, 1> tensor = parameters_.in(weights, place.name);
      std::copy(tensor.begin(), tensor.end(), folded.data() + place.folded);
    }
    copy_transposed(folded.data() + kFoldIn, kRows, kWidth, folded.data() + kFoldInT);
    const View<const T, 1> out = parameters_.in(weights, "out_proj.weight");
    std::copy(out.begin(), out.end(), folded.data() + kFoldOut);
    copy_transposed(out.data(), kWidth, kInner, folded.data() + kFoldOutT);
  }
  void unfold(View<const T, 1> folded, View<const T, 1> shard, View<T, 1> d_weights) const override {
    require(folded.size() == kFoldSize && shard.size() == kGradSize && d_weights.size() == parameters_.size(),
            "mamba3: unfold: sizes differ");
    for (const Place& place : kPlaces) {
      const View<T, 1> tensor = parameters_.in(d_weights, place.name);
      std::copy_n(shard.data() + place.gradient, tensor.size(), tensor.data());
    }
    copy_transposed(shard.data() + kGradOutT, kInner, kWidth, parameters_.in(d_weights, "out_proj.weight").data());
  }

  std::vector<std::size_t> tape_blocks(std::size_t tokens) const override {
    const std::size_t chunks = chunks_of(tokens), rows = chunks * kChunk;
    std::vector<std::size_t> sizes(kTapeBlocks);
    sizes[kTapeInput] = rows * kWidth;
    sizes[kTapeProjected] = rows * kRows;
    sizes[kTapeSigmoid] = sizes[kTapeRead] = rows * kInner;
    sizes[kTapeKey] = sizes[kTapeQuery] = rows * kHeads * kState;
    sizes[kTapeTurn] = rows * kHeads * 2 * kAngles;
    sizes[kTapeRate] = rows * kAngles;
    sizes[kTapeScale] = rows * 2 * kGroups;
    sizes[kTapeGate] = (rows + kChunk) * kGates * kHeads;
    sizes[kTapeDecay] = sizes[kTapeScore] = rows * kHeads * kChunk;
    sizes[kTapeState] = (chunks + 1) * kHeads * kState * kValue;
    sizes[kTapeBefore] = chunks * kHeads * kBeforeSize;
    sizes[kTapeInitial] = kStateSize;
    return sizes;
  }
  std::vector<std::size_t> scratch_blocks(std::size_t) const override {
    return {kElements<T, ForwardWork>, kElements<T, BackwardWork>, kElements<T, Sums>, kElements<T, Extra>};
  }
  std::vector<std::size_t> stream_blocks() const override { return {kElements<T, StreamWork>}; }

  void forward(const MixerForward<T>& call) const override {
    check(call.u, call.y);
    kernels_.forward({.folded = call.folded.data(),
                      .u = call.u.data(),
                      .u_row = call.u.stride(0),
                      .y = call.y.data(),
                      .y_row = call.y.stride(0),
                      .tokens = call.u.extent(0),
                      .state = call.state,
                      .final_state = call.final_state,
                      .tape = call.memory.tape.data(),
                      .scratch = call.memory.scratch.data()});
  }
  T backward(const MixerBackward<T>& call) const override {
    check(call.u, call.d_y);
    check(call.u, call.d_u);
    return kernels_.backward({.folded = call.folded.data(),
                              .u = call.u.data(),
                              .u_row = call.u.stride(0),
                              .d_y = call.d_y.data(),
                              .d_y_row = call.d_y.stride(0),
                              .d_u = call.d_u.data(),
                              .d_u_row = call.d_u.stride(0),
                              .tokens = call.u.extent(0),
                              .shard = call.shard.data(),
                              .d_state = call.d_state,
                              .tape = call.memory.tape.data(),
                              .scratch = call.memory.scratch.data(),
                              .stillness = call.stillness,
                              .segments = call.segments.data(),
                              .segment_count = call.segments.size()});
  }
  void advance(View<const T, 1> folded, View<const T, 2> u, View<T, 1> state, std::span<T* const> blocks,
               View<T, 2> y) const override {
    check(u, y);
    kernels_.advance({.folded = folded.data(),
                      .u = u.data(),
                      .u_row = u.stride(0),
                      .y = y.data(),
                      .y_row = y.stride(0),
                      .tokens = u.extent(0),
                      .state = state.data(),
                      .work = blocks[0]});
  }

  /// Products as executed, chunks padded to their full length: per token in_proj and out_proj once forward and twice
  /// backward; per chunk and head, with C tokens, forward the scores [C, N, C], the reads [P, N, C] and [P, C, C] and
  /// the state [N, C, P], backward dO V^T [C, P, C], dq and dk [N, C + P, C] each, dv [P, N + C, C] and the state's
  /// gradient [N, C, P]. Scores that the causal mask makes zero are counted: they are computed.
  double training_flops(std::size_t tokens) const override {
    constexpr std::size_t kC = kChunk;
    constexpr std::size_t kProjections = 3 * kC * kWidth * (kRows + kInner);
    constexpr std::size_t kForward = kC * kC * kState + kValue * kC * (kState + kC) + kState * kC * kValue;
    constexpr std::size_t kBackward =
        kC * kC * kValue + 2 * kState * kC * (kC + kValue) + kValue * kC * (kState + kC) + kState * kC * kValue;
    return 2.0 * static_cast<double>(chunks_of(tokens) * (kProjections + kHeads * (kForward + kBackward)));
  }

 private:
  static void check(const View<const T, 2>& u, const View<const T, 2>& other) {
    require(u.extent(0) > 0 && u.extent(1) == kWidth && other.extents() == u.extents(),
            "mamba3: a piece is [T, 32] with at least one token, and so is what belongs to it");
  }

  mamba3::Kernels<T> kernels_;
  Layout parameters_ = official_parameters();
  Layout state_ = official_state();
};

}  // namespace

template <class T>
std::unique_ptr<Mixer<T>> make_mamba3_mixer(Isa isa) {
  return std::make_unique<Mamba3Mixer<T>>(isa);
}
template std::unique_ptr<Mixer<float>> make_mamba3_mixer<float>(Isa);
template std::unique_ptr<Mixer<double>> make_mamba3_mixer<double>(Isa);

}  // namespace schemamem
