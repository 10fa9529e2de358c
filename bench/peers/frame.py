"""What the three models share: input and output projections, RMSNorm, SwiGLU. Parameters are a dictionary of tensors by
their checkpoint names; frame and MLP weights are [in, out]."""

import torch.nn.functional as F


def rms_norm(x, weight, epsilon):
    return F.rms_norm(x, (x.shape[-1],), weight, epsilon)


def swiglu(x, p, prefix):
    return (F.silu(x @ p[prefix + "w_gate"]) * (x @ p[prefix + "w_up"])) @ p[prefix + "w_down"]


def layer_count(p):
    return sum(name.endswith(".norm1.weight") for name in p)


def run(p, x, layer, epsilon):
    """x [B, T, inputs] through in_proj, layer(h, i) for every layer, the final norm and out_proj."""
    h = x @ p["in_proj.weight"] + p["in_proj.bias"]
    for i in range(layer_count(p)):
        h = layer(h, i)
    return rms_norm(h, p["final_norm.weight"], epsilon) @ p["out_proj.weight"]
