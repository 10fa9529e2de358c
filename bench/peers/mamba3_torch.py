"""Mamba-3 (SISO, two groups) for training: the shifted recurrence in chunks, with a decay mask. Everything but the passing
of the state from chunk to chunk is one operation over all chunks."""

import math

import torch
import torch.nn.functional as F

import frame

EPSILON = 1e-5
HEADS, GROUPS, VALUE, STATE, ANGLES, CHUNK = 4, 2, 16, 80, 20, 40
INNER = HEADS * VALUE


def rotate(x, cos, sin):
    """Turns neighbouring pairs of the first 2 ANGLES entries of the last axis."""
    turned, rest = x.split([2 * ANGLES, STATE - 2 * ANGLES], -1)
    even, odd = turned.unflatten(-1, (ANGLES, 2)).unbind(-1)
    turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)
    return torch.cat([turned, rest], -1)


def mixer(u, w):
    batch, tokens, _ = u.shape
    sizes = [INNER, INNER, GROUPS * STATE, GROUPS * STATE, HEADS, HEADS, HEADS, ANGLES]
    z, v, b, c, dt, a, trap, angle = (u @ w["in_proj.weight"].T).split(sizes, -1)
    dt = F.softplus(dt + w["dt_bias"])
    log_decay = torch.clamp(-F.softplus(a), max=-1e-4) * dt
    weight = torch.sigmoid(trap)
    phase = torch.cumsum(math.pi * torch.tanh(angle)[:, :, None] * dt[..., None], 1)  # [B, T, H, angles]
    cos, sin = phase.cos(), phase.sin()

    def heads_of(x, norm, bias):
        x = frame.rms_norm(x.view(batch, tokens, GROUPS, STATE), norm, EPSILON)
        return x.repeat_interleave(HEADS // GROUPS, 2) + bias[:, 0]

    k = rotate(heads_of(b, w["B_norm.weight"], w["B_bias"]), cos, sin)
    q = rotate(heads_of(c, w["C_norm.weight"], w["C_bias"]), cos, sin)
    gamma = weight * dt
    ahead = F.pad(((1 - weight) * dt)[:, 1:], (0, 0, 0, 1))  # of the next token; nothing follows the last
    v = v.view(batch, tokens, HEADS, VALUE)
    here = (gamma * (q * k).sum(-1) + w["D"])[..., None] * v

    count = -(-tokens // CHUNK)
    missing = count * CHUNK - tokens

    def cut(x):
        x = F.pad(x.flatten(2), (0, 0, 0, missing)).view(batch, count, CHUNK, HEADS, -1)
        return x.permute(0, 3, 1, 2, 4).reshape(batch * HEADS, count, CHUNK, -1)

    q, k = cut(q), cut(k)
    values = cut(v * (gamma + ahead)[..., None])
    total = cut(log_decay).cumsum(-2)
    last = total[:, :, -1:]
    mask = torch.exp((total - total.mT).masked_fill(torch.ones(CHUNK, CHUNK, dtype=torch.bool).triu(), -math.inf))
    inside = ((q @ k.mT) * mask) @ values
    added = (torch.exp(last - total) * k).mT @ values  # [B H, chunks, STATE, VALUE]
    fade = torch.exp(last)
    states = [torch.zeros_like(added[:, 0])]
    for c in range(count - 1):
        states.append(torch.addcmul(added[:, c], fade[:, c], states[-1]))
    o = inside + (torch.exp(total) * q) @ torch.stack(states, 1)
    o = o.view(batch, HEADS, count * CHUNK, VALUE)[:, :, :tokens].transpose(1, 2) + here
    return (o.reshape(batch, tokens, INNER) * F.silu(z)) @ w["out_proj.weight"].T


def logits(p, x, chunk_ends):
    def layer(h, i):
        q = f"layers.{i}."
        w = {name[len(q + "mixer."):]: value for name, value in p.items() if name.startswith(q + "mixer.")}
        return h + mixer(frame.rms_norm(h, p[q + "norm1.weight"], EPSILON), w)

    return frame.run(p, x, layer, EPSILON)
