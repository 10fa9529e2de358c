#include <algorithm>
#include <memory>

#include "eval/golden_model.h"
#include "models/baseline/mixer_runner.h"
#include "models/gated_delta_net/mixer.h"
#include "models/mamba3/mixer.h"
#include "models/registry.h"

namespace schemamem {
namespace {

/// Gradients of a whole baseline in float are allowed more than those of a layer (docs/formats.md, "Golden vectors").
template <class T>
constexpr GoldenTolerances baseline_tolerances() {
  GoldenTolerances tolerance = golden_tolerances<T>();
  if (sizeof(T) == sizeof(float)) tolerance.gradient = 3e-4;
  return tolerance;
}

/// One mixer layer of a golden file, run in pieces.
template <class T>
class LayerCase {
 public:
  LayerCase(const GoldenFile& file, const Mixer<T>& mixer, std::size_t batch, std::size_t tokens,
            std::vector<T> weights, std::vector<T> u, std::vector<T> d_y)
      : file_(file),
        mixer_(mixer),
        batch_(batch),
        tokens_(tokens),
        u_(std::move(u)),
        d_y_(std::move(d_y)),
        run_(mixer, tokens, {.poison = true}) {
    run_.set_weights({weights.data(), {weights.size()}});
  }

  /// The whole sequence from the empty state: outputs, final state, gradients; then the same by streaming.
  Status whole(GoldenReport& report) {
    std::vector<T> y(u_.size()), streamed(u_.size()), d_u(u_.size()), final(batch_ * state_size()),
        carried(final.size());
    run_.clear();
    for (std::size_t b = 0; b < batch_; ++b) {
      run_.forward(rows(u_, b, 0, tokens_), {}, state(final, b), rows(y, b, 0, tokens_));
      run_.backward(rows(d_y_, b, 0, tokens_), {}, rows(d_u, b, 0, tokens_));
      run_.advance(rows(u_, b, 0, tokens_), state(carried, b), rows(streamed, b, 0, tokens_));
    }
    for (const std::vector<T>& output : {y, streamed}) {
      const Status compared = file_.template compare<T>("y", output, "output", kTolerance.output, report);
      if (!compared) return compared;
    }
    for (const std::vector<T>& after : {final, carried}) {
      const Status compared = compare_state("state.", after, report);
      if (!compared) return compared;
    }
    const Status inputs = file_.template compare<T>("grad.u", d_u, "gradient", kTolerance.gradient, report);
    if (!inputs) return inputs;
    return weights_gradient("grad.", report);
  }

  /// The first `split` tokens, then the rest from the state they left: the same outputs; and the complete
  /// vector-Jacobian product of the second piece, where the file has it.
  Status pieces(std::size_t split, GoldenReport& report) {
    const std::size_t rest = tokens_ - split;
    std::vector<T> y(u_.size()), mid(batch_ * state_size()), final(mid.size());
    std::vector<T> d_u(batch_ * rest * mixer_.width()), d_state(mid.size());
    const bool backward = file_.file().contains("part2.grad.u");
    if (backward) {
      const Status read = read_state("dstate.", d_state);
      if (!read) return read;
    }
    run_.clear();
    for (std::size_t b = 0; b < batch_; ++b) {
      run_.forward(rows(u_, b, 0, split), {}, state(mid, b), rows(y, b, 0, split));
      run_.forward(rows(u_, b, split, rest), state(mid, b), state(final, b), rows(y, b, split, rest));
      if (!backward) continue;
      run_.backward(rows(d_y_, b, split, rest), state(d_state, b),
                    View<T, 2>(d_u.data() + b * rest * mixer_.width(), {rest, mixer_.width()}));
    }
    const Status outputs = file_.template compare<T>("y", y, "output", kTolerance.output, report);
    if (!outputs) return outputs;
    const Status middle = compare_state("mid.", mid, report);
    if (!middle) return middle;
    const Status end = compare_state("state.", final, report);
    if (!end || !backward) return end;
    const Status inputs = file_.template compare<T>("part2.grad.u", d_u, "gradient", kTolerance.gradient, report);
    if (!inputs) return inputs;
    const Status initial = compare_state("part2.grad_init.", d_state, report, true);
    if (!initial) return initial;
    return weights_gradient("part2.grad.", report);
  }

 private:
  static constexpr GoldenTolerances kTolerance = golden_tolerances<T>();

  std::size_t state_size() const { return mixer_.state().size(); }
  template <class Values>
  auto rows(Values& values, std::size_t b, std::size_t first, std::size_t count) const {
    using Element = std::remove_reference_t<decltype(values[0])>;
    return View<Element, 2>(values.data() + (b * tokens_ + first) * mixer_.width(), {count, mixer_.width()});
  }
  std::span<T> state(std::vector<T>& states, std::size_t b) const {
    return {states.data() + b * state_size(), state_size()};
  }

  /// The states of the batch, gathered tensor by tensor as the file has them: [B, ...].
  Status compare_state(const std::string& prefix, const std::vector<T>& states, GoldenReport& report,
                       bool gradient = false) const {
    for (const TensorSpec& tensor : mixer_.state().tensors()) {
      std::vector<T> all;
      for (std::size_t b = 0; b < batch_; ++b) {
        const auto first = states.begin() + static_cast<std::ptrdiff_t>(b * state_size() + tensor.offset);
        all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(tensor.size));
      }
      const bool angle = tensor.name == "angle" && !gradient;
      const Status compared = file_.template compare<T>(prefix + tensor.name, all,
                                                        gradient ? "gradient"
                                                        : angle  ? "angle"
                                                                 : "state",
                                                        gradient ? kTolerance.gradient
                                                        : angle  ? kTolerance.angle
                                                                 : kTolerance.state,
                                                        report);
      if (!compared) return compared;
    }
    return Done{};
  }
  Status read_state(const std::string& prefix, std::vector<T>& states) const {
    for (const TensorSpec& tensor : mixer_.state().tensors()) {
      const Result<std::vector<T>> values = file_.template values<T>(prefix + tensor.name);
      if (!values) return values.error();
      if (values->size() != batch_ * tensor.size) {
        return Error(ErrorKind::kBadData,
                     file_.file().what() + ": tensor " + prefix + tensor.name + " has another size");
      }
      for (std::size_t b = 0; b < batch_; ++b) {
        std::copy_n(values->begin() + static_cast<std::ptrdiff_t>(b * tensor.size), tensor.size,
                    states.begin() + static_cast<std::ptrdiff_t>(b * state_size() + tensor.offset));
      }
    }
    return Done{};
  }
  Status weights_gradient(const std::string& prefix, GoldenReport& report) const {
    std::vector<T> gradient(mixer_.parameters().size());
    run_.gradients({gradient.data(), {gradient.size()}});
    return compare_gradients<T>(file_, mixer_.parameters(), prefix, gradient, kTolerance.gradient, report);
  }

  const GoldenFile& file_;
  const Mixer<T>& mixer_;
  std::size_t batch_, tokens_;
  std::vector<T> u_, d_y_;
  MixerRunner<T> run_;
};

}  // namespace

template <class T>
Result<GoldenReport> verify_baseline(const GoldenFile& file, const std::string& name, Isa isa) {
  const Result<std::size_t> address_bits = file.number("address_bits");
  if (!address_bits) return address_bits.error();
  const Result<std::size_t> value_bits = file.number("value_bits");
  if (!value_bits) return value_bits.error();
  const Result<std::string> what = file.text("case");
  if (!what) return what.error();
  const auto model = make_model<T>(name, *address_bits + *value_bits + 1, *value_bits, {.isa = isa});
  if (!model) return model.error();
  const Result<GoldenEpisodes<T>> episodes = read_episodes<T>(file, **model);
  if (!episodes) return episodes.error();
  return verify_model<T>(file, **model, *episodes, Mode::kRecurrent, baseline_tolerances<T>(), *what);
}

template <class T>
Result<GoldenReport> verify_layer(const GoldenFile& file, const std::string& name, Isa isa) {
  const Result<std::string> what = file.text("case");
  if (!what) return what.error();
  const Result<const TensorInfo*> u = file.file().find("u");
  if (!u) return u.error();
  const std::vector<std::size_t>& shape = (*u)->shape;
  const std::unique_ptr<Mixer<T>> mixer =
      name == GatedDeltaNetConfig::kName ? make_gdn_mixer<T>({}, {.isa = isa}) : make_mamba3_mixer<T>({}, isa);
  if (shape.size() != 3 || shape[0] == 0 || shape[1] == 0 || shape[2] != mixer->width()) {
    return Error(ErrorKind::kBadData,
                 file.file().what() + ": tensor u is [B, T, " + std::to_string(mixer->width()) + "]");
  }
  const Result<const TensorInfo*> d_y = file.file().find("dy", shape);
  if (!d_y) return d_y.error();
  Result<std::vector<T>> weights = read_parameters<T>(file, mixer->parameters());
  if (!weights) return weights.error();
  Result<std::vector<T>> inputs = file.values<T>("u");
  if (!inputs) return inputs.error();
  Result<std::vector<T>> upstream = file.values<T>("dy");
  if (!upstream) return upstream.error();
  GoldenReport report{.model = name, .level = "layer", .what = *what, .comparisons = {}};
  LayerCase<T> layer(file, *mixer, shape[0], shape[1], std::move(weights).value(), std::move(inputs).value(),
                     std::move(upstream).value());
  const Status whole = layer.whole(report);
  if (!whole) return whole.error();
  if (file.file().contains("mid." + mixer->state().tensors()[0].name)) {
    const Result<std::size_t> split = file.number("split");
    if (!split) return split.error();
    if (*split == 0 || *split >= shape[1]) {
      return Error(ErrorKind::kBadData, file.file().what() + ": metadata split lies inside the sequence");
    }
    const Status pieces = layer.pieces(*split, report);
    if (!pieces) return pieces.error();
  }
  return report;
}

template Result<GoldenReport> verify_baseline<float>(const GoldenFile&, const std::string&, Isa);
template Result<GoldenReport> verify_baseline<double>(const GoldenFile&, const std::string&, Isa);
template Result<GoldenReport> verify_layer<float>(const GoldenFile&, const std::string&, Isa);
template Result<GoldenReport> verify_layer<double>(const GoldenFile&, const std::string&, Isa);

}  // namespace schemamem
