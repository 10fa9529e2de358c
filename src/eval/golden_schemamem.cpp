#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "eval/golden_compare.h"
#include "models/schemamem/model.h"

namespace schemamem {
namespace {

/// Sizes of the file's model, from its metadata and the shapes of its parameters.
Result<SchemaMemConfig> golden_config(const GoldenFile& file) {
  SchemaMemConfig config;
  std::map<std::string, std::size_t> numbers;
  for (const char* key : {"address_bits", "value_bits", "layers", "width", "slots", "commit_every"}) {
    const Result<std::size_t> number = file.number(key);
    if (!number) return number.error();
    if (*number == 0)
      return Error(ErrorKind::kBadData, file.file().what() + ": metadata " + key + " is 0, expected at least 1");
    numbers[key] = *number;
  }
  const auto keys = file.file().find("param.layers.0.attn.w_k");
  if (!keys) return keys.error();
  const auto gate = file.file().find("param.layers.0.mlp.w_gate");
  if (!gate) return gate.error();
  config.inputs = numbers["address_bits"] + numbers["value_bits"] + 1;
  config.outputs = numbers["value_bits"];
  config.layers = numbers["layers"];
  config.width = numbers["width"];
  config.slots = numbers["slots"];
  config.commit_every = numbers["commit_every"];
  const auto columns = [](const TensorInfo& tensor) { return tensor.shape.size() == 2 ? tensor.shape[1] : 0; };
  config.head_dim = columns(**keys);
  config.hidden = columns(**gate);
  config.heads = config.head_dim == 0 ? 0 : config.width / config.head_dim;
  try {
    config.check();
  } catch (const ContractViolation& problem) {
    return Error(ErrorKind::kBadData, file.file().what() + ": the sizes do not fit together: " + problem.what());
  }
  return config;
}

Result<Mode> golden_mode(const GoldenFile& file) {
  const Result<std::string> mode = file.text("mode");
  if (!mode) return mode.error();
  if (*mode == "recurrent") return Mode::kRecurrent;
  if (*mode == "full") return Mode::kFullHistory;
  if (*mode == "ablated") return Mode::kAblated;
  return Error(ErrorKind::kBadData,
               file.file().what() + ": metadata mode is " + *mode + ", expected recurrent, full or ablated");
}

/// The file lists where chunks end; it follows from x, and is there to be compared.
Status compare_chunk_ends(const GoldenFile& file, const std::vector<std::size_t>& ours) {
  const Result<std::string> text = file.text("chunk_ends");
  if (!text) return text.error();
  const nlohmann::json listed = nlohmann::json::parse(*text, nullptr, false);
  if (listed != nlohmann::json(ours)) {
    return Error(ErrorKind::kFailed, file.file().what() + ": chunks end at " + *text + ", the commit rules give " +
                                         nlohmann::json(ours).dump());
  }
  return Done{};
}

/// S of every layer after the last commit, by streaming the episode; also checks that streaming gives the same logits.
template <class T>
Status compare_stream(const GoldenFile& file, const SequenceModel<T>& model, const Folded<T>& folded,
                      View<const T, 3> x, Mode mode, const GoldenTolerances& tolerance, GoldenReport& report) {
  const std::size_t batch = x.extent(0), tokens = x.extent(1), outputs = model.config().outputs;
  const TensorSpec& first = model.state().find("layers.0.phase");
  std::vector<std::vector<T>> phases(model.config().layers, std::vector<T>(batch * first.size));
  std::vector<T> logits(batch * tokens * outputs);
  const auto scratch = model.make_scratch();
  StreamState<T> state = model.empty_state();
  state.mode = mode;
  for (std::size_t b = 0; b < batch; ++b) {
    model.reset(state);
    model.refresh(folded, state, *scratch);
    model.advance(folded, x[b], state, *scratch, View<T, 2>(logits.data() + b * tokens * outputs, {tokens, outputs}));
    for (std::size_t l = 0; l < phases.size(); ++l) {
      const TensorSpec& phase = model.state().find("layers." + std::to_string(l) + ".phase");
      std::copy_n(state.values.data() + phase.offset, phase.size, phases[l].data() + b * phase.size);
    }
  }
  const Status streamed = file.compare<T>("logits", logits, "output", tolerance.output, report);
  if (!streamed) return streamed;
  if (mode != Mode::kRecurrent) return Done{};
  for (std::size_t l = 0; l < phases.size(); ++l) {
    const Status compared = file.compare<T>("state." + std::to_string(l), phases[l], "angle", tolerance.angle, report);
    if (!compared) return compared;
  }
  return Done{};
}

}  // namespace

template <class T>
Result<GoldenReport> verify_schemamem(const GoldenFile& file, Isa isa) {
  const Result<SchemaMemConfig> config = golden_config(file);
  if (!config) return config.error();
  const Result<Mode> mode = golden_mode(file);
  if (!mode) return mode.error();
  const Result<std::size_t> batch = file.number("batch");
  if (!batch) return batch.error();
  const Result<std::size_t> tokens = file.number("tokens");
  if (!tokens) return tokens.error();
  const Result<const TensorInfo*> shape = file.file().find("x", {*batch, *tokens, config->inputs});
  if (!shape) return shape.error();
  const auto model = make_schemamem<T>(*config, {.isa = isa});

  std::vector<T> weights(model->parameters().size());
  for (const TensorSpec& tensor : model->parameters().tensors()) {
    const Result<const TensorInfo*> stored = file.file().find("param." + tensor.name, tensor.shape);
    if (!stored) return stored.error();
    const Result<std::vector<T>> values = file.values<T>("param." + tensor.name);
    if (!values) return values.error();
    std::copy(values->begin(), values->end(), weights.begin() + static_cast<std::ptrdiff_t>(tensor.offset));
  }
  const Result<std::vector<T>> inputs = file.values<T>("x");
  if (!inputs) return inputs.error();
  const Result<const TensorInfo*> upstream_shape = file.file().find("dlogits", {*batch, *tokens, config->outputs});
  if (!upstream_shape) return upstream_shape.error();
  const Result<std::vector<T>> upstream = file.values<T>("dlogits");
  if (!upstream) return upstream.error();
  const View<const T, 3> x(inputs->data(), {*batch, *tokens, config->inputs});
  const View<const T, 3> d_logits(upstream->data(), {*batch, *tokens, config->outputs});

  GoldenReport report{.model = "schemamem", .level = "model", .what = *file.text("mode"), .comparisons = {}};
  const GoldenTolerances tolerance = golden_tolerances<T>();
  const auto folded = model->make_folded();
  const auto tape = model->make_tape({.tokens = *tokens, .chunks = *tokens}, {.poison = true});
  const auto shard = model->make_shard();
  model->fold({weights.data(), {weights.size()}}, *folded);
  std::vector<T> logits(d_logits.size()), gradient(weights.size());
  for (std::size_t b = 0; b < *batch; ++b) {
    const Episode<T> episode{.x = x[b], .mode = *mode};
    const Status same_chunks = compare_chunk_ends(file, model->chunk_ends(episode));
    if (!same_chunks) return same_chunks.error();
    model->forward(*folded, episode, *tape, View<T, 3>(logits.data(), d_logits.extents())[b]);
    model->backward(*folded, *tape, d_logits[b], *shard);
  }
  GradientShard<T>* const shards[] = {shard.get()};
  model->unfold(*folded, shards, {gradient.data(), {gradient.size()}});

  const Status outputs = file.compare<T>("logits", logits, "output", tolerance.output, report);
  if (!outputs) return outputs.error();
  if (*mode != Mode::kFullHistory) {
    const Status streamed = compare_stream<T>(file, *model, *folded, x, *mode, tolerance, report);
    if (!streamed) return streamed.error();
  }
  for (const TensorSpec& tensor : model->parameters().tensors()) {
    const std::span<const T> values(gradient.data() + tensor.offset, tensor.size);
    const Status compared = file.compare<T>("grad." + tensor.name, values, "gradient", tolerance.gradient, report);
    if (!compared) return compared.error();
  }
  return report;
}

template Result<GoldenReport> verify_schemamem<float>(const GoldenFile&, Isa);
template Result<GoldenReport> verify_schemamem<double>(const GoldenFile&, Isa);

}  // namespace schemamem
