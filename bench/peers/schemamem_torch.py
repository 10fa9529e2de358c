"""SchemaMem for training, a batch of episodes with the same chunks. A layer's writer reads only X, so all chunks are
written at once and only the reads, which need S, go chunk by chunk."""

import math

import torch
from torch.nn import functional

import frame

EPSILON = 1e-6


def phasor(theta):
    return torch.cat([theta.cos(), theta.sin()], -1)


def rotation(tokens, half, like):
    rates = 10000.0 ** (-torch.arange(half, dtype=like.dtype) / half)
    angles = torch.arange(tokens, dtype=like.dtype)[:, None] * rates
    return angles.cos(), angles.sin()


def rope(x, cos, sin):
    """x [B, heads, C, dim] by its place in the chunk; pairs (i, i + half)."""
    low, high = x.chunk(2, -1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)


def logits(p, x, chunk_ends):
    starts = [0, *chunk_ends[:-1]]
    lengths = [end - start for start, end in zip(starts, chunk_ends)]
    dim = p["layers.0.attn.w_k"].shape[1]
    cos, sin = rotation(max(lengths), dim // 2, x)

    def layer(h, i):
        w = {name[len(f"layers.{i}."):]: value for name, value in p.items() if name.startswith(f"layers.{i}.")}
        batch, _, width = h.shape
        scale = 1 / math.sqrt(width)
        both = torch.cat([w["w_k"], w["w_v"]], 1)
        static_k, static_v = (phasor(w["schema"]) @ both).chunk(2, -1)
        X = frame.rms_norm(h, w["norm1.weight"], EPSILON)

        write = torch.softmax(X @ (w["w_w"] @ static_k.T * scale), -1)
        F = (X + write @ static_v) @ w["w_delta"]
        written = math.pi * torch.tanh(F)
        query = X @ (w["w_r"] * scale)

        heads = width // dim
        qkv_weight = torch.cat([w["attn.w_q"], w["attn.w_k"], w["attn.w_v"]], 1)
        attended = []
        phase = None
        for start, length in zip(starts, lengths):
            part = slice(start, start + length)
            if phase is None:  # S = 0: one bank for all episodes
                read = torch.softmax(query[:, part] @ static_k.T, -1) @ static_v
            else:
                k, v = (phasor(w["schema"] + phase) @ both).chunk(2, -1)
                read = torch.bmm(torch.softmax(torch.bmm(query[:, part], k.mT), -1), v)
            q, k, v = ((X[:, part] + read) @ qkv_weight).split([width, dim, dim], -1)
            c, s = cos[:length], sin[:length]
            q = rope(q.view(batch, length, heads, dim).transpose(1, 2), c, s)
            k = rope(k.unsqueeze(1), c, s)
            local = functional.scaled_dot_product_attention(
                q, k.expand_as(q), v.unsqueeze(1).expand_as(q), is_causal=True)
            attended.append(local.transpose(1, 2).reshape(batch, length, width))
            if start + length < chunk_ends[-1]:
                increment = torch.bmm(write[:, part].mT, written[:, part])
                phase = torch.remainder(increment if phase is None else phase + increment, 2 * math.pi)
        h = h + torch.cat(attended, 1) @ w["attn.w_o"] + F @ w["w_f"]
        return h + frame.swiglu(frame.rms_norm(h, w["norm2.weight"], EPSILON), w, "mlp.")

    return frame.run(p, x, layer, EPSILON)
