#include "models/schemamem/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "models/checks.h"
#include "models/schemamem/chunks.h"
#include "models/schemamem/engine.h"
#include "models/schemamem/init.h"

namespace schemamem {
namespace {

/// The engine's tape, and the chunks of the episode on it.
template <class T>
struct EpisodeTape final : Tape<T> {
  bool guards_intact() const override { return activations->guards_intact(); }
  std::size_t bytes() const override { return activations->bytes(); }

  TapeSize size;
  std::vector<Chunk> chunks;
  T stillness = 0;
  std::size_t answered = 0;
  bool ends_committed = false;
  std::unique_ptr<Tape<T>> activations;
};

/// The engine's scratch, and pointers into the state it works on.
template <class T>
struct StreamScratch final : Tape<T> {
  bool guards_intact() const override { return banks->guards_intact(); }
  std::size_t bytes() const override { return banks->bytes(); }

  std::unique_ptr<Tape<T>> banks;
  std::vector<LayerStream<T>> layers;
};

enum Counter : std::size_t { kTokens, kChunkTokens, kTouched, kLastValidity };
constexpr std::array<std::string_view, 4> kCounterNames{"tokens", "chunk_tokens", "touched", "last_validity"};

template <class T>
class SchemaMemModel final : public SequenceModel<T> {
 public:
  SchemaMemModel(const SchemaMemConfig& config, EngineChoice choice)
      : sizes_(config),
        config_(config_of(config)),
        spec_(spec_of(config)),
        parameters_(schemamem_parameters(config)),
        engine_(make_schemamem_engine<T>(config, choice.isa, choice.general)) {
    for (std::size_t i = 0; i < config.layers; ++i) {
      const std::string layer = "layers." + std::to_string(i) + ".";
      state_.add(layer + "phase", {config.slots, config.width}, Role::kPhases);
      state_.add(layer + "pending", {config.slots, config.width}, Role::kState);
      state_.add(layer + "open_keys", {config.commit_every, config.head_dim}, Role::kState);
      state_.add(layer + "open_values", {config.commit_every, config.head_dim}, Role::kState);
      carried_.add(layer + "phase", {config.slots, config.width}, Role::kPhases);
    }
  }

  const ModelConfig& config() const override { return config_; }
  const ModelSpec& spec() const override { return spec_; }
  const Layout& parameters() const override { return parameters_; }
  const Layout& state() const override { return state_; }
  const Layout& carried() const override { return carried_; }
  std::span<const std::string_view> counter_names() const override { return kCounterNames; }

  void initialise(std::string_view scheme, std::uint64_t seed, View<T, 1> weights) const override {
    initialise_schemamem<T>(parameters_, scheme, seed, weights);
  }

  std::unique_ptr<Folded<T>> make_folded() const override { return engine_->make_folded(); }
  std::unique_ptr<GradientShard<T>> make_shard() const override { return engine_->make_shard(); }
  std::unique_ptr<Tape<T>> make_tape(TapeSize size, ArenaPolicy policy) const override {
    require(size.tokens >= 1 && size.chunks >= 1, "make_tape: at least one token and one chunk");
    auto tape = std::make_unique<EpisodeTape<T>>();
    tape->size = size;
    tape->chunks.reserve(size.tokens);
    tape->activations = engine_->make_tape(size, policy);
    return tape;
  }

  void fold(View<const T, 1> weights, Folded<T>& folded) const override {
    require(weights.size() == parameters_.size(), "fold: one number per parameter");
    engine_->fold(weights, folded);
  }

  void forward(const Folded<T>& folded, const Episode<T>& episode, Tape<T>& tape, View<T, 2> logits) const override {
    auto& t = static_cast<EpisodeTape<T>&>(tape);
    const std::size_t tokens = episode.x.extent(0);
    require(tokens <= t.size.tokens, "forward: the episode does not fit on the tape");
    check_episode(*this, episode, logits);
    cut(episode, t.chunks);
    require(t.chunks.size() <= t.size.chunks, "forward: the episode has more chunks than the tape was made for");
    t.stillness = episode.stillness;
    t.answered = episode.answered();
    t.ends_committed = !episode.final.empty();
    engine_->forward(folded,
                     {.x = episode.x,
                      .chunks = t.chunks,
                      .carry = episode.mode == Mode::kRecurrent,
                      .floor = static_cast<T>(episode.floor),
                      .answers = episode.answers,
                      .initial = episode.initial,
                      .final = episode.final},
                     *t.activations, logits);
  }

  using SequenceModel<T>::backward;
  T backward(const Folded<T>& folded, Tape<T>& tape, View<const T, 2> d_logits, GradientShard<T>& shard,
             const EpisodeGradients<T>& also) const override {
    auto& t = static_cast<EpisodeTape<T>&>(tape);
    require(!t.chunks.empty() && d_logits.extent(0) == t.answered && d_logits.extent(1) == sizes_.outputs,
            "backward: d_logits are [answers, outputs] of the episode on the tape");
    check_gradients(*this, t.chunks.back().end, t.ends_committed, also);
    const T penalty = engine_->backward(folded, *t.activations, d_logits, t.stillness, shard, also);
    t.chunks.clear();
    return penalty;
  }

  void unfold(const Folded<T>& folded, std::span<GradientShard<T>* const> shards, View<T, 1> d_weights) const override {
    require(!shards.empty() && d_weights.size() == parameters_.size(), "unfold: shards, and one number per parameter");
    engine_->unfold(folded, shards, d_weights);
  }

  StreamState<T> empty_state() const override {
    StreamState<T> state;
    state.values = Buffer<T>(state_.size());
    reset(state);
    return state;
  }
  void reset(StreamState<T>& state) const override {
    std::fill(state.values.begin(), state.values.end(), T(0));
    state.counters = {};
    state.counters[kLastValidity] = -1;
  }

  std::optional<std::string> fault(const StreamState<T>& state) const override {
    if (state.values.size() != state_.size())
      return fmt::format("expected {} numbers, found {}", state_.size(), state.values.size());
    if (state.mode == Mode::kFullHistory) return "a stream is recurrent or ablated; full history has no bounded state";
    if (auto fault = this->fault_in_numbers(state)) return fault;
    if (auto fault = fault_in_counters(state)) return fault;
    return fault_in_angles(state);
  }

  std::unique_ptr<Tape<T>> make_scratch() const override {
    auto scratch = std::make_unique<StreamScratch<T>>();
    scratch->banks = engine_->make_scratch();
    scratch->layers.resize(sizes_.layers);
    return scratch;
  }

  void refresh(const Folded<T>& folded, const StreamState<T>& state, Tape<T>& scratch) const override {
    auto& s = static_cast<StreamScratch<T>&>(scratch);
    // refresh only reads; the pointers are shared with advance, which writes.
    point_at(const_cast<StreamState<T>&>(state), s);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    engine_->refresh(folded, open_chunk(state), s.layers, *s.banks);
  }

  void advance(const Folded<T>& folded, const StreamRows<T>& rows, StreamState<T>& state, Tape<T>& scratch,
               View<T, 2> logits) const override {
    check_rows(*this, rows, logits);
    require(state.mode != Mode::kFullHistory,
            "advance: a stream is recurrent or ablated; full history has no bounded state");
    auto& s = static_cast<StreamScratch<T>&>(scratch);
    point_at(state, s);
    const std::size_t tokens = rows.x.extent(0);
    std::size_t done = 0;
    while (done < tokens) {
      auto& counters = state.counters;
      const auto mark = [&](std::size_t t) { return mark_at(rows.marks, t); };
      if (chunk_ends_before(static_cast<std::size_t>(counters[kChunkTokens]), sizes_.commit_every, mark(done)))
        commit(folded, state, s);
      const std::size_t room = sizes_.commit_every - static_cast<std::size_t>(counters[kChunkTokens]);
      std::size_t count = 1;
      while (count < room && done + count < tokens && !ends_chunk(mark(done + count))) ++count;
      engine_->advance(folded, rows.x.slice(done, count), open_chunk(state), s.layers, *s.banks,
                       logits.slice(done, count));
      counters[kTokens] += static_cast<std::int64_t>(count);
      counters[kChunkTokens] += static_cast<std::int64_t>(count);
      done += count;
      counters[kLastValidity] = static_cast<std::int64_t>(reads(mark(done - 1)) ? LastRow::kRead : LastRow::kWrite);
    }
  }
  PlaceWeights<T> place_weights(const Tape<T>& scratch, std::size_t layer) const override {
    return engine_->place_weights(*static_cast<const StreamScratch<T>&>(scratch).banks, layer);
  }
  LastRow last_row(const StreamState<T>& state) const override {
    return static_cast<LastRow>(state.counters[kLastValidity]);
  }

  std::vector<std::size_t> chunk_ends(const Episode<T>& episode) const override {
    std::vector<Chunk> chunks;
    cut(episode, chunks);
    std::vector<std::size_t> ends;
    for (const Chunk& chunk : chunks) ends.push_back(chunk.end);
    return ends;
  }

  std::size_t most_chunks(std::size_t tokens, std::size_t marked) const override {
    return marked + tokens / sizes_.commit_every;
  }

  /// 3 L sum over chunks of [c (12 d^2 + 32 d + 96 d) + n 2 c d M + 2 d c (c + 1) + 8 M d^2] for the paper's sizes,
  /// with n = 5 slot products a chunk and 4 in the last (nothing is committed after it); the bank of the first chunk is
  /// static.
  double training_flops(std::span<const std::size_t> ends) const override {
    const auto d = static_cast<double>(sizes_.width), slots = static_cast<double>(sizes_.slots);
    const auto hidden = static_cast<double>(sizes_.hidden), head_dim = static_cast<double>(sizes_.head_dim);
    const double per_token = 12 * d * d + 4 * d * head_dim + 6 * d * hidden;
    double flops = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const auto c = static_cast<double>(ends[i] - begin);
      const double slot_products = i + 1 < ends.size() ? 5 : 4;
      flops +=
          c * per_token + slot_products * 2 * c * d * slots + 2 * d * c * (c + 1) + (i > 0 ? 8 * slots * d * d : 0);
      begin = ends[i];
    }
    return 3 * static_cast<double>(sizes_.layers) * flops;
  }

 private:
  void cut(const Episode<T>& episode, std::vector<Chunk>& chunks) const {
    cut_into_chunks(episode.x.extent(0), episode.marks, sizes_.commit_every, episode.mode == Mode::kFullHistory,
                    !episode.final.empty(), chunks);
  }
  static OpenChunk open_chunk(const StreamState<T>& state) {
    return {.tokens = static_cast<std::size_t>(state.counters[kChunkTokens]), .touched = state.counters[kTouched] != 0};
  }

  std::optional<std::string> fault_in_counters(const StreamState<T>& state) const {
    const auto& counters = state.counters;
    const auto most = static_cast<std::int64_t>(sizes_.commit_every);
    const bool begun = counters[kTokens] > 0;
    const auto outside = [&](Counter counter, std::int64_t least, std::int64_t greatest) -> std::optional<std::string> {
      if (counters[counter] >= least && counters[counter] <= greatest) return std::nullopt;
      return fmt::format("counter {} is {} after {} tokens, expected {} to {}", kCounterNames[counter],
                         counters[counter], counters[kTokens], least, greatest);
    };
    if (auto fault = outside(kChunkTokens, begun ? 1 : 0, std::min(most, counters[kTokens]))) return fault;
    // A commit lies between two inputs, and an ablated stream forgets it at once.
    const bool committed = counters[kTokens] > counters[kChunkTokens] && state.mode == Mode::kRecurrent;
    if (auto fault = outside(kTouched, committed ? 1 : 0, committed ? 1 : 0)) return fault;
    return outside(kLastValidity, begun ? 0 : -1, begun ? 1 : -1);
  }

  /// Phases lie in [0, 2 pi], whose end is reached by rounding, and are zero before the first commit. An input adds at
  /// most pi to a pending increment, and one that pulls ends at most a turn away; a little more allows for rounding.
  std::optional<std::string> fault_in_angles(const StreamState<T>& state) const {
    const T turn = state.counters[kTouched] != 0 ? static_cast<T>(2 * std::numbers::pi) : T(0);
    const auto tokens = static_cast<double>(state.counters[kChunkTokens]);
    const T pending = static_cast<T>(sizes_.pulls ? 6.3 * std::min(tokens, 1.0) : 3.15 * tokens);
    for (const TensorSpec& tensor : state_.tensors()) {
      const bool is_phase = tensor.role == Role::kPhases;
      if (!is_phase && !tensor.name.ends_with(".pending")) continue;
      const T least = is_phase ? T(0) : -pending, most = is_phase ? turn : pending;
      for (std::size_t i = 0; i < tensor.size; ++i) {
        const T angle = state.values[tensor.offset + i];
        if (angle < least || angle > most)
          return fmt::format("{}: element {} is {}, expected {} to {}", tensor.name, i, angle, least, most);
      }
    }
    return std::nullopt;
  }

  void point_at(StreamState<T>& state, StreamScratch<T>& scratch) const {
    require(state.values.size() == state_.size(), "the state belongs to a model of other sizes");
    require(state.counters[kChunkTokens] >= 0 &&
                state.counters[kChunkTokens] <= static_cast<std::int64_t>(sizes_.commit_every),
            "the state's chunk_tokens lie between 0 and commit_every");
    T* next = state.values.data();
    for (LayerStream<T>& layer : scratch.layers) {
      layer.phase = next;
      layer.pending = layer.phase + sizes_.slots * sizes_.width;
      layer.open_keys = layer.pending + sizes_.slots * sizes_.width;
      layer.open_values = layer.open_keys + sizes_.commit_every * sizes_.head_dim;
      next = layer.open_values + sizes_.commit_every * sizes_.head_dim;
    }
  }

  void commit(const Folded<T>& folded, StreamState<T>& state, StreamScratch<T>& scratch) const {
    if (state.mode == Mode::kAblated) {  // S is set back to zero right after every commit
      std::fill(state.values.begin(), state.values.end(), T(0));
      state.counters[kTouched] = 0;
      engine_->refresh(folded, {}, scratch.layers, *scratch.banks);
    } else {
      engine_->commit(folded, static_cast<T>(state.floor), scratch.layers, *scratch.banks);
      state.counters[kTouched] = 1;
    }
    state.counters[kChunkTokens] = 0;
  }

  SchemaMemConfig sizes_;
  ModelConfig config_;
  ModelSpec spec_;
  Layout parameters_, state_, carried_;
  std::unique_ptr<SchemaMemEngine<T>> engine_;
};

}  // namespace

template <class T>
std::unique_ptr<SequenceModel<T>> make_schemamem(const SchemaMemConfig& config, EngineChoice choice) {
  config.check();
  return std::make_unique<SchemaMemModel<T>>(config, choice);
}

template std::unique_ptr<SequenceModel<float>> make_schemamem<float>(const SchemaMemConfig&, EngineChoice);
template std::unique_ptr<SequenceModel<double>> make_schemamem<double>(const SchemaMemConfig&, EngineChoice);

}  // namespace schemamem
