"""SchemaMem in plain PyTorch (the paper's equations; docs/paper_map.md). A layer's writer reads only X, so all chunks are written
at once and only the reads, which need S, go chunk by chunk."""

from __future__ import annotations

import math

import torch

from .plain import chunk_ends, of_layer, rms_norm, swiglu

EPSILON = 1e-6


def _phasor(theta):
    return torch.cat([theta.cos(), theta.sin()], -1)


def _rotation(tokens, half, like):
    rates = 10000.0 ** (-torch.arange(half, dtype=like.dtype, device=like.device) / half)
    angles = torch.arange(tokens, dtype=like.dtype, device=like.device)[:, None] * rates
    return angles.cos(), angles.sin()


def _rope(x, cos, sin):
    """x [B, heads, C, dim] by its place in the chunk; pairs (i, i + half)."""
    low, high = x.chunk(2, -1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)


def _pulled(write, written, phase):
    """dS of a chunk whose tokens pull S, one after the other, towards what they write (commit=pull; docs/theory.md)."""
    left = 1 - write
    later = torch.cat([left[:, 1:], torch.ones_like(left[:, :1])], 1).flip(1).cumprod(1).flip(1)
    increment = (write * later).mT @ written
    if phase is None:
        return increment
    held = torch.where(phase > math.pi, phase - 2 * math.pi, phase)
    return increment - (1 - left.prod(1)).unsqueeze(-1) * held


def _layer(h, w, phase, ends, rotation, commit_last, pulls):
    """h [B, T, d] and S [B, M, d], or None for an empty memory, to the same."""
    batch, _, width = h.shape
    dim = w["attn.w_k"].shape[1]
    heads, scale = width // dim, 1 / math.sqrt(width)
    both = torch.cat([w["w_k"], w["w_v"]], 1)
    static_k, static_v = (_phasor(w["schema"]) @ both).chunk(2, -1)
    x = rms_norm(h, w["norm1.weight"], EPSILON)
    scores = x @ (w["w_w"] @ static_k.T * scale)
    if pulls:  # a place nowhere, whose score is zero
        write = torch.softmax(torch.cat([scores, torch.zeros_like(scores[..., :1])], -1), -1)[..., :-1]
    else:
        write = torch.softmax(scores, -1)
    f = (x + write @ static_v) @ w["w_delta"]
    written = math.pi * torch.tanh(f)
    query = x @ (w["w_r"] * scale)
    qkv = torch.cat([w["attn.w_q"], w["attn.w_k"], w["attn.w_v"]], 1)
    later = torch.ones(len(rotation[0]), len(rotation[0]), dtype=torch.bool, device=h.device).triu(1)
    attended = []
    for start, end in zip([0, *ends[:-1]], ends):
        part, length = slice(start, end), end - start
        if phase is None:  # one bank for all episodes
            read = torch.softmax(query[:, part] @ static_k.T, -1) @ static_v
        else:
            k, v = (_phasor(w["schema"] + phase) @ both).chunk(2, -1)
            read = torch.softmax(query[:, part] @ k.mT, -1) @ v
        q, k, v = ((x[:, part] + read) @ qkv).split([width, dim, dim], -1)
        cos, sin = rotation[0][:length], rotation[1][:length]
        q = _rope(q.view(batch, length, heads, dim).transpose(1, 2), cos, sin)
        k = _rope(k.unsqueeze(1), cos, sin)
        # Written out: PyTorch's fused attention has no second derivative on a CPU.
        scores = (q @ k.mT * (1 / math.sqrt(dim))).masked_fill(later[:length, :length], -math.inf)
        local = torch.softmax(scores, -1) @ v.unsqueeze(1)
        attended.append(local.transpose(1, 2).reshape(batch, length, width))
        if end < ends[-1] or commit_last:
            increment = _pulled(write[:, part], written[:, part], phase) if pulls else write[:, part].mT @ written[:, part]
            phase = torch.remainder(increment if phase is None else phase + increment, 2 * math.pi)
    h = h + torch.cat(attended, 1) @ w["attn.w_o"] + f @ w["w_f"]
    return h + swiglu(rms_norm(h, w["norm2.weight"], EPSILON), w), phase


def stack(p, h, state, sizes, marks, wants_state):
    """All layers: h [B, T, d] and the phases [B, layers * M * d] to the same. Episodes whose marks differ are run one by
    one."""
    if marks is not None and len(marks) > 1 and not bool((marks == marks[:1]).all()):
        runs = [stack(p, h[i:i + 1], None if state is None else state[i:i + 1], sizes, marks[i:i + 1], wants_state)
                for i in range(len(h))]
        return torch.cat([run[0] for run in runs]), torch.cat([run[1] for run in runs]) if wants_state else None
    tokens = h.shape[1]
    ends = chunk_ends(None if marks is None else marks[0].tolist(), tokens, sizes["commit_every"])
    rotation = _rotation(min(tokens, sizes["commit_every"]), sizes["head_dim"] // 2, h)
    shape = (len(h), sizes["slots"], sizes["width"])
    phases = [None] * sizes["layers"] if state is None else [s.reshape(shape) for s in state.chunk(sizes["layers"], 1)]
    for i in range(sizes["layers"]):
        h, phases[i] = _layer(h, of_layer(p, i), phases[i], ends, rotation, wants_state, sizes["commit"] == "pull")
    return h, torch.cat([phase.reshape(len(h), -1) for phase in phases], 1) if wants_state else None
