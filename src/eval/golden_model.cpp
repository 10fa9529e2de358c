#include "eval/golden_model.h"

#include <algorithm>

namespace schemamem {
namespace {

template <class T>
Result<std::vector<T>> read_tensor(const GoldenFile& file, const std::string& name,
                                   const std::vector<std::size_t>& shape) {
  const Result<const TensorInfo*> stored = file.file().find(name, shape);
  if (!stored) return stored.error();
  return file.values<T>(name);
}

template <class T>
Status compare_stream(const GoldenFile& file, const SequenceModel<T>& model, const Folded<T>& folded,
                      const GoldenEpisodes<T>& episodes, Mode mode, const GoldenTolerances& tolerance,
                      GoldenReport& report) {
  const std::size_t batch = episodes.batch, tokens = episodes.tokens, outputs = model.config().outputs;
  std::vector<T> logits(batch * tokens * outputs);
  std::vector<StreamState<T>> states(batch, model.empty_state());
  const auto scratch = model.make_scratch();
  for (std::size_t b = 0; b < batch; ++b) {
    states[b].mode = mode;
    model.refresh(folded, states[b], *scratch);
    const View<const T, 2> rows = episodes.inputs(model)[b];
    const std::vector<RowMark> marks = validity_marks(rows);
    model.advance(folded, {rows, marks}, states[b], *scratch,
                  View<T, 2>(logits.data() + b * tokens * outputs, {tokens, outputs}));
  }
  const Status streamed = file.compare<T>("logits", logits, "output", tolerance.output, report);
  if (!streamed) return streamed;
  for (std::size_t l = 0; file.file().contains("state." + std::to_string(l)); ++l) {
    const TensorSpec& phase = model.state().find("layers." + std::to_string(l) + ".phase");
    std::vector<T> all;
    for (const StreamState<T>& state : states) {
      const auto first = state.values.begin() + phase.offset;
      all.insert(all.end(), first, first + phase.size);
    }
    const Status compared = file.compare<T>("state." + std::to_string(l), all, "angle", tolerance.angle, report);
    if (!compared) return compared;
  }
  return Done{};
}

}  // namespace

template <class T>
Result<GoldenEpisodes<T>> read_episodes(const GoldenFile& file, const SequenceModel<T>& model) {
  GoldenEpisodes<T> episodes;
  const Result<std::size_t> batch = file.number("batch");
  if (!batch) return batch.error();
  const Result<std::size_t> tokens = file.number("tokens");
  if (!tokens) return tokens.error();
  if (*batch == 0 || *tokens == 0) {
    return Error(ErrorKind::kBadData, file.file().what() + ": metadata batch and tokens are at least 1");
  }
  episodes.batch = *batch;
  episodes.tokens = *tokens;
  Result<std::vector<T>> x = read_tensor<T>(file, "x", {*batch, *tokens, model.config().inputs});
  if (!x) return x.error();
  Result<std::vector<T>> d_logits = read_tensor<T>(file, "dlogits", {*batch, *tokens, model.config().outputs});
  if (!d_logits) return d_logits.error();
  episodes.x = std::move(x).value();
  episodes.d_logits = std::move(d_logits).value();
  const Result<std::vector<T>> weights = read_parameters<T>(file, model.parameters());
  if (!weights) return weights.error();
  episodes.weights = *weights;
  return episodes;
}

template <class T>
Result<std::vector<T>> read_parameters(const GoldenFile& file, const Layout& layout) {
  std::vector<T> weights(layout.size());
  for (const TensorSpec& tensor : layout.tensors()) {
    const Result<std::vector<T>> values = read_tensor<T>(file, "param." + tensor.name, tensor.shape);
    if (!values) return values.error();
    std::copy(values->begin(), values->end(), weights.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
  }
  return weights;
}

template <class T>
Status compare_gradients(const GoldenFile& file, const Layout& layout, const std::string& prefix,
                         const std::vector<T>& gradient, double tolerance, GoldenReport& report) {
  for (const TensorSpec& tensor : layout.tensors()) {
    const std::span<const T> values(gradient.data() + tensor.offset, tensor.size);
    const Status compared = file.compare<T>(prefix + tensor.name, values, "gradient", tolerance, report);
    if (!compared) return compared;
  }
  return Done{};
}

template <class T>
Result<GoldenReport> verify_model(const GoldenFile& file, const SequenceModel<T>& model,
                                  const GoldenEpisodes<T>& episodes, Mode mode, const GoldenTolerances& tolerance,
                                  const std::string& what) {
  GoldenReport report{.model = model.config().name, .level = "model", .what = what, .comparisons = {}};
  const auto folded = model.make_folded();
  const auto tape = model.make_tape({.tokens = episodes.tokens, .chunks = episodes.tokens}, {.poison = true});
  const auto shard = model.make_shard();
  model.fold({episodes.weights.data(), {episodes.weights.size()}}, *folded);
  std::vector<T> logits(episodes.d_logits.size()), gradient(episodes.weights.size());
  const View<const T, 3> x = episodes.inputs(model), d_logits = episodes.upstream(model);
  for (std::size_t b = 0; b < episodes.batch; ++b) {
    const std::vector<RowMark> marks = validity_marks(x[b]);
    model.forward(*folded, {.x = x[b], .marks = marks, .mode = mode}, *tape,
                  View<T, 3>(logits.data(), d_logits.extents())[b]);
    model.backward(*folded, *tape, d_logits[b], *shard);
  }
  GradientShard<T>* const shards[] = {shard.get()};
  model.unfold(*folded, shards, {gradient.data(), {gradient.size()}});

  const Status outputs = file.compare<T>("logits", logits, "output", tolerance.output, report);
  if (!outputs) return outputs.error();
  if (mode != Mode::kFullHistory) {
    const Status streamed = compare_stream<T>(file, model, *folded, episodes, mode, tolerance, report);
    if (!streamed) return streamed.error();
  }
  const Status gradients =
      compare_gradients<T>(file, model.parameters(), "grad.", gradient, tolerance.gradient, report);
  if (!gradients) return gradients.error();
  return report;
}

template Result<GoldenEpisodes<float>> read_episodes(const GoldenFile&, const SequenceModel<float>&);
template Result<GoldenEpisodes<double>> read_episodes(const GoldenFile&, const SequenceModel<double>&);
template Result<std::vector<float>> read_parameters(const GoldenFile&, const Layout&);
template Result<std::vector<double>> read_parameters(const GoldenFile&, const Layout&);
template Status compare_gradients(const GoldenFile&, const Layout&, const std::string&, const std::vector<float>&,
                                  double, GoldenReport&);
template Status compare_gradients(const GoldenFile&, const Layout&, const std::string&, const std::vector<double>&,
                                  double, GoldenReport&);
template Result<GoldenReport> verify_model(const GoldenFile&, const SequenceModel<float>&, const GoldenEpisodes<float>&,
                                           Mode, const GoldenTolerances&, const std::string&);
template Result<GoldenReport> verify_model(const GoldenFile&, const SequenceModel<double>&,
                                           const GoldenEpisodes<double>&, Mode, const GoldenTolerances&,
                                           const std::string&);

}  // namespace schemamem
