#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>
#include <vector>

#include "kernels/reference/operations.h"

// SchemaMem in scalar double, one line for each term of the equations. A token is a row, weights are [in, out]. For
// tests and benchmarks; shares nothing with the kernels.

namespace schemamem::reference {

/// One layer's weights by their names; also used for gradients.
struct SchemaMemLayerWeights {
  Matrix norm1, norm2;                // [1, D]
  Matrix schema;                      // E: [M, D]
  Matrix w_k, w_v;                    // [2 D, D]
  Matrix w_r, w_w, w_delta, w_f;      // [D, D]
  Matrix attn_q, attn_o;              // [D, D]
  Matrix attn_k, attn_v;              // [D, head]
  Matrix mlp_gate, mlp_up, mlp_down;  // [D, G], [D, G], [G, D]
};
struct SchemaMemWeights {
  Matrix in_proj, bias;  // [inputs, D], [1, D]
  std::vector<SchemaMemLayerWeights> layers;
  Matrix final_norm, out_proj;  // [1, D], [D, outputs]

  /// Calls visit(matrix) for all of them, in the order of a checkpoint.
  template <class Self, class Visit>
  static void each_matrix(Self& w, Visit visit) {
    visit(w.in_proj), visit(w.bias);
    for (auto& l : w.layers) {
      for (auto* m : {&l.norm1, &l.norm2, &l.schema, &l.w_k, &l.w_v, &l.w_r, &l.w_w, &l.w_delta, &l.w_f, &l.attn_q,
                      &l.attn_o, &l.attn_k, &l.attn_v, &l.mlp_gate, &l.mlp_up, &l.mlp_down}) {
        visit(*m);
      }
    }
    visit(w.final_norm), visit(w.out_proj);
  }
};

enum class SchemaMemMode { kRecurrent, kFullHistory, kAblated };
/// What a write sees of its slots: U = P_w V(E), as printed, or U = P_w V(E + S).
enum class SchemaMemWriter { kStatic, kLive };
/// What a write does to its slots: it adds to them, as printed, or pulls them towards what is written.
enum class SchemaMemCommit { kAdd, kPull };
/// What is not as printed.
struct SchemaMemForm {
  SchemaMemWriter writer = SchemaMemWriter::kStatic;
  SchemaMemCommit commit = SchemaMemCommit::kAdd;
  double floor = 0;        // smaller increments are not committed
  std::size_t phases = 0;  // that S can take; 0: any
};

/// One chunk through one layer. Keeps what backward needs.
class SchemaMemChunk {
 public:
  SchemaMemChunk(const SchemaMemLayerWeights& weights, Matrix h, const Matrix& s, const SchemaMemForm& form)
      : w_(weights),
        H_(std::move(h)),
        S_(each([](double phase) { return std::remainder(phase, 2 * std::numbers::pi); }, s)),
        theta_(w_.schema + s),
        live_(form.writer == SchemaMemWriter::kLive),
        pulls_(form.commit == SchemaMemCommit::kPull) {
    const auto all_slots = [&](std::size_t) { return w_.schema.size(); };
    const auto no_later_token = [](std::size_t t) { return t + 1; };
    X_ = rms_norm(H_, w_.norm1);
    K_ = phasor(theta_) * w_.w_k, V_ = phasor(theta_) * w_.w_v;
    K0_ = phasor(w_.schema) * w_.w_k, V0_ = phasor(w_.schema) * w_.w_v;

    P_r_ = softmax(X_ * w_.w_r * transposed(K_) * root_width(), all_slots);
    const Matrix R = P_r_ * V_;
    const Matrix write_scores = X_ * w_.w_w * transposed(K0_) * root_width();
    P_w_ = pulls_ ? softmax_or_nowhere(write_scores) : softmax(write_scores, all_slots);
    F_ = (X_ + P_w_ * seen()) * w_.w_delta;

    Y_ = X_ + R;
    k_ = rope(Y_ * w_.attn_k, 1), v_ = Y_ * w_.attn_v;
    A_ = zeros_like(H_);
    for (std::size_t head = 0; head < heads(); ++head) {
      q_.push_back(rope(columns(Y_ * w_.attn_q, head * head_width(), head_width()), 1));
      P_.push_back(softmax(q_[head] * transposed(k_) * root_head(), no_later_token));
      set_columns(A_, head * head_width(), P_[head] * v_);
    }

    H1_ = H_ + A_ * w_.attn_o + F_ * w_.w_f;
    Z_ = rms_norm(H1_, w_.norm2);
    gate_ = Z_ * w_.mlp_gate, up_ = Z_ * w_.mlp_up;
    act_ = each([](double g, double u) { return silu(g) * u; }, gate_, up_);
  }

  Matrix outputs() const { return H1_ + act_ * w_.mlp_down; }
  /// dS = P_w^T [pi tanh F], or where the pulls of all tokens lead to
  Matrix increment() const { return pulls_ ? pulled().back() - S_ : transposed(P_w_) * written(); }

  /// From the gradients of the outputs and of the increment to those of H (returned), S and the weights (added).
  Matrix backward(const Matrix& d_H2, const Matrix& d_increment, Matrix& d_S, SchemaMemLayerWeights& d) const {
    d.mlp_down += transposed(act_) * d_H2;
    const Matrix d_act = d_H2 * transposed(w_.mlp_down);
    const Matrix d_gate = each([](double e, double g, double u) { return e * u * d_silu(g); }, d_act, gate_, up_);
    const Matrix d_up = each([](double e, double g) { return e * silu(g); }, d_act, gate_);
    d.mlp_gate += transposed(Z_) * d_gate;
    d.mlp_up += transposed(Z_) * d_up;
    const Matrix d_Z = d_gate * transposed(w_.mlp_gate) + d_up * transposed(w_.mlp_up);
    const Matrix d_H1 = d_H2 + rms_norm_backward(H1_, w_.norm2, d_Z, d.norm2);

    d.attn_o += transposed(A_) * d_H1;
    const Matrix d_Y = attention_backward(d_H1 * transposed(w_.attn_o), d);
    Matrix d_X = d_Y;  // Y = X + R

    Matrix d_K = zeros_like(K_), d_V = transposed(P_r_) * d_Y;
    d_X += slots_backward(w_.w_r, K_, P_r_, d_Y * transposed(V_), d_K, d.w_r);

    d.w_f += transposed(F_) * d_H1;
    Matrix d_F = d_H1 * transposed(w_.w_f);
    Matrix d_written = P_w_ * d_increment, d_P_w = written() * transposed(d_increment);
    if (pulls_) pull_backward(d_increment, d_written, d_P_w, d_S);
    d_F += each([](double e, double f) { return e * std::numbers::pi * (1 - std::tanh(f) * std::tanh(f)); }, d_written,
                F_);
    d.w_delta += transposed(X_ + P_w_ * seen()) * d_F;
    const Matrix d_U = d_F * transposed(w_.w_delta);  // U = X + P_w V(E), or X + P_w V(E + S)
    d_X += d_U;
    d_P_w += d_U * transposed(seen());
    Matrix d_K0 = zeros_like(K0_), d_V0 = zeros_like(V0_);
    d_X += slots_backward(w_.w_w, K0_, P_w_, d_P_w, d_K0, d.w_w);
    (live_ ? d_V : d_V0) += transposed(P_w_) * d_U;
    d.schema += bank_backward(w_.schema, d_K0, d_V0, d);
    const Matrix d_theta = bank_backward(theta_, d_K, d_V, d);
    d.schema += d_theta;
    d_S += d_theta;

    return d_H1 + rms_norm_backward(H_, w_.norm1, d_X, d.norm1);
  }

 private:
  /// The values that a write sees.
  const Matrix& seen() const { return live_ ? V_ : V0_; }
  std::size_t head_width() const { return w_.attn_k[0].size(); }
  std::size_t heads() const { return w_.attn_q.size() / head_width(); }
  double root_width() const { return 1.0 / std::sqrt(static_cast<double>(w_.schema[0].size())); }
  double root_head() const { return 1.0 / std::sqrt(static_cast<double>(head_width())); }
  /// pi tanh F
  Matrix written() const {
    return each([](double f) { return std::numbers::pi * std::tanh(f); }, F_);
  }

  /// S before the first token and behind each: S_m <- S_m + P_w[t, m] (pi tanh F_t - S_m), as angles around zero
  std::vector<Matrix> pulled() const {
    std::vector<Matrix> states{S_};
    const Matrix target = written();
    for (std::size_t t = 0; t < target.size(); ++t) {
      Matrix next = states.back();
      for (std::size_t m = 0; m < next.size(); ++m)
        for (std::size_t j = 0; j < next[m].size(); ++j) next[m][j] += P_w_[t][m] * (target[t][j] - next[m][j]);
      states.push_back(std::move(next));
    }
    return states;
  }
  /// Through these steps, the last one first. S is left as much influence as the pulls leave of it.
  void pull_backward(const Matrix& d_increment, Matrix& d_written, Matrix& d_P_w, Matrix& d_S) const {
    const std::vector<Matrix> states = pulled();
    const Matrix target = written();
    Matrix d_state = d_increment;  // of S behind token t
    for (std::size_t t = target.size(); t-- > 0;) {
      d_written[t] = (Matrix{P_w_[t]} * d_state)[0];
      for (std::size_t m = 0; m < d_state.size(); ++m) {
        d_P_w[t][m] = 0;
        for (std::size_t j = 0; j < d_state[m].size(); ++j) {
          d_P_w[t][m] += d_state[m][j] * (target[t][j] - states[t][m][j]);
          d_state[m][j] *= 1 - P_w_[t][m];
        }
      }
    }
    d_S += d_state - d_increment;
  }

  /// Through P = softmax((X W) K^T / sqrt d): returns d_X, adds d_K and d_W.
  Matrix slots_backward(const Matrix& w, const Matrix& keys, const Matrix& p, const Matrix& d_p, Matrix& d_keys,
                        Matrix& d_w) const {
    const Matrix d_score = softmax_backward(p, d_p) * root_width();
    const Matrix d_query = d_score * keys;
    d_keys += transposed(d_score) * (X_ * w);
    d_w += transposed(X_) * d_query;
    return d_query * transposed(w);
  }
  /// Through K(Theta) = phi(Theta) W_K and V(Theta) = phi(Theta) W_V: returns d_Theta.
  Matrix bank_backward(const Matrix& theta, const Matrix& d_keys, const Matrix& d_values,
                       SchemaMemLayerWeights& d) const {
    d.w_k += transposed(phasor(theta)) * d_keys;
    d.w_v += transposed(phasor(theta)) * d_values;
    return phasor_backward(theta, d_keys * transposed(w_.w_k) + d_values * transposed(w_.w_v));
  }
  Matrix attention_backward(const Matrix& d_A, SchemaMemLayerWeights& d) const {
    Matrix d_q = zeros_like(d_A), d_k = zeros_like(k_), d_v = zeros_like(v_);
    for (std::size_t head = 0; head < heads(); ++head) {
      const Matrix d_head = columns(d_A, head * head_width(), head_width());
      const Matrix d_score = softmax_backward(P_[head], d_head * transposed(v_)) * root_head();
      d_v += transposed(P_[head]) * d_head;
      d_k += transposed(d_score) * q_[head];
      set_columns(d_q, head * head_width(), rope(d_score * k_, -1));
    }
    d_k = rope(d_k, -1);
    d.attn_q += transposed(Y_) * d_q;
    d.attn_k += transposed(Y_) * d_k;
    d.attn_v += transposed(Y_) * d_v;
    return d_q * transposed(w_.attn_q) + d_k * transposed(w_.attn_k) + d_v * transposed(w_.attn_v);
  }

  const SchemaMemLayerWeights& w_;
  Matrix H_, S_, theta_, X_, K_, V_, K0_, V0_, P_r_, P_w_, F_, Y_, k_, v_, A_, H1_, Z_, gate_, up_, act_;
  std::vector<Matrix> q_, P_;
  bool live_, pulls_;
};

/// One episode from the empty state. `x` holds a row of bits for each token, the last one its validity.
class SchemaMem {
 public:
  SchemaMem(const SchemaMemWeights& weights, Matrix x, SchemaMemMode mode, std::size_t commit_every,
            const SchemaMemForm& form = {})
      : w_(weights), x_(std::move(x)), mode_(mode), floor_(form.floor), places_(static_cast<double>(form.phases)) {
    for (std::size_t t = 1, begin = 0; t <= x_.size(); ++t) {
      const bool commits = t < x_.size() && mode != SchemaMemMode::kFullHistory &&
                           (t - begin == commit_every || x_[t].back() != x_[t - 1].back());
      if (commits || t == x_.size()) ends_.push_back(t), begin = t;
    }
    H_ = x_ * w_.in_proj + Matrix(x_.size(), w_.bias[0]);
    for (const SchemaMemLayerWeights& layer : w_.layers) {
      Matrix S = zeros_like(layer.schema), next;
      chunks_.emplace_back();
      for (std::size_t c = 0; c < ends_.size(); ++c) {
        chunks_.back().emplace_back(layer, rows_of_chunk(H_, c), S, form);
        for (Vector& row : chunks_.back()[c].outputs()) next.push_back(std::move(row));
        if (c + 1 < ends_.size()) S = committed(S, chunks_.back()[c].increment());
      }
      H_ = next;
      phases_.push_back(S);
    }
  }

  const std::vector<std::size_t>& chunk_ends() const { return ends_; }
  Matrix logits() const { return rms_norm(H_, w_.final_norm) * w_.out_proj; }
  /// S of a layer after the last commit that happened.
  const Matrix& phases(std::size_t layer) const { return phases_[layer]; }

  /// Adds the gradient of sum(logits * d_logits).
  void backward(const Matrix& d_logits, SchemaMemWeights& d) const {
    d.out_proj += transposed(rms_norm(H_, w_.final_norm)) * d_logits;
    Matrix d_H = rms_norm_backward(H_, w_.final_norm, d_logits * transposed(w_.out_proj), d.final_norm);
    for (std::size_t l = w_.layers.size(); l-- > 0;) {
      Matrix d_S = zeros_like(w_.layers[l].schema), before;  // of S as the chunk's end leaves it, then as it began
      for (std::size_t c = ends_.size(); c-- > 0;) {
        if (mode_ != SchemaMemMode::kRecurrent) d_S = zeros_like(d_S);  // what is erased has no influence
        const Matrix d_increment =                                      // d mod / dx = 1; so has what was dropped
            each([&](double ds, double d_s) { return is_dropped(ds) ? 0.0 : d_s; }, chunks_[l][c].increment(), d_S);
        const Matrix d_rows = chunks_[l][c].backward(rows_of_chunk(d_H, c), d_increment, d_S, d.layers[l]);
        before.insert(before.begin(), d_rows.begin(), d_rows.end());
      }
      d_H = before;
    }
    d.in_proj += transposed(x_) * d_H;
    d.bias += Matrix(1, Vector(x_.size(), 1.0)) * d_H;
  }

 private:
  Matrix rows_of_chunk(const Matrix& rows, std::size_t c) const {
    const std::size_t begin = c == 0 ? 0 : ends_[c - 1];
    return {rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.begin() + static_cast<std::ptrdiff_t>(ends_[c])};
  }
  bool is_dropped(double increment) const { return std::abs(increment) < floor_; }
  /// S <- (S + dS) mod 2 pi, where |dS| reaches the floor, or zero; with phases of its own the nearest of them
  Matrix committed(const Matrix& S, const Matrix& increment) const {
    if (mode_ == SchemaMemMode::kAblated) return zeros_like(S);
    const double turn = 2 * std::numbers::pi;
    const auto nearest = [&](double s) {
      return places_ > 0 ? std::nearbyint(s * places_ / turn) * turn / places_ : s;
    };
    const auto wrapped = [&](double s) { return nearest(s) - turn * std::floor(nearest(s) / turn); };
    return each([&](double s, double ds) { return is_dropped(ds) ? s : wrapped(s + ds); }, S, increment);
  }

  const SchemaMemWeights& w_;
  Matrix x_;
  SchemaMemMode mode_;
  double floor_, places_;
  std::vector<std::size_t> ends_;
  Matrix H_;  // of the final norm
  std::vector<std::vector<SchemaMemChunk>> chunks_;
  std::vector<Matrix> phases_;
};

}  // namespace schemamem::reference
