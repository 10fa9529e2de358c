#include "models/gated_delta_net/mixer.h"

#include <cmath>

#include "kernels/dispatch.h"
#include "models/baseline/gate_reader.h"
#include "models/gated_delta_net/fold.h"
#include "models/gated_delta_net/init.h"
#include "models/gated_delta_net/kernels.h"

namespace schemamem {

namespace {

using namespace gdn;  // NOLINT(google-build-using-namespace): this file is that mixer's

template <class T>
Kernels<T> kernels_for(const GatedDeltaNetConfig& config, EngineChoice choice) {
  return dispatch(choice.isa, [&](auto chosen) {
    const bool fixed = config.has_published_sizes() && !choice.general;
    return fixed ? published_kernels<chosen.value, T>() : any_kernels<chosen.value, T>();
  });
}

Layout official_parameters(const AnySizes& s) {
  Layout layout;
  for (const char* name : {"q_proj.weight", "k_proj.weight", "v_proj.weight", "g_proj.weight"}) {
    layout.add(name, {s.inner, s.width});
  }
  for (const char* name : {"a_proj.weight", "b_proj.weight"}) layout.add(name, {s.heads, s.width});
  for (const char* name : {"q_conv1d.weight", "k_conv1d.weight", "v_conv1d.weight"})
    layout.add(name, {s.inner, 1, kTaps});
  for (const char* name : {"A_log", "dt_bias"}) layout.add(name, {s.heads});
  layout.add("o_norm.weight", {s.head});
  layout.add("o_proj.weight", {s.width, s.inner});
  require(layout.size() == Weights(s).size, "gdn: the layout and the kernels' offsets disagree");
  return layout;
}

Layout official_state(const AnySizes& s) {
  Layout layout;
  layout.add("recurrent", {s.heads, s.head, s.head});
  for (const char* name : {"conv_q", "conv_k", "conv_v"}) layout.add(name, {s.inner, kTaps});
  require(layout.size() == State(s).size, "gdn: the state's layout and the kernels' offsets disagree");
  return layout;
}

template <class T>
class GdnMixer final : public Mixer<T>, public GateReader<T> {
 public:
  GdnMixer(const GatedDeltaNetConfig& config, EngineChoice choice)
      : s_(config.width, config.heads, config.head_dim),
        hidden_(config.hidden),
        kernels_(kernels_for<T>(config, choice)) {}

  std::string_view name() const override { return GatedDeltaNetConfig::kName; }
  const Layout& parameters() const override { return parameters_; }
  const Layout& state() const override { return state_; }
  std::size_t width() const override { return s_.width; }
  T norm_epsilon() const override { return T(kNormEpsilon); }
  std::size_t mlp_hidden() const override { return hidden_; }

  void initialise(std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                  View<T, 1> weights) const override {
    gdn::initialise<T>(parameters_, scheme, seed, first_stream, weights);
  }

  std::size_t folded_size() const override { return Folded(s_).size; }
  std::size_t shard_size() const override { return Shard(s_).size; }
  void fold(View<const T, 1> weights, View<T, 1> folded) const override {
    require(weights.size() == Weights(s_).size && folded.size() == Folded(s_).size, "gdn: fold: sizes differ");
    gdn::fold(s_, weights.data(), folded.data());
  }
  void unfold(View<const T, 1> folded, View<const T, 1> shard, View<T, 1> d_weights) const override {
    require(folded.size() == Folded(s_).size && shard.size() == Shard(s_).size && d_weights.size() == Weights(s_).size,
            "gdn: unfold: sizes differ");
    gdn::unfold(s_, shard.data(), d_weights.data());
  }

  std::vector<std::size_t> tape_blocks(std::size_t tokens) const override {
    const std::size_t chunks = whole_chunks(tokens);
    const std::size_t rows = chunks * kChunk;
    std::vector<std::size_t> sizes(kTapeBlocks);
    sizes[kRaw] = (kTaps + rows) * s_.columns;
    sizes[kSigmoid] = rows * s_.sigmoids;
    sizes[kUnit] = rows * s_.mixed;
    sizes[kScalars] = rows * kScalarKinds * s_.heads;
    sizes[kPairs] = chunks * s_.heads * kPairMatrices * kChunk * kChunk;
    sizes[kError] = sizes[kWrite] = sizes[kRead] = rows * s_.inner;
    sizes[kStates] = chunks * s_.heads * s_.state;
    return sizes;
  }
  std::vector<std::size_t> scratch_blocks(std::size_t) const override {
    std::vector<std::size_t> sizes(kScratchBlocks);
    sizes[kGated] = sizes[kDRead] = kBlock * s_.inner;
    sizes[kCarried] = sizes[kCarriedT] = s_.heads * s_.state;
    sizes[kWork] = 5 * kChunk * s_.head + 2 * kChunk * kChunk;
    sizes[kDMixed] = (kBlock + 3) * s_.mixed;
    sizes[kDRaw] = kBlock * s_.columns;
    sizes[kStill] = s_.heads * StillPart(s_).size;
    return sizes;
  }
  std::vector<std::size_t> stream_blocks() const override { return {stream_work(s_)}; }

  void forward(const MixerForward<T>& call) const override {
    check_rows(call.u.contiguous() && call.y.contiguous(), call.u.extent(0), call.u.extent(1));
    kernels_.forward(s_, call);
  }
  T backward(const MixerBackward<T>& call) const override {
    check_rows(call.u.contiguous() && call.d_y.contiguous() && call.d_u.contiguous(), call.u.extent(0),
               call.u.extent(1));
    return kernels_.backward(s_, call);
  }
  void advance(const MixerAdvance<T>& call) const override {
    check_rows(call.u.contiguous() && call.y.contiguous(), call.u.extent(0), call.u.extent(1));
    kernels_.advance(s_, call);
  }

  GateReading gates_at(std::span<T* const> tape, std::size_t, std::size_t token) const override {
    GateReading reading;
    const T* const scalars = tape[kScalars] + token / kChunk * kChunk * kScalarKinds * s_.heads;
    const auto at = [&](Scalar kind, std::size_t head) {
      return static_cast<double>(scalars[(kind * s_.heads + head) * kChunk + token % kChunk]);
    };
    for (std::size_t h = 0; h < s_.heads; ++h) {
      reading.write.push_back(at(kBeta, h));
      reading.forget.push_back(-std::expm1(at(kLogDecay, h)));
    }
    return reading;
  }

  /// Products as executed, without the padding of the gates' columns: per token, the two projections once forward and
  /// twice backward, and per head and chunk the products of gated_delta.h over their whole blocks (halves that a mask
  /// makes zero are counted where they are computed). A sequence starts from an empty state and nothing follows it, so
  /// the first chunk reads no state and the last one writes none.
  double training_flops(std::size_t tokens) const override {
    const double C = kChunk, K = static_cast<double>(s_.head), heads = static_cast<double>(s_.heads);
    const double projections = 3.0 * 2.0 * static_cast<double>(s_.width * (s_.projected + s_.inner));
    const double chunks = static_cast<double>(whole_chunks(tokens));
    const double with_state = 2.0 * C * K * K;  // a [C, K] [K, V] product
    const double pairs = 2.0 * C * C * K;       // a [C, K] [K, C] product
    const double inside = (2.0 + 0.5 + 0.75) + (0.75 + 0.5 + 2.0 + 0.75 + 0.75 + 1.0);
    return static_cast<double>(tokens) * projections +
           heads * (chunks * inside * pairs + (chunks - 1.0) * 9.0 * with_state);
  }

 private:
  void check_rows(bool contiguous, std::size_t tokens, std::size_t width) const {
    require(contiguous && width == s_.width, "gdn: rows are as wide as the model and follow each other without gaps");
    require(tokens > 0, "gdn: a piece has at least one token");
  }

  AnySizes s_;
  std::size_t hidden_;
  Kernels<T> kernels_;
  Layout parameters_ = official_parameters(s_);
  Layout state_ = official_state(s_);
};

}  // namespace

template <class T>
std::unique_ptr<Mixer<T>> make_gdn_mixer(const GatedDeltaNetConfig& config, EngineChoice choice) {
  config.check();
  return std::make_unique<GdnMixer<T>>(config, choice);
}
template std::unique_ptr<Mixer<float>> make_gdn_mixer<float>(const GatedDeltaNetConfig&, EngineChoice);
template std::unique_ptr<Mixer<double>> make_gdn_mixer<double>(const GatedDeltaNetConfig&, EngineChoice);

}  // namespace schemamem
