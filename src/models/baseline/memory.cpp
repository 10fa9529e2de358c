#include "models/baseline/memory.h"

#include <utility>

namespace schemamem {

template <class T>
BaselineModel<T>::Memory::Memory(const BaselineModel& model, std::size_t most, Use use, ArenaPolicy policy)
    : arena(policy), capacity(most) {
  const Mixer<T>& mixer = *model.mixer_;
  const bool training = use == Use::kTraining;
  const std::size_t wide = most * model.sizes_.width;
  const std::size_t hidden = most * model.sizes_.hidden;
  std::vector<std::pair<T**, Arena::Block<T>>> blocks;
  const auto reserve = [&](T*& pointer, std::size_t size) { blocks.emplace_back(&pointer, arena.reserve<T>(size)); };
  std::vector<Blocks<T>> mixer_blocks;

  layers.resize(training ? model.config_.layers : 1);
  reserve(x, model.config_.maps ? most * model.config_.row_width() : 0);
  for (LayerRows<T>& rows : layers) {
    reserve(rows.h, wide);
    reserve(rows.u, wide);
    reserve(rows.inverse1, most);
    if (model.has_mlp()) {
      reserve(rows.mid, wide);
      reserve(rows.z, wide);
      reserve(rows.inverse2, most);
      reserve(rows.gate_up, 2 * hidden);
      reserve(rows.activated, hidden);
    }
    if (training) mixer_blocks.emplace_back(arena, mixer.tape_blocks(most));
  }
  reserve(end, wide);
  reserve(normed, wide);
  reserve(inverse, most);
  reserve(logits, most * model.padded_outputs());
  if (training) {
    reserve(d_h, wide);
    reserve(d_u, wide);
    reserve(d_gate_up, 2 * hidden);
    reserve(d_activated, hidden);
    reserve(answered, wide);
    reserve(d_answered, wide);
    answers.reserve(most);
  }
  const Blocks<T> scratch(arena, training ? mixer.scratch_blocks(most) : mixer.stream_blocks());
  arena.allocate();
  for (const auto& [pointer, block] : blocks) *pointer = arena.at(block);
  for (std::size_t l = 0; l < mixer_blocks.size(); ++l) layers[l].mixer = mixer_blocks[l].in(arena);
  mixer_scratch = scratch.in(arena);
  if (training) segments.reserve(most / 2 + 1);
}

template struct BaselineModel<float>::Memory;
template struct BaselineModel<double>::Memory;

}  // namespace schemamem
