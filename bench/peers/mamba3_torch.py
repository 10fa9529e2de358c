"""Mamba-3 (SISO, two groups) for training: the shifted recurrence in chunks, with a decay mask. Everything but the passing
of the state from chunk to chunk is one operation over all chunks."""

import math

import torch
import torch.nn.functional as F

import frame

EPSILON = 1e-5
HEADS, GROUPS, VALUE, STATE, ANGLES, CHUNK = 4, 2, 16, 80, 20, 40
INNER = HEADS * VALUE


def rotate(x, turn):
    """Turns neighbouring pairs of the first 2 ANGLES entries of the last axis, as complex numbers."""
    turned, rest = x.split([2 * ANGLES, STATE - 2 * ANGLES], -1)
    turned = torch.view_as_real(torch.view_as_complex(turned.unflatten(-1, (ANGLES, 2)).contiguous()) * turn)
    return torch.cat([turned.flatten(-2), rest], -1)


def mixer(u, w):
    batch, tokens, _ = u.shape
    count = -(-tokens // CHUNK)
    missing = count * CHUNK - tokens
    sizes = [INNER, INNER, GROUPS * STATE, GROUPS * STATE, HEADS, HEADS, HEADS, ANGLES]
    z, v, b, c, dt, a, trap, angle = (u @ w["in_proj.weight"].T).split(sizes, -1)
    # Heads before tokens from here on: [B, H, T, ...].
    dt = F.softplus(dt + w["dt_bias"]).mT
    log_decay = torch.clamp(-F.softplus(a.mT), max=-1e-4) * dt
    weight = torch.sigmoid(trap.mT)
    phase = torch.cumsum(math.pi * torch.tanh(angle)[:, None] * dt[..., None], 2)
    turn = torch.complex(phase.cos(), phase.sin())

    def heads_of(x, norm, bias):
        x = x.view(batch, tokens, GROUPS, STATE).transpose(1, 2).contiguous()
        x = frame.rms_norm(x, norm, EPSILON)[:, :, None] + bias.view(GROUPS, HEADS // GROUPS, 1, STATE)
        return x.view(batch, HEADS, tokens, STATE)

    def cut(x):
        if missing:
            x = F.pad(x, (0, 0, 0, missing))
        return x.reshape(batch * HEADS, count, CHUNK, -1)

    k = cut(rotate(heads_of(b, w["B_norm.weight"], w["B_bias"]), turn))
    q = cut(rotate(heads_of(c, w["C_norm.weight"], w["C_bias"]), turn))
    gamma = weight * dt
    stored = gamma + F.pad(((1 - weight) * dt)[..., 1:], (0, 1))  # looks ahead; nothing follows the last token
    v = v.view(batch, tokens, HEADS, VALUE).transpose(1, 2)
    values = cut(v * stored[..., None])
    total = cut(log_decay[..., None]).cumsum(-2)
    last = total[:, :, -1:]
    later = torch.ones(CHUNK, CHUNK, dtype=torch.bool).triu()
    # A token sees itself with gamma alone: on the diagonal, gamma over what `values` carry.
    mask = torch.exp((total - total.mT).masked_fill(later, -math.inf)) + torch.diag_embed(
        cut((gamma / stored)[..., None])[..., 0])
    inside = ((q @ k.mT) * mask) @ values
    added = (torch.exp(last - total) * k).mT @ values  # [B H, chunks, STATE, VALUE]
    states = [torch.zeros_like(added[:, 0])]
    for new, fade in list(zip(added.unbind(1), torch.exp(last).unbind(1)))[:-1]:
        states.append(torch.addcmul(new, fade, states[-1]))
    o = inside + (torch.exp(total) * q) @ torch.stack(states, 1)
    o = o.view(batch, HEADS, count * CHUNK, VALUE)[:, :, :tokens] + w["D"][:, None, None] * v
    return (o.transpose(1, 2).reshape(batch, tokens, INNER) * F.silu(z)) @ w["out_proj.weight"].T


def logits(p, x, chunk_ends):
    def layer(h, i):
        q = f"layers.{i}."
        w = {name[len(q + "mixer."):]: value for name, value in p.items() if name.startswith(q + "mixer.")}
        return h + mixer(frame.rms_norm(h, p[q + "norm1.weight"], EPSILON), w)

    return frame.run(p, x, layer, EPSILON)
