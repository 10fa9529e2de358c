#pragma once

#include "kernels/reference/matrix.h"

// One Gated DeltaNet mixer in scalar double, token by token, forward and backward: the equations of the specification,
// one line for each term. For tests and benchmarks; shares nothing with the kernels.

namespace schemamem::reference {

/// What one head sees of one token, and what backward needs of it.
struct DeltaToken {
  Vector q, k, v;  // q carries no 1/sqrt(K)
  double g = 0.0, beta = 0.0;
  Matrix decayed, state;  // S'_t, S_t: [K, V]
  Vector r, o;
};
struct DeltaTokenGradient {
  Vector q, k, v;
  double g = 0.0, beta = 0.0;
};

/// S' = e^g S;   r = v - S'^T k;   S = S' + k (beta r)^T;   o = S^T q / sqrt(K)
inline void gated_delta_forward(std::vector<DeltaToken>& tokens, Matrix state) {
  for (DeltaToken& token : tokens) {
    const std::size_t K = token.k.size(), V = token.v.size();
    token.r = token.v;
    token.o = Vector(V, 0.0);
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < V; ++j) state[i][j] *= std::exp(token.g);
    }
    token.decayed = state;
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < V; ++j) token.r[j] -= state[i][j] * token.k[i];
    }
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < V; ++j) state[i][j] += token.k[i] * token.beta * token.r[j];
    }
    token.state = state;
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < V; ++j) token.o[j] += state[i][j] * token.q[i] / std::sqrt(static_cast<double>(K));
    }
  }
}

/// `E` is the gradient of the final state on entry and of the first one on return.
inline std::vector<DeltaTokenGradient> gated_delta_backward(const std::vector<DeltaToken>& tokens, const Matrix& d_o,
                                                            Matrix& E) {
  std::vector<DeltaTokenGradient> grads(tokens.size());
  for (std::size_t t = tokens.size(); t-- > 0;) {
    const DeltaToken& token = tokens[t];
    DeltaTokenGradient& d = grads[t];
    const std::size_t K = token.k.size(), V = token.v.size();
    const double c = 1.0 / std::sqrt(static_cast<double>(K));
    d = {.q = Vector(K, 0.0), .k = Vector(K, 0.0), .v = Vector(V, 0.0)};
    Matrix Z = E;
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < V; ++j) {
        d.q[i] += c * token.state[i][j] * d_o[t][j];  // dq = c S do
        Z[i][j] += c * token.q[i] * d_o[t][j];        // Z = E + c q do^T
      }
    }
    Vector du(V, 0.0);
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < V; ++j) du[j] += Z[i][j] * token.k[i];  // du = Z^T k
    }
    d.beta = dot(token.r, du);
    for (std::size_t j = 0; j < V; ++j) d.v[j] = token.beta * du[j];  // dv = dr = beta du
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < V; ++j) {
        d.k[i] += Z[i][j] * token.beta * token.r[j] - token.decayed[i][j] * d.v[j];  // dk = Z (beta r) - S' dr
        Z[i][j] -= token.k[i] * d.v[j];                                              // Z' = Z - k dr^T
        d.g += Z[i][j] * token.decayed[i][j];                                        // dg = <Z', S'>
        E[i][j] = std::exp(token.g) * Z[i][j];
      }
    }
  }
  return grads;
}

}  // namespace schemamem::reference
