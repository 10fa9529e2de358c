"""Gated DeltaNet in plain PyTorch: the WY form in chunks. Everything but the passing of the state from chunk to chunk is one
operation over all chunks; (I + diag(beta) N) is solved once for the values and the keys together."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from .plain import of_layer, rms_norm, swiglu

EPSILON = 1e-6
CHUNK, TAPS = 20, 4


def _unit(x):
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


def _mixer(u, w, state, heads, width):
    """u [B, T, d]; the state is S^T [B, H, V, K] and the last four raw projections of q, k and v, [B, 3 H K, 4]."""
    batch, tokens, _ = u.shape
    inner = heads * width
    weight = torch.cat([w[name + "_proj.weight"] for name in ("q", "k", "v", "g", "a", "b")])
    raw, gate, a, b = (u @ weight.T).split([3 * inner, inner, heads, heads], -1)
    taps = torch.cat([w[name + "_conv1d.weight"] for name in ("q", "k", "v")])
    memory, cache = state
    seen = torch.cat([cache, raw.mT], 2)  # the oldest of the cache is never read
    mixed = F.silu(F.conv1d(seen[:, :, 1:], taps, groups=3 * inner).mT)
    log_decay = -torch.exp(w["A_log"]) * F.softplus(a + w["dt_bias"])

    # To [batch * heads, chunks, CHUNK, ...]; tokens added at the end write nothing.
    count = -(-tokens // CHUNK)

    def cut(x):
        x = F.pad(x, (0, 0, 0, count * CHUNK - tokens)).view(batch, count, CHUNK, heads, -1)
        return x.permute(0, 3, 1, 2, 4).reshape(batch * heads, count, CHUNK, -1)

    q, k, v = (cut(part) for part in mixed.split(inner, -1))
    q, k = _unit(q) * (1 / math.sqrt(width)), _unit(k)
    beta = cut(torch.sigmoid(b))
    total = cut(log_decay).cumsum(-2)
    decay, last = torch.exp(total), total[:, :, -1:]
    mask = torch.exp((total - total.mT).masked_fill(
        torch.ones(CHUNK, CHUNK, dtype=torch.bool, device=u.device).triu(1), -math.inf))
    system = (beta * ((k @ k.mT) * mask)).tril(-1)
    right = torch.cat([v, decay * k], -1) * beta  # X = U - W S_0
    U, W = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True).split(width, -1)
    scores, q_in = (q @ k.mT) * mask, decay * q
    k_out, fade = (torch.exp(last - total) * k).mT, torch.exp(last)

    S = memory.mT.reshape(batch * heads, width, width)
    outputs = []
    for u_c, w_c, p, q_c, k_c, f in zip(*(x.unbind(1) for x in (U, W, scores, q_in, k_out, fade))):
        x = torch.baddbmm(u_c, w_c, S, alpha=-1)
        outputs.append(torch.baddbmm(torch.bmm(p, x), q_c, S))
        S = torch.addcmul(torch.bmm(k_c, x), f, S)
    o = torch.stack(outputs, 1).view(batch, heads, count * CHUNK, width)[:, :, :tokens].transpose(1, 2)
    normed = rms_norm(o, w["o_norm.weight"], EPSILON).reshape(batch, tokens, inner)
    y = (normed * F.silu(gate)) @ w["o_proj.weight"].T
    return y, (S.view(batch, heads, width, width).mT, seen[:, :, -TAPS:])


def stack(p, h, state, sizes, marks, wants_state):
    """All layers: h [B, T, d] and the flat states [B, layers * (H V K + 3 H K 4)] to the same. Marks are not for it."""
    batch, heads, width = len(h), sizes["heads"], sizes["head_dim"]
    parts = [heads * width * width, 3 * heads * width * TAPS]
    if state is None:
        state = h.new_zeros(batch, sizes["layers"] * sum(parts))
    after = []
    for i, flat in enumerate(state.chunk(sizes["layers"], 1)):
        memory, cache = flat.split(parts, 1)
        w = of_layer(p, i)
        carried = memory.reshape(batch, heads, width, width), cache.reshape(batch, 3 * heads * width, TAPS)
        y, (memory, cache) = _mixer(rms_norm(h, w["norm1.weight"], EPSILON), of_layer(p, i, "mixer."), carried, heads, width)
        h = h + y
        h = h + swiglu(rms_norm(h, w["norm2.weight"], EPSILON), w)
        after += [memory.reshape(batch, -1), cache.reshape(batch, -1)]
    return h, torch.cat(after, 1) if wants_state else None
