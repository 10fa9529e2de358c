"""Two models that are not ours, in plain PyTorch: rows [batch, time, inputs] in, one logit a bit [batch, time, outputs] out."""

import torch
from torch import nn


class Gru(nn.Module):
    """A gated recurrent unit between two linear maps."""

    def __init__(self, inputs: int, outputs: int, width: int = 96):
        super().__init__()
        self.inside = nn.Linear(inputs, width)
        self.gru = nn.GRU(width, width, batch_first=True)
        self.outside = nn.Linear(width, outputs)

    def forward(self, x):
        states, _ = self.gru(self.inside(x))
        return self.outside(states)


class Attention(nn.Module):
    """Causal attention of several heads. Positions enter as a penalty on distance, another one for each head, so that a
    sequence may be longer than any in training."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.register_buffer("slopes", 2.0 ** -torch.arange(2, 2 * heads + 1, 2), persistent=False)

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = self.qkv(x).view(batch, time, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        at = torch.arange(time, device=x.device)
        distance = (at[:, None] - at[None, :]).to(x.dtype)
        bias = (-self.slopes[:, None, None] * distance).masked_fill(distance < 0, float("-inf"))
        y = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.out(y.transpose(1, 2).reshape(batch, time, width))


class Transformer(nn.Module):
    """Layers of attention and a perceptron, each normalised before it is read."""

    def __init__(self, inputs: int, outputs: int, width: int = 64, heads: int = 4, layers: int = 2):
        super().__init__()
        self.inside = nn.Linear(inputs, width)
        self.layers = nn.ModuleList(
            nn.ModuleList([nn.LayerNorm(width), Attention(width, heads), nn.LayerNorm(width),
                           nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))])
            for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.outside = nn.Linear(width, outputs)

    def forward(self, x):
        h = self.inside(x)
        for first_norm, attention, second_norm, perceptron in self.layers:
            h = h + attention(first_norm(h))
            h = h + perceptron(second_norm(h))
        return self.outside(self.norm(h))


MODELS = {"gru": Gru, "transformer": Transformer}
