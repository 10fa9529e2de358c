#pragma once

#include "kernels/gated_delta.h"
#include "models/gated_delta_net/sizes.h"

namespace schemamem::SCHEMAMEM_ISA {

/// The stillness term of one layer during a backward pass over its chunks, last chunk first. Each segment [b, e) of
/// weight w adds w mean (S_e - S_b)^2: a gradient 2 w / n (S_e - S_b) leaves the recurrence after token e and, with the
/// other sign, after token b. Only one segment is open at a time, because segments are disjoint.
template <class T>
class GdnStillness {
  using Rule = GatedDelta<T, gdn::DeltaShape>;
  using Part = gdn::StillPart;
  static constexpr std::size_t kSize = gdn::kStateSize;

 public:
  GdnStillness(const MixerBackward<T>& call, T* memory)
      : segments_(call.segments.data()),
        left_(call.stillness == T(0) ? 0 : call.segments.size()),
        weight_(call.stillness),
        memory_(memory) {}

  T value() const { return value_; }

  /// Collects the gradients that leave inside `chunk` and points `heads` at them; chunk_of(c, h) describes a chunk's
  /// tape, initial(h) is S^T before the first token or nullptr.
  template <class ChunkOf>
  void enter(std::size_t chunk, const ChunkOf& chunk_of, DeltaBackward<T>* heads) {
    const std::size_t start = chunk * gdn::kChunk;
    bool any = false;
    while (left_ > 0) {
      const Segment& segment = segments_[left_ - 1];
      const std::size_t border = open_ ? segment.begin : segment.end;
      if (border <= start) break;  // an earlier chunk's, or the state before the first token
      if (!any) clear();
      any = true;
      if (!open_) measure(segment, chunk_of);
      for (std::size_t h = 0; h < gdn::kHeads; ++h) {
        T* const m = part(h);
        if (open_) flip(m);
        Rule::add_exit(heads[h], border - start, m + Part::change, m + Part::change_t, m + Part::d_write,
                       m + Part::d_key, m + Part::d_state);
        m[Part::inner + border - start - 1] +=
            Rule::inner(m + Part::change_t, m + (open_ ? Part::begin_t : Part::end_t));
      }
      if (open_) --left_;
      open_ = !open_;
    }
    for (std::size_t h = 0; any && h < gdn::kHeads; ++h) {
      heads[h].exit_d_write = part(h) + Part::d_write;
      heads[h].exit_d_key = part(h) + Part::d_key;
      heads[h].exit_d_state = part(h) + Part::d_state;
      heads[h].exit_inner = part(h) + Part::inner;
    }
  }

  /// A first segment that starts before the first token pulls at the state that came in: subtracted from d_state_t.
  void leave(std::size_t head, T* d_state_t) const {
    if (!open_) return;
    const T* const change_t = part(head) + Part::change_t;
    for (std::size_t i = 0; i < kSize; ++i) d_state_t[i] -= change_t[i];
  }

 private:
  T* part(std::size_t head) const { return memory_ + head * Part::size; }
  void clear() {
    for (std::size_t h = 0; h < gdn::kHeads; ++h) {
      for (std::size_t i = Part::d_state; i < Part::size; ++i) part(h)[i] = 0;
    }
  }
  static void flip(T* m) {
    for (std::size_t i = 0; i < 2 * kSize; ++i) m[Part::change + i] = -m[Part::change + i];
  }

  /// S_e - S_b, its value and its gradient.
  template <class ChunkOf>
  void measure(const Segment& segment, const ChunkOf& chunk_of) {
    constexpr T kMean = T(1) / T(gdn::kHeads * kSize);
    for (std::size_t h = 0; h < gdn::kHeads; ++h) {
      T* const m = part(h);
      state_after(segment.end, h, chunk_of, m + Part::end_t);
      state_after(segment.begin, h, chunk_of, m + Part::begin_t);
      T* const change_t = m + Part::change_t;
      for (std::size_t i = 0; i < kSize; ++i) change_t[i] = m[Part::end_t + i] - m[Part::begin_t + i];
      value_ += Rule::inner(change_t, change_t) * kMean;
      for (std::size_t i = 0; i < kSize; ++i) change_t[i] *= T(2) * weight_ * kMean;
      transpose<T>(change_t, gdn::kHead, gdn::kHead, gdn::kHead, m + Part::change, gdn::kHead);
    }
  }
  template <class ChunkOf>
  static void state_after(std::size_t tokens, std::size_t head, const ChunkOf& chunk_of, T* state_t) {
    const std::size_t chunk = tokens == 0 ? 0 : (tokens - 1) / gdn::kChunk;
    const DeltaBackward<T> c = chunk_of(chunk, head);
    if (tokens > 0) {
      Rule::state_inside(c, tokens - chunk * gdn::kChunk, state_t);
    } else {
      for (std::size_t i = 0; i < kSize; ++i) state_t[i] = c.state_t == nullptr ? T(0) : c.state_t[i];
    }
  }

  const Segment* segments_;
  std::size_t left_;   // segments not yet done
  bool open_ = false;  // the end of segment left_ - 1 has been passed, its beginning has not
  T weight_, value_ = 0;
  T* memory_;
};

}  // namespace schemamem::SCHEMAMEM_ISA
