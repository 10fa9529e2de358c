#pragma once

#include "models/mamba3/sizes.h"

namespace schemamem::mamba3 {

/// Hands out the parts of a block of scratch one behind the other. Place is a pointer into the block, or a number where
/// only the room is counted.
template <class Place>
struct Carver {
  Place next;

  [[gnu::always_inline]] constexpr Place operator()(std::size_t count) {
    const Place taken = next;
    next += padded(count);
    return taken;
  }
};

/// What a chunk's forward pass works in. In each of these structs `end` lies behind the last part.
template <class Place>
struct ForwardWork {
  Place padded, gated;
  Place written;  // s v
  Place leaving;  // e^{c_last - c} s v
  Place writes;   // its transpose
  Place angle, end;
};
template <class Place, class S>
[[gnu::always_inline]] constexpr ForwardWork<Place> forward_work(const S& s, Place begin) {
  Carver<Place> take{begin};
  return {.padded = take(kChunk * s.width),
          .gated = take(s.inner * kChunk),
          .written = take(s.value * kChunk),
          .leaving = take(s.value * kChunk),
          .writes = take(kChunk * s.value),
          .angle = take(s.heads * s.angles),
          .end = take.next};
}

/// What a chunk's backward pass works in; rows are [kChunk] as on the tape. d_state and d_angle travel from chunk to
/// chunk: the gradients with respect to the shifted state [H, N, P] and to the angle behind the chunk.
template <class Place>
struct BackwardWork {
  Place d_state, d_angle;
  Place padded, d_y, gated, d_o;
  Place entering;            // e^c do
  Place reads;               // its transpose
  Place leaving;             // e^{c_last - c} v
  Place d_score;             // (v_j . do_i) L_ij at row j, token i
  Place d_score_written;     // the same times s_j
  Place d_score_transposed;  // row i, token j
  Place score_transposed;
  Place d_query;        // of one group's heads
  Place d_write_key;    // E^T v: the key's gradient before its strength
  Place d_write_value;  // E k
  Place d_projected, d_turn;
  Place read_dot;   // do . P q
  Place own_dot;    // do . v
  Place write_dot;  // v^T E k, at kChunk - 1 that of the token before the chunk
  Place d_log;
  Place closing;  // <E, S^> at the chunk's end
  Place end;
};
template <class Place, class S>
[[gnu::always_inline]] constexpr BackwardWork<Place> backward_work(const S& s, Place begin) {
  Carver<Place> take{begin};
  return {.d_state = take(s.heads * s.state * s.value),
          .d_angle = take(s.heads * s.angles),
          .padded = take(kChunk * s.width),
          .d_y = take(s.width * kChunk),
          .gated = take(s.inner * kChunk),
          .d_o = take(s.inner * kChunk),
          .entering = take(s.value * kChunk),
          .reads = take(kChunk * s.value),
          .leaving = take(s.value * kChunk),
          .d_score = take(kChunk * kChunk),
          .d_score_written = take(kChunk * kChunk),
          .d_score_transposed = take(kChunk * kChunk),
          .score_transposed = take(kChunk * kChunk),
          .d_query = take(s.heads_of_group * s.state * kChunk),
          .d_write_key = take(s.heads_of_group * s.state * kChunk),
          .d_write_value = take(s.value * kChunk),
          .d_projected = take(s.rows * kChunk),
          .d_turn = take(s.heads * s.angles * kChunk),
          .read_dot = take(s.heads * kChunk),
          .own_dot = take(s.heads * kChunk),
          .write_dot = take(s.heads * 2 * kChunk),
          .d_log = take(kChunk),
          .closing = take(s.heads),
          .end = take.next};
}

/// Gradients of weights that every token adds to, one sum per lane; added up when the piece is done.
template <class Place>
struct Sums {
  Place b_bias, c_bias;  // [H, N] rows
  Place b_norm, c_norm;  // [N] rows
  Place dt_bias, d;      // [H] rows
  Place end;
};
template <class Place, class S>
[[gnu::always_inline]] constexpr Sums<Place> sums_of(const S& s, Place begin) {
  Carver<Place> take{begin};
  return {.b_bias = take(s.heads * s.state * kChunk),
          .c_bias = take(s.heads * s.state * kChunk),
          .b_norm = take(s.state * kChunk),
          .c_norm = take(s.state * kChunk),
          .dt_bias = take(s.heads * kChunk),
          .d = take(s.heads * kChunk),
          .end = take.next};
}

/// What reaches single tokens of a chunk beside d_y: the gradient of the final state and the stillness term.
template <class Place>
struct Extra {
  Place key, value;                // [H, N] and [H, P] rows
  Place own_write;                 // gradient of gamma
  Place read_dot;                  // <dS, P>
  Place from, to;                  // states around a segment
  Place change;                    // gradient of the state at a border
  Place change_value, change_key;  // its products with v and k
  Place before, at;                // what a token's write weighs at the border: earlier tokens, the border's own
  Place end;
};
template <class Place, class S>
[[gnu::always_inline]] constexpr Extra<Place> extra_of(const S& s, Place begin) {
  Carver<Place> take{begin};
  return {.key = take(s.heads * s.state * kChunk),
          .value = take(s.heads * s.value * kChunk),
          .own_write = take(s.heads * kChunk),
          .read_dot = take(s.heads * kChunk),
          .from = take(s.state * s.value),
          .to = take(s.state * s.value),
          .change = take(s.state * s.value),
          .change_value = take(s.state * kChunk),
          .change_key = take(s.value * kChunk),
          .before = take(kChunk),
          .at = take(kChunk),
          .end = take.next};
}

/// What a stream works in, kChunk tokens at a time. What vectors read beyond the heads and angles is padding.
template <class Place>
struct StreamWork {
  Place projected, gated;
  Place gate, softplus, sigmoid;  // dt, A and trap of all heads
  Place rate;
  Place cos, sin;
  Place normed, query, key, o;
  Place end;
};
template <class Place, class S>
[[gnu::always_inline]] constexpr StreamWork<Place> stream_work(const S& s, Place begin) {
  Carver<Place> take{begin};
  return {.projected = take(kChunk * s.padded_rows),
          .gated = take(kChunk * s.inner),
          .gate = take(3 * s.heads),
          .softplus = take(3 * s.heads),
          .sigmoid = take(3 * s.heads),
          .rate = take(s.angles),
          .cos = take(s.heads * s.angles),
          .sin = take(s.heads * s.angles),
          .normed = take(s.state),
          .query = take(s.state),
          .key = take(s.state),
          .o = take(s.value),
          .end = take.next};
}

}  // namespace schemamem::mamba3
