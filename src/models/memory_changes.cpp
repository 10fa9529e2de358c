#include "models/memory_changes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/result.h"
#include "models/baseline/model.h"

namespace schemamem {
namespace {

/// A stream shows what waits for its commit.
template <class T>
std::vector<MemoryChange> increments(const SequenceModel<T>& model, const Folded<T>& folded, const Episode<T>& e) {
  std::vector<MemoryChange> changes;
  StreamState<T> state = model.empty_state();
  const auto scratch = model.make_scratch();
  model.refresh(folded, state, *scratch);
  Buffer<T> outputs(e.x.extent(0) * model.config().outputs);
  std::size_t begin = 0, step = 0;
  for (const std::size_t end : model.chunk_ends(e)) {
    const std::size_t count = end - begin;
    model.advance(folded, {e.x.slice(begin, count), e.marks.subspan(begin, count)}, state, *scratch,
                  {outputs.data(), {count, model.config().outputs}});
    std::size_t layer = 0;
    for (const TensorSpec& tensor : model.state().tensors()) {
      if (!tensor.name.ends_with(".pending")) continue;
      MemoryChange change{.layer = layer++, .step = step, .reads = reads(e.marks[begin]), .kind = "increment"};
      for (std::size_t i = 0; i < tensor.size; ++i)
        change.sizes.push_back(std::abs(static_cast<double>(state.values[tensor.offset + i])));
      changes.push_back(std::move(change));
    }
    begin = end;
    ++step;
  }
  return changes;
}

template <class T>
std::vector<MemoryChange> gates(const BaselineModel<T>& model, const Folded<T>& folded, const Episode<T>& e) {
  std::vector<MemoryChange> changes;
  const std::size_t tokens = e.x.extent(0);
  const auto tape = model.make_tape({.tokens = tokens, .chunks = 1}, {});
  Buffer<T> outputs(tokens * model.config().outputs);
  model.forward(folded, {.x = e.x, .marks = e.marks}, *tape, {outputs.data(), {tokens, model.config().outputs}});
  for (std::size_t t = 0; t < tokens; ++t) {
    for (std::size_t layer = 0; layer < model.config().layers; ++layer) {
      GateReading reading = model.gates_at(*tape, layer, t);
      const auto add = [&](std::string_view kind, std::vector<double> sizes) {
        changes.push_back(
            {.layer = layer, .step = t, .reads = reads(e.marks[t]), .kind = kind, .sizes = std::move(sizes)});
      };
      add("write gate", std::move(reading.write));
      add("forget gate", std::move(reading.forget));
    }
  }
  return changes;
}

}  // namespace

template <class T>
std::vector<MemoryChange> memory_changes(const SequenceModel<T>& model, const Folded<T>& folded,
                                         const Episode<T>& episode) {
  require(episode.marks.size() == episode.x.extent(0) && episode.mode == Mode::kRecurrent && episode.initial.empty(),
          "memory_changes: a recurrent episode from the empty memory, with marks");
  const auto* const baseline = dynamic_cast<const BaselineModel<T>*>(&model);
  return baseline != nullptr ? gates(*baseline, folded, episode) : increments(model, folded, episode);
}

template std::vector<MemoryChange> memory_changes(const SequenceModel<float>&, const Folded<float>&,
                                                  const Episode<float>&);
template std::vector<MemoryChange> memory_changes(const SequenceModel<double>&, const Folded<double>&,
                                                  const Episode<double>&);

}  // namespace schemamem
