"""What the three plain forms share: norms, SwiGLU, chunks. Parameters are dictionaries of tensors by their checkpoint names;
frame and MLP weights are [in, out], those of mixers [out, in]."""

from __future__ import annotations

import torch
import torch.nn.functional as F


def of_layer(p: dict[str, torch.Tensor], layer: int, inside: str = "") -> dict[str, torch.Tensor]:
    """The tensors of a layer, by the rest of their names."""
    prefix = f"layers.{layer}.{inside}"
    return {name[len(prefix):]: value for name, value in p.items() if name.startswith(prefix)}


def rms_norm(x, weight, epsilon):
    return F.rms_norm(x, (x.shape[-1],), weight, epsilon)


def swiglu(x, w):
    return (F.silu(x @ w["mlp.w_gate"]) * (x @ w["mlp.w_up"])) @ w["mlp.w_down"]


def chunk_ends(marks, tokens: int, commit_every: int) -> list[int]:
    """Where chunks end (exclusive): after ``commit_every`` rows, and before a row whose mark says so."""
    ends, begin = [], 0
    for t in range(1, tokens):
        if t - begin == commit_every or (marks is not None and marks[t] & 1):
            ends.append(t)
            begin = t
    return [*ends, tokens]
