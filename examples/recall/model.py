"""A model of one's own around a bare stack of layers: symbols in, a logit for every symbol out."""

from torch import nn

from schemamem import torch as smt

#: Each architecture's stack, and sizes other than the usual ones.
STACKS = {"schemamem": (smt.SchemaMem, {"slots": 64}), "mamba3": (smt.Mamba3, {}), "gdn": (smt.GatedDeltaNet, {})}


class Recall(nn.Module):
    """An embedding, two layers of one of the three architectures, a norm and a linear map."""

    def __init__(self, kind: str, vocabulary: int, width: int = 64, *, layers: int = 2, **options):
        super().__init__()
        stack, sizes = STACKS[kind]
        self.embedding = nn.Embedding(vocabulary, width)
        self.stack = stack(width, layers=layers, **{**sizes, **options})
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, vocabulary)
        nn.init.normal_(self.embedding.weight, std=0.5)
        for name, weights in self.stack.named_parameters():
            if name.endswith("schema"):  # SchemaMem finds whose value is whose only if its slots differ from the start
                nn.init.normal_(weights, std=0.5)

    def forward(self, symbols, state=None, asked=None):
        """Symbols [B, T] to logits [B, T, vocabulary], and the state behind them, from which another call goes on. With a mask
        `asked` [B, T] only the logits [asked, vocabulary] there."""
        y, state = self.stack(self.embedding(symbols), state)
        return self.out(self.norm(y if asked is None else y[asked])), state
