#include "models/gated_delta_net/mixer.h"

#include <string>

#include "models/gated_delta_net/fold.h"
#include "models/gated_delta_net/init.h"
#include "models/gated_delta_net/steps.h"

namespace schemamem {

namespace isa_scalar {
template <class T>
gdn::Kernels<T> gdn_kernels();
}
namespace isa_baseline {
template <class T>
gdn::Kernels<T> gdn_kernels();
}
namespace isa_neon {
template <class T>
gdn::Kernels<T> gdn_kernels();
}
namespace isa_avx2 {
template <class T>
gdn::Kernels<T> gdn_kernels();
}
namespace isa_avx512 {
template <class T>
gdn::Kernels<T> gdn_kernels();
}

namespace {

using namespace gdn;  // NOLINT(google-build-using-namespace): this file is that mixer's

template <class T>
gdn::Kernels<T> kernels_for(Isa isa) {
#if defined(SCHEMAMEM_HAS_scalar)
  if (isa == Isa::kScalar) return isa_scalar::gdn_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_baseline)
  if (isa == Isa::kBaseline) return isa_baseline::gdn_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_neon)
  if (isa == Isa::kNeon) return isa_neon::gdn_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_avx2)
  if (isa == Isa::kAvx2) return isa_avx2::gdn_kernels<T>();
#endif
#if defined(SCHEMAMEM_HAS_avx512)
  if (isa == Isa::kAvx512) return isa_avx512::gdn_kernels<T>();
#endif
  throw ContractViolation("make_gdn_mixer: this binary has no kernels for " + std::string(isa_name(isa)));
}

Layout official_parameters() {
  Layout layout;
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight", "g_proj.weight"}) {
    layout.add(name, {kInner, kModelWidth});
  }
  for (const char* name : {"a_proj.weight", "b_proj.weight"}) layout.add(name, {kHeads, kModelWidth});
  for (const char* name : {"q_conv1d.weight", "k_conv1d.weight", "v_conv1d.weight"})
    layout.add(name, {kInner, 1, kTaps});
  for (const char* name : {"A_log", "dt_bias"}) layout.add(name, {kHeads});
  layout.add("o_norm.weight", {kHead});
  layout.add("o_proj.weight", {kModelWidth, kInner});
  require(layout.size() == Weights::size, "gdn: the layout and the kernels' offsets disagree");
  return layout;
}

Layout official_state() {
  Layout layout;
  layout.add("recurrent", {kHeads, kHead, kHead});
  for (const char* name : {"conv_q", "conv_k", "conv_v"}) layout.add(name, {kInner, kTaps});
  require(layout.size() == State::size, "gdn: the state's layout and the kernels' offsets disagree");
  return layout;
}

void check_rows(bool contiguous, std::size_t tokens, std::size_t width) {
  require(contiguous && width == kModelWidth, "gdn: rows of 32 elements follow each other without gaps");
  require(tokens > 0, "gdn: a piece has at least one token");
}

template <class T>
class GdnMixer final : public Mixer<T> {
 public:
  explicit GdnMixer(Isa isa) : kernels_(kernels_for<T>(isa)) {}

  std::string_view name() const override { return "gdn"; }
  const Layout& parameters() const override { return parameters_; }
  const Layout& state() const override { return state_; }
  T norm_epsilon() const override { return T(kNormEpsilon); }
  std::size_t mlp_hidden() const override { return kMlpHidden; }

  void initialise(std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                  View<T, 1> weights) const override {
    gdn::initialise<T>(parameters_, scheme, seed, first_stream, weights);
  }

  std::size_t folded_size() const override { return Folded::size; }
  std::size_t shard_size() const override { return Shard::size; }
  void fold(View<const T, 1> weights, View<T, 1> folded) const override {
    require(weights.size() == Weights::size && folded.size() == Folded::size, "gdn: fold: sizes differ");
    gdn::fold(weights.data(), folded.data());
  }
  void unfold(View<const T, 1> folded, View<const T, 1> shard, View<T, 1> d_weights) const override {
    require(folded.size() == Folded::size && shard.size() == Shard::size && d_weights.size() == Weights::size,
            "gdn: unfold: sizes differ");
    gdn::unfold(shard.data(), d_weights.data());
  }

  std::vector<std::size_t> tape_blocks(std::size_t tokens) const override {
    const std::size_t chunks = whole_chunks(tokens);
    const std::size_t rows = chunks * kChunk;
    std::vector<std::size_t> sizes(kTapeBlocks);
    sizes[kRaw] = (kTaps + rows) * kColumns;
    sizes[kSigmoid] = rows * (kMixed + kInner);
    sizes[kUnit] = rows * kMixed;
    sizes[kScalars] = rows * kScalarRows;
    sizes[kPairs] = chunks * kHeads * kPairMatrices * kChunk * kChunk;
    sizes[kError] = sizes[kWrite] = sizes[kRead] = rows * kInner;
    sizes[kStates] = chunks * kHeads * kStateSize;
    return sizes;
  }
  std::vector<std::size_t> scratch_blocks(std::size_t) const override {
    std::vector<std::size_t> sizes(kScratchBlocks);
    sizes[kGated] = sizes[kDRead] = kBlock * kInner;
    sizes[kCarried] = sizes[kCarriedT] = kHeads * kStateSize;
    sizes[kWork] = kWorkSize;
    sizes[kDMixed] = (kBlock + 3) * kMixed;
    sizes[kDRaw] = kBlock * kColumns;
    sizes[kStill] = kHeads * StillPart::size;
    return sizes;
  }
  std::vector<std::size_t> stream_blocks() const override { return {kStreamWork}; }

  void forward(const MixerForward<T>& call) const override {
    check_rows(call.u.contiguous() && call.y.contiguous(), call.u.extent(0), call.u.extent(1));
    kernels_.forward(call);
  }
  T backward(const MixerBackward<T>& call) const override {
    check_rows(call.u.contiguous() && call.d_y.contiguous() && call.d_u.contiguous(), call.u.extent(0),
               call.u.extent(1));
    return kernels_.backward(call);
  }
  void advance(View<const T, 1> folded, View<const T, 2> u, View<T, 1> state, std::span<T* const> blocks,
               View<T, 2> y) const override {
    check_rows(u.contiguous() && y.contiguous(), u.extent(0), u.extent(1));
    kernels_.advance(folded.data(), u.data(), u.extent(0), state.data(), blocks[0], y.data());
  }

  /// Products as executed, without the padding of the gates' columns: per token, the two projections once forward and
  /// twice backward, and per head and chunk the products of gated_delta.h over their whole blocks (halves that a mask
  /// makes zero are counted where they are computed). A sequence starts from an empty state and nothing follows it, so
  /// the first chunk reads no state and the last one writes none.
  double training_flops(std::size_t tokens) const override {
    constexpr double kC = kChunk, kD = kHead;
    const double projections = 3.0 * 2.0 * kModelWidth * (kMixed + kInner + 2 * kHeads + kInner);
    const double chunks = static_cast<double>(whole_chunks(tokens));
    const double with_state = 2.0 * kC * kD * kD;  // a [C, K] [K, V] product
    const double pairs = 2.0 * kC * kC * kD;       // a [C, K] [K, C] product
    const double inside = (2.0 + 0.5 + 0.75) + (0.75 + 0.5 + 2.0 + 0.75 + 0.75 + 1.0);
    return static_cast<double>(tokens) * projections +
           kHeads * (chunks * inside * pairs + (chunks - 1.0) * 9.0 * with_state);
  }

 private:
  Kernels<T> kernels_;
  Layout parameters_ = official_parameters();
  Layout state_ = official_state();
};

}  // namespace

template <class T>
std::unique_ptr<Mixer<T>> make_gdn_mixer(Isa isa) {
  return std::make_unique<GdnMixer<T>>(isa);
}
template std::unique_ptr<Mixer<float>> make_gdn_mixer<float>(Isa);
template std::unique_ptr<Mixer<double>> make_gdn_mixer<double>(Isa);

}  // namespace schemamem
