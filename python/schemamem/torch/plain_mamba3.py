"""Mamba-3 (SISO) in plain PyTorch: the shifted recurrence in chunks, with a decay mask. Everything but the passing of the state
from chunk to chunk is one operation over all chunks."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from .plain import of_layer, rms_norm

EPSILON = 1e-5
CHUNK = 40


def _rotate(x, turn, angles):
    """Turns neighbouring pairs of the first 2 ``angles`` entries of the last axis, as complex numbers."""
    turned, rest = x.split([2 * angles, x.shape[-1] - 2 * angles], -1)
    turned = torch.view_as_real(torch.view_as_complex(turned.unflatten(-1, (angles, 2)).contiguous()) * turn)
    return torch.cat([turned.flatten(-2), rest], -1)


def _mixer(u, w, state, sizes):
    """u [B, T, d]; the state is phi [B, H, R], S [B, H, V, N], the last k~ [B, H, N] and the last v [B, H, V]."""
    heads, groups, value, width = sizes["heads"], sizes["groups"], sizes["head_dim"], sizes["state"]
    angles, inner = width // 4, heads * value
    batch, tokens, _ = u.shape
    angle_in, S_in, k_in, v_in = state
    parts = [inner, inner, groups * width, groups * width, heads, heads, heads, angles]
    z, v, b, c, dt, a, trap, angle = (u @ w["in_proj.weight"].T).split(parts, -1)
    # Heads before tokens from here on: [B, H, T, ...].
    dt = F.softplus(dt + w["dt_bias"]).mT
    log_decay = torch.clamp(-F.softplus(a.mT), max=-1e-4) * dt
    weight = torch.sigmoid(trap.mT)
    phase = angle_in[:, :, None] + torch.cumsum(math.pi * torch.tanh(angle)[:, None] * dt[..., None], 2)
    phase = torch.remainder(phase, 2 * math.pi)
    turn = torch.complex(phase.cos(), phase.sin())

    def heads_of(x, norm, bias):
        x = x.view(batch, tokens, groups, width).transpose(1, 2).contiguous()
        x = rms_norm(x, norm, EPSILON)[:, :, None] + bias.view(groups, heads // groups, 1, width)
        return x.view(batch, heads, tokens, width)

    count = -(-tokens // CHUNK)

    def cut(x):
        return F.pad(x, (0, 0, 0, count * CHUNK - tokens)).reshape(batch * heads, count, CHUNK, -1)

    turned_k = _rotate(heads_of(b, w["B_norm.weight"], w["B_bias"]), turn, angles)
    k, q = cut(turned_k), cut(_rotate(heads_of(c, w["C_norm.weight"], w["C_bias"]), turn, angles))
    gamma, back = weight * dt, (1 - weight) * dt
    stored = gamma + F.pad(back[..., 1:], (0, 1))  # looks ahead; nothing follows the last token
    v = v.view(batch, tokens, heads, value).transpose(1, 2)
    values = cut(v * stored[..., None])
    total = cut(log_decay[..., None]).cumsum(-2)
    last = total[:, :, -1:]
    later = torch.ones(CHUNK, CHUNK, dtype=torch.bool, device=u.device).triu()
    # A token sees itself with gamma alone: on the diagonal, gamma over what `values` carry.
    mask = torch.exp((total - total.mT).masked_fill(later, -math.inf)) + torch.diag_embed(
        cut((gamma / stored)[..., None])[..., 0])
    inside = ((q @ k.mT) * mask) @ values
    added = (torch.exp(last - total) * k).mT @ values  # [B H, chunks, N, V]
    S = S_in + back[..., :1, None] * v_in[..., None] * k_in[..., None, :]
    S = S.mT.reshape(batch * heads, width, value)
    states = []
    for new, fade in zip(added.unbind(1), torch.exp(last).unbind(1)):
        states.append(S)
        S = torch.addcmul(new, fade, S)
    o = inside + (torch.exp(total) * q) @ torch.stack(states, 1)
    o = o.view(batch, heads, count * CHUNK, value)[:, :, :tokens] + w["D"][:, None, None] * v
    y = (o.transpose(1, 2).reshape(batch, tokens, inner) * F.silu(z)) @ w["out_proj.weight"].T
    return y, (phase[:, :, -1], S.view(batch, heads, width, value).mT, turned_k[:, :, -1], v[:, :, -1])


def stack(p, h, state, sizes, marks, wants_state):
    """All layers: h [B, T, d] and the flat states [B, layers * H (R + V N + N + V)] to the same. Marks are not for it."""
    batch, heads, value, width = len(h), sizes["heads"], sizes["head_dim"], sizes["state"]
    shapes = [(heads, width // 4), (heads, value, width), (heads, width), (heads, value)]
    lengths = [math.prod(shape) for shape in shapes]
    if state is None:
        state = h.new_zeros(batch, sizes["layers"] * sum(lengths))
    after = []
    for i, flat in enumerate(state.chunk(sizes["layers"], 1)):
        carried = [part.reshape(batch, *shape) for part, shape in zip(flat.split(lengths, 1), shapes)]
        w = of_layer(p, i)
        y, carried = _mixer(rms_norm(h, w["norm1.weight"], EPSILON), of_layer(p, i, "mixer."), carried, sizes)
        h = h + y
        after += [part.reshape(batch, -1) for part in carried]
    return h, torch.cat(after, 1) if wants_state else None
