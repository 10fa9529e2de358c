#pragma once

#include <array>

#include "kernels/gated_delta.h"
#include "models/gated_delta_net/sizes.h"

namespace schemamem::SCHEMAMEM_ISA {

/// The stillness term of one layer during a backward pass over its chunks, last chunk first. Each segment [b, e) of
/// weight w adds, as the mean over heads,
///
///   w C / D,   C = mean (S_e - S_b)^2,   D = mean S_b^2 + eps.
///
/// The change is relative because the output norm divides a head's size away: an absolute change would be made small by
/// making all that is stored small, down to the norm's eps and below (docs/decisions/0009). With H heads of n elements,
///   dS_e = 2 w / (H n D) (S_e - S_b)   leaves the recurrence after token e,
///   dS_b = -dS_e - 2 w C / (H n D^2) S_b   after token b.
/// Only one segment is open at a time, because segments are disjoint.
template <class T, class Sizes>
class GdnStillness {
  using Rule = GatedDelta<T, Sizes>;

 public:
  GdnStillness(Sizes s, const MixerBackward<T>& call, T* memory)
      : s_(s),
        segments_(call.segments.data()),
        left_(call.stillness == T(0) ? 0 : call.segments.size()),
        weight_(call.stillness),
        memory_(memory) {}

  T value() const { return value_; }

  /// Collects the gradients that leave inside `chunk` and points `heads` at them; chunk_of(c, h) describes a chunk's
  /// tape.
  template <class ChunkOf>
  void enter(std::size_t chunk, const ChunkOf& chunk_of, DeltaBackward<T>* heads) {
    const gdn::StillPart at(s_);
    const std::size_t start = chunk * gdn::kChunk;
    bool any = false;
    while (left_ > 0) {
      const Segment& segment = segments_[left_ - 1];
      const std::size_t border = open_ ? segment.begin : segment.end;
      if (border <= start) break;  // an earlier chunk's, or the state before the first token
      if (!any) clear();
      any = true;
      if (!open_) measure(segment, chunk_of);
      for (std::size_t h = 0; h < s_.heads; ++h) {
        T* const m = part(h);
        if (open_) turn(h);
        Rule::add_exit(s_, heads[h], border - start, m + at.change, m + at.change_t, m + at.d_write, m + at.d_key,
                       m + at.d_state);
        m[at.inner + border - start - 1] += Rule::inner(s_, m + at.change_t, m + (open_ ? at.begin_t : at.end_t));
      }
      if (open_) --left_;
      open_ = !open_;
    }
    for (std::size_t h = 0; any && h < s_.heads; ++h) {
      heads[h].exit_d_write = part(h) + at.d_write;
      heads[h].exit_d_key = part(h) + at.d_key;
      heads[h].exit_d_state = part(h) + at.d_state;
      heads[h].exit_inner = part(h) + at.inner;
    }
  }

  /// A first segment that starts before the first token pulls at the state that came in: added to d_state_t.
  void leave(std::size_t head, T* d_state_t) const {
    for (std::size_t i = 0; open_ && i < s_.state; ++i) d_state_t[i] += begin_gradient(head, i);
  }

 private:
  T* part(std::size_t head) const { return memory_ + head * gdn::StillPart(s_).size; }
  void clear() {
    const gdn::StillPart at(s_);
    for (std::size_t h = 0; h < s_.heads; ++h) {
      for (std::size_t i = at.d_state; i < at.size; ++i) part(h)[i] = 0;
    }
  }
  /// Entry i of dS_b^T, while `change_t` holds dS_e^T.
  T begin_gradient(std::size_t head, std::size_t i) const {
    const gdn::StillPart at(s_);
    const T* const m = part(head);
    return -m[at.change_t + i] - growth_[head] * m[at.begin_t + i];
  }
  /// From the gradient at a segment's end to that at its beginning.
  void turn(std::size_t head) {
    T* const change_t = part(head) + gdn::StillPart(s_).change_t;
    for (std::size_t i = 0; i < s_.state; ++i) change_t[i] = begin_gradient(head, i);
    transpose_change(head);
  }
  void transpose_change(std::size_t head) {
    const gdn::StillPart at(s_);
    transpose<T>(part(head) + at.change_t, s_.head, s_.head, s_.head, part(head) + at.change, s_.head);
  }

  /// The segment's value and the gradient at its end.
  template <class ChunkOf>
  void measure(const Segment& segment, const ChunkOf& chunk_of) {
    const gdn::StillPart at(s_);
    const T per_element = T(1) / T(s_.state);
    for (std::size_t h = 0; h < s_.heads; ++h) {
      T* const m = part(h);
      state_after(segment.end, h, chunk_of, m + at.end_t);
      state_after(segment.begin, h, chunk_of, m + at.begin_t);
      T* const change_t = m + at.change_t;
      for (std::size_t i = 0; i < s_.state; ++i) change_t[i] = m[at.end_t + i] - m[at.begin_t + i];
      const T size = Rule::inner(s_, m + at.begin_t, m + at.begin_t) * per_element + T(gdn::kNormEpsilon);
      const T relative = Rule::inner(s_, change_t, change_t) * per_element / size;
      const T factor = T(2) * weight_ * per_element / (T(s_.heads) * size);
      value_ += relative / T(s_.heads);
      growth_[h] = factor * relative;
      for (std::size_t i = 0; i < s_.state; ++i) change_t[i] *= factor;
      transpose_change(h);
    }
  }
  template <class ChunkOf>
  void state_after(std::size_t tokens, std::size_t head, const ChunkOf& chunk_of, T* state_t) const {
    const std::size_t chunk = tokens == 0 ? 0 : (tokens - 1) / gdn::kChunk;
    const DeltaBackward<T> c = chunk_of(chunk, head);
    if (tokens > 0) {
      Rule::state_inside(s_, c, tokens - chunk * gdn::kChunk, state_t);
    } else {
      for (std::size_t i = 0; i < s_.state; ++i) state_t[i] = c.state_t == nullptr ? T(0) : c.state_t[i];
    }
  }

  [[no_unique_address]] Sizes s_;
  const Segment* segments_;
  std::size_t left_;   // segments not yet done
  bool open_ = false;  // the end of segment left_ - 1 has been passed, its beginning has not
  T weight_, value_ = 0;
  std::array<T, Sizes::kMostHeads> growth_{};  // of the open segment: what dS_b asks of the size of S_b
  T* memory_;
};

}  // namespace schemamem::SCHEMAMEM_ISA
