"""Gated DeltaNet for training: the WY form in chunks. Everything but the passing of the state from chunk to chunk is one
operation over all chunks; (I + diag(beta) N) is solved once for the values and the keys together."""

import math

import torch
import torch.nn.functional as F

import frame

EPSILON = 1e-6
HEADS, WIDTH, CHUNK = 2, 48, 20


def conv_silu(x, taps):
    """Causal, depthwise; tap 3 is the current token. x [B, T, channels], taps [channels, 1, 4]."""
    return F.silu(F.conv1d(F.pad(x.mT, (3, 0)), taps, groups=taps.shape[0]).mT)


def unit(x):
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


def mixer(u, w):
    batch, tokens, _ = u.shape
    inner = HEADS * WIDTH
    weight = torch.cat([w[name + "_proj.weight"] for name in ("q", "k", "v", "g", "a", "b")])
    mixed, gate, a, b = (u @ weight.T).split([3 * inner, inner, HEADS, HEADS], -1)
    taps = torch.cat([w[name + "_conv1d.weight"] for name in ("q", "k", "v")])
    mixed = conv_silu(mixed, taps)
    log_decay = -torch.exp(w["A_log"]) * F.softplus(a + w["dt_bias"])
    beta = torch.sigmoid(b)

    # To [batch * heads, chunks, CHUNK, ...]; tokens added at the end write nothing.
    count = -(-tokens // CHUNK)
    missing = count * CHUNK - tokens

    def cut(x):
        x = F.pad(x, (0, 0, 0, missing)).view(batch, count, CHUNK, HEADS, -1)
        return x.permute(0, 3, 1, 2, 4).reshape(batch * HEADS, count, CHUNK, -1)

    q, k, v = (cut(part) for part in mixed.split(inner, -1))
    q, k = unit(q) * (1 / math.sqrt(WIDTH)), unit(k)
    beta = cut(beta)
    total = cut(log_decay).cumsum(-2)
    decay = torch.exp(total)
    last = total[:, :, -1:]
    mask = torch.exp((total - total.mT).masked_fill(
        torch.ones(CHUNK, CHUNK, dtype=torch.bool).triu(1), -math.inf))
    inner_products = (k @ k.mT) * mask
    system = (beta * inner_products).tril(-1)
    # X = U - W S_0
    right = torch.cat([v, decay * k], -1) * beta
    U, W = torch.linalg.solve_triangular(system, right, upper=False, unitriangular=True).split(WIDTH, -1)
    scores = (q @ k.mT) * mask
    q_in = decay * q
    k_out = (torch.exp(last - total) * k).mT
    fade = torch.exp(last)

    # unbind, not indexing: its gradient is one stack instead of a tensor of zeros for every chunk.
    state = None
    outputs = []
    for c, (u, w_c, p, q_c, k_c, f) in enumerate(zip(*(x.unbind(1) for x in (U, W, scores, q_in, k_out, fade)))):
        x = u if state is None else torch.baddbmm(u, w_c, state, alpha=-1)
        o = torch.bmm(p, x)
        outputs.append(o if state is None else torch.baddbmm(o, q_c, state))
        if c + 1 < count:
            added = torch.bmm(k_c, x)
            state = added if state is None else torch.addcmul(added, f, state)
    o = torch.stack(outputs, 1).view(batch, HEADS, count * CHUNK, WIDTH)[:, :, :tokens].transpose(1, 2)
    normed = frame.rms_norm(o, w["o_norm.weight"], EPSILON).reshape(batch, tokens, inner)
    return (normed * F.silu(gate)) @ w["o_proj.weight"].T


def logits(p, x, chunk_ends):
    def layer(h, i):
        q = f"layers.{i}."
        w = {name[len(q + "mixer."):]: value for name, value in p.items() if name.startswith(q + "mixer.")}
        h = h + mixer(frame.rms_norm(h, p[q + "norm1.weight"], EPSILON), w)
        return h + frame.swiglu(frame.rms_norm(h, p[q + "norm2.weight"], EPSILON), p, q + "mlp.")

    return frame.run(p, x, layer, EPSILON)
