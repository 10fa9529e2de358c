#include "models/mamba3/mixer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "kernels/dispatch.h"
#include "models/baseline/gate_reader.h"
#include "models/mamba3/init.h"
#include "models/mamba3/kernels.h"
#include "models/mamba3/work.h"

namespace schemamem {

namespace {

using namespace mamba3;  // NOLINT(google-build-using-namespace): this file is that mixer's

AnySizes sizes_of(const Mamba3Config& config) {
  config.check();
  return {config.width, config.heads, config.groups, config.head_dim, config.state};
}

template <class T>
Kernels<T> kernels_for(const Mamba3Config& config, Isa isa, bool general) {
  return dispatch(isa, [&](auto chosen) {
    return config.has_published_sizes() && !general ? published_kernels<chosen.value, T>()
                                                    : any_kernels<chosen.value, T>();
  });
}

Layout official_parameters(const AnySizes& s) {
  Layout layout;
  layout.add("dt_bias", {s.heads});
  layout.add("B_bias", {s.heads, 1, s.state});
  layout.add("C_bias", {s.heads, 1, s.state});
  layout.add("D", {s.heads});
  layout.add("in_proj.weight", {s.rows, s.width});
  layout.add("B_norm.weight", {s.state});
  layout.add("C_norm.weight", {s.state});
  layout.add("out_proj.weight", {s.width, s.inner});
  return layout;
}

Layout official_state(const AnySizes& s) {
  Layout layout;
  const std::size_t angle = layout.add("angle", {s.heads, s.angles});
  const std::size_t ssm = layout.add("ssm", {s.heads, s.value, s.state});
  const std::size_t k = layout.add("k", {s.heads, s.state});
  const std::size_t v = layout.add("v", {s.heads, s.value});
  require(angle == s.stream.angle && ssm == s.stream.ssm && k == s.stream.k && v == s.stream.v &&
              layout.size() == s.stream.size,
          "mamba3: the state's layout and the kernels' offsets disagree");
  return layout;
}

/// A tensor's place in the official layout, in the folded weights and in the gradient's own form.
struct Place {
  const char* name;
  std::size_t folded, gradient;
};
/// Those that are copied as they are.
std::array<Place, 7> places_of(const AnySizes& s) {
  return {Place{"in_proj.weight", s.folded.in, s.gradient.in},
          {"dt_bias", s.folded.dt_bias, s.gradient.dt_bias},
          {"B_bias", s.folded.b_bias, s.gradient.b_bias},
          {"C_bias", s.folded.c_bias, s.gradient.c_bias},
          {"B_norm.weight", s.folded.b_norm, s.gradient.b_norm},
          {"C_norm.weight", s.folded.c_norm, s.gradient.c_norm},
          {"D", s.folded.d, s.gradient.d}};
}

/// [rows, columns] to [columns, rows], whose rows may be padded.
template <class T>
void copy_transposed(const T* from, std::size_t rows, std::size_t columns, T* to, std::size_t to_row) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[j * to_row + i] = from[i * columns + j];
  }
}

template <class T>
class Mamba3Mixer final : public Mixer<T>, public GateReader<T> {
 public:
  Mamba3Mixer(const Mamba3Config& config, Isa isa, bool general)
      : config_(config), s_(sizes_of(config)), kernels_(kernels_for<T>(config, isa, general)) {}

  std::size_t width() const override { return s_.width; }
  std::string_view name() const override { return Mamba3Config::kName; }
  const Layout& parameters() const override { return parameters_; }
  const Layout& state() const override { return state_; }
  T norm_epsilon() const override { return T(kNormEpsilon); }
  std::size_t mlp_hidden() const override { return 0; }

  void initialise(std::string_view scheme, std::uint64_t seed, std::uint64_t first_stream,
                  View<T, 1> weights) const override {
    mamba3::initialise<T>(config_, parameters_, scheme, seed, first_stream, weights);
  }

  std::size_t folded_size() const override { return s_.folded.size; }
  std::size_t shard_size() const override { return s_.gradient.size; }
  void fold(View<const T, 1> weights, View<T, 1> folded) const override {
    require(weights.size() == parameters_.size() && folded.size() == s_.folded.size, "mamba3: fold: sizes differ");
    for (const Place& place : places_of(s_)) {
      const View<const T, 1> tensor = parameters_.in(weights, place.name);
      std::copy(tensor.begin(), tensor.end(), folded.data() + place.folded);
    }
    std::fill_n(folded.data() + s_.folded.in_t, s_.width * s_.padded_rows, T(0));
    copy_transposed(folded.data() + s_.folded.in, s_.rows, s_.width, folded.data() + s_.folded.in_t, s_.padded_rows);
    const View<const T, 1> out = parameters_.in(weights, "out_proj.weight");
    std::copy(out.begin(), out.end(), folded.data() + s_.folded.out);
    copy_transposed(out.data(), s_.width, s_.inner, folded.data() + s_.folded.out_t, s_.width);
  }
  void unfold(View<const T, 1> folded, View<const T, 1> shard, View<T, 1> d_weights) const override {
    require(
        folded.size() == s_.folded.size && shard.size() == s_.gradient.size && d_weights.size() == parameters_.size(),
        "mamba3: unfold: sizes differ");
    for (const Place& place : places_of(s_)) {
      const View<T, 1> tensor = parameters_.in(d_weights, place.name);
      std::copy_n(shard.data() + place.gradient, tensor.size(), tensor.data());
    }
    copy_transposed(shard.data() + s_.gradient.out_t, s_.inner, s_.width,
                    parameters_.in(d_weights, "out_proj.weight").data(), s_.inner);
  }

  std::vector<std::size_t> tape_blocks(std::size_t tokens) const override {
    const std::size_t chunks = chunks_of(tokens), rows = chunks * kChunk;
    std::vector<std::size_t> sizes(kTapeBlocks);
    sizes[kTapeInput] = rows * s_.width;
    sizes[kTapeProjected] = rows * s_.rows;
    sizes[kTapeSigmoid] = sizes[kTapeRead] = rows * s_.inner;
    sizes[kTapeKey] = sizes[kTapeQuery] = rows * s_.heads * s_.state;
    sizes[kTapeTurn] = rows * s_.heads * 2 * s_.angles;
    sizes[kTapeRate] = rows * s_.angles;
    sizes[kTapeScale] = rows * 2 * s_.groups;
    sizes[kTapeGate] = (rows + kChunk) * kGates * s_.heads;
    sizes[kTapeDecay] = sizes[kTapeScore] = rows * s_.heads * kChunk;
    sizes[kTapeState] = (chunks + 1) * s_.heads * s_.state * s_.value;
    sizes[kTapeBefore] = chunks * s_.heads * s_.before;
    sizes[kTapeInitial] = s_.stream.size;
    return sizes;
  }
  std::vector<std::size_t> scratch_blocks(std::size_t) const override {
    constexpr std::size_t kBegin = 0;
    return {forward_work(s_, kBegin).end, backward_work(s_, kBegin).end, sums_of(s_, kBegin).end,
            extra_of(s_, kBegin).end};
  }
  std::vector<std::size_t> stream_blocks() const override { return {stream_work(s_, std::size_t{0}).end}; }

  void forward(const MixerForward<T>& call) const override {
    check(call.u, call.y);
    kernels_.forward({.sizes = &s_,
                      .folded = call.folded.data(),
                      .u = call.u.data(),
                      .u_row = call.u.stride(0),
                      .y = call.y.data(),
                      .y_row = call.y.stride(0),
                      .tokens = call.u.extent(0),
                      .state = call.state,
                      .final_state = call.final_state,
                      .tape = call.memory.tape.data(),
                      .scratch = call.memory.scratch.data(),
                      .floor = call.floor});
  }
  T backward(const MixerBackward<T>& call) const override {
    check(call.u, call.d_y);
    check(call.u, call.d_u);
    return kernels_.backward({.sizes = &s_,
                              .folded = call.folded.data(),
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
  void advance(const MixerAdvance<T>& call) const override {
    check(call.u, call.y);
    kernels_.advance({.sizes = &s_,
                      .folded = call.folded.data(),
                      .u = call.u.data(),
                      .u_row = call.u.stride(0),
                      .y = call.y.data(),
                      .y_row = call.y.stride(0),
                      .tokens = call.u.extent(0),
                      .state = call.state.data(),
                      .work = call.blocks[0],
                      .floor = call.floor});
  }

  GateReading gates_at(std::span<T* const> tape, std::size_t tokens, std::size_t token) const override {
    GateReading reading;
    const std::size_t row = (chunks_of(tokens) + 1) * kChunk;
    const auto at = [&](Gate gate, std::size_t head) {
      return static_cast<double>(tape[kTapeGate][(gate * s_.heads + head) * row + token]);
    };
    for (std::size_t h = 0; h < s_.heads; ++h) {
      reading.write.push_back(at(kGateDt, h));
      reading.forget.push_back(-std::expm1(at(kGateDecay, h) * at(kGateDt, h)));
    }
    return reading;
  }

  /// Products as executed, chunks padded to their full length: per token in_proj and out_proj once forward and twice
  /// backward; per chunk and head, with C tokens, forward the scores [C, N, C], the reads [P, N, C] and [P, C, C] and
  /// the state [N, C, P], backward dO V^T [C, P, C], dq and dk [N, C + P, C] each, dv [P, N + C, C] and the state's
  /// gradient [N, C, P]. Scores that the causal mask makes zero are counted: they are computed.
  double training_flops(std::size_t tokens) const override {
    constexpr std::size_t kC = kChunk;
    const std::size_t projections = 3 * kC * s_.width * (s_.rows + s_.inner);
    const std::size_t forward = kC * kC * s_.state + s_.value * kC * (s_.state + kC) + s_.state * kC * s_.value;
    const std::size_t backward = kC * kC * s_.value + 2 * s_.state * kC * (kC + s_.value) +
                                 s_.value * kC * (s_.state + kC) + s_.state * kC * s_.value;
    return 2.0 * static_cast<double>(chunks_of(tokens) * (projections + s_.heads * (forward + backward)));
  }

 private:
  void check(const View<const T, 2>& u, const View<const T, 2>& other) const {
    require(u.extent(0) > 0 && u.extent(1) == s_.width && other.extents() == u.extents(),
            "mamba3: a piece is [T, width] with at least one token, and so is what belongs to it");
  }

  Mamba3Config config_;
  AnySizes s_;
  Kernels<T> kernels_;
  Layout parameters_ = official_parameters(s_);
  Layout state_ = official_state(s_);
};

}  // namespace

template <class T>
std::unique_ptr<Mixer<T>> make_mamba3_mixer(const Mamba3Config& config, Isa isa, bool general) {
  return std::make_unique<Mamba3Mixer<T>>(config, isa, general);
}
template std::unique_ptr<Mixer<float>> make_mamba3_mixer<float>(const Mamba3Config&, Isa, bool);
template std::unique_ptr<Mixer<double>> make_mamba3_mixer<double>(const Mamba3Config&, Isa, bool);

}  // namespace schemamem
