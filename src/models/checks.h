#pragma once

#include <algorithm>
#include <functional>

#include "base/result.h"
#include "models/model.h"

// What every model asks of its callers, at the door.

namespace schemamem {

/// The outside of a model from its sizes and options (fields.h).
template <class Config>
ModelConfig config_of(const Config& config) {
  return {.name = std::string(Config::kName),
          .inputs = config.inputs,
          .outputs = config.outputs,
          .layers = config.layers,
          .symbols = config.symbols,
          .maps = !config.bare,
          .traits = Config::kTraits};
}

/// Rows have the model's width, one mark each or none, and room for their outputs; symbols are there.
template <class T>
void check_rows(const SequenceModel<T>& model, const StreamRows<T>& rows, View<T, 2> logits) {
  const ModelConfig& config = model.config();
  const std::size_t tokens = rows.x.extent(0);
  require(rows.x.extent(1) == config.row_width(), "a row has one number for each input, or is one symbol");
  require(rows.marks.empty() || rows.marks.size() == tokens, "there is one mark a row, or none at all");
  require(logits.extent(0) == tokens && logits.extent(1) == config.outputs, "outputs are [rows, outputs]");
  for (std::size_t t = 0; config.symbols && t < tokens; ++t) {
    const T symbol = rows.x(t, 0);
    require(symbol >= T(0) && symbol < static_cast<T>(config.inputs) &&
                symbol == static_cast<T>(static_cast<std::size_t>(symbol)),
            "a symbol is a whole number below the number of symbols");
  }
}

template <class T>
void check_episode(const SequenceModel<T>& model, const Episode<T>& episode, View<T, 2> logits) {
  const ModelConfig& config = model.config();
  const std::size_t tokens = episode.x.extent(0), answers = episode.answered(), carried = model.carried().size();
  require(tokens >= 1, "forward: an episode has at least one row");
  require(logits.extent(0) == answers && logits.extent(1) == config.outputs, "forward: outputs are [answers, outputs]");
  check_rows<T>(model, {episode.x, episode.marks}, View<T, 2>(logits.data(), {tokens, config.outputs}));
  // A row that answered twice would count once in its gradient.
  require(std::adjacent_find(episode.answers.begin(), episode.answers.end(), std::greater_equal<>()) ==
                  episode.answers.end() &&
              (episode.answers.empty() || episode.answers.back() < tokens),
          "forward: answers are rows of the episode, rising");
  require(episode.mode == Mode::kRecurrent ||
              (episode.mode == Mode::kFullHistory ? config.traits.full_history : config.traits.ablation),
          "forward: the model does not know this mode");
  require(is_floor(episode.floor), "forward: a floor is at least 0 and below 1");
  require(episode.initial.empty() || episode.initial.size() == carried, "forward: the initial state is as carried()");
  require(episode.final.empty() || episode.final.size() == carried, "forward: the final state is as carried()");
  require(episode.mode == Mode::kRecurrent || (episode.initial.empty() && episode.final.empty()),
          "forward: only recurrent episodes carry a state");
}

template <class T>
void check_gradients(const SequenceModel<T>& model, std::size_t tokens, bool has_final,
                     const EpisodeGradients<T>& also) {
  const ModelConfig& config = model.config();
  require(also.x.extent(0) == 0 || (!config.symbols && also.x.extent(0) == tokens && also.x.extent(1) == config.inputs),
          "backward: the gradient of the rows is [T, inputs], and symbols have none");
  require(also.state.empty() || also.state.size() == model.carried().size(),
          "backward: the gradient of the states is laid out as carried()");
  require(has_final || std::all_of(also.state.begin(), also.state.end(), [](T value) { return value == T(0); }),
          "backward: a final state that forward was not asked for has no gradient");
}

}  // namespace schemamem
