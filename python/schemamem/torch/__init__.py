"""SchemaMem, Mamba-3 and Gated DeltaNet as PyTorch modules: the bare stack of layers, and the whole model.

>>> import torch
>>> from schemamem.torch import SchemaMem
>>> layer = SchemaMem(d_model=32, slots=16, layers=2, seed=1)
>>> x = torch.randn(4, 10, 32)
>>> y, state = layer(x)
>>> y2, state = layer(x, state)               # goes on
>>> y.shape, state.shape
(torch.Size([4, 10, 32]), torch.Size([4, 1024]))

On a CPU in float32 or float64 the library's kernels run behind an autograd function; on any other device, or with
``backend="torch"``, the same in plain PyTorch operations. Gradients of the kernels cannot be differentiated a second time; those of
``backend="torch"`` can. ``torch.compile`` leaves the kernels as they are (a graph break). Under autocast the kernels run in the type
of their weights.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from .. import _core
from ..errors import UsageError
from ..model import Model, load
from ..training import _texts
from . import plain, plain_gdn, plain_mamba3, plain_schemamem
from .kernels import PARTS, Part

__all__ = ["GatedDeltaNet", "GatedDeltaNetModel", "Mamba3", "Mamba3Model", "SchemaMem", "SchemaMemModel"]


class _Parameters(nn.Module):
    """Parameters by dotted names, as modules within modules: ``state_dict`` has the names of the checkpoints."""

    def put(self, name: str, parameter: nn.Parameter) -> None:
        first, _, rest = name.partition(".")
        if not rest:
            self.register_parameter(name, parameter)
            return
        if first not in self._modules:
            self.add_module(first, _Parameters())
        self._modules[first].put(rest, parameter)


class _Part(_Parameters):
    _name: str
    _plain: Any

    def __init__(self, sizes: dict[str, Any], inputs: int, outputs: int, symbols: bool, bare: bool, scheme: str, seed: int,
                 backend: str | None, threads: int, dtype: torch.dtype | None):
        super().__init__()
        if backend not in (None, "kernels", "torch"):
            raise UsageError(f'backend is "kernels", "torch" or None, which chooses; found {backend!r}')
        self.backend = backend
        options = _texts(sizes)
        if bare:
            options["maps"] = "none"
        self._made_from = (self._name, options, inputs, outputs, symbols, threads)
        self._parts: dict[torch.dtype, Part] = {}
        self._symbols, self._bare, self._outputs = symbols, bare, outputs
        part = self._part(torch.float32)
        drawn = torch.empty(sum(_count(shape) for _, shape, _ in part.parameters))
        part.initialise(scheme, seed, drawn.numpy())
        for name, shape, offset in part.parameters:
            values = drawn[offset:offset + _count(shape)].view(shape).clone()
            self.put(name, nn.Parameter(values.to(dtype or torch.get_default_dtype())))
        self._names = [name for name, _, _ in part.parameters]
        self.state_size = part.carried_size  #: numbers of the state of one sequence
        self.sizes = self._plain_sizes(sizes)

    def _part(self, dtype: torch.dtype) -> Part:
        if dtype not in PARTS:
            raise UsageError(f"the kernels compute in float32 or float64; the weights are {dtype}. Convert the module, or "
                             'choose backend="torch".')
        if dtype not in self._parts:
            self._parts[dtype] = Part(dtype, *self._made_from)
        return self._parts[dtype]

    def __getstate__(self):
        return {**self.__dict__, "_parts": {}}  # made again when needed

    def __deepcopy__(self, memo):
        other = type(self).__new__(type(self))
        memo[id(self)] = other
        import copy

        other.__dict__ = copy.deepcopy(self.__getstate__(), memo)
        return other

    def split_state(self, state: torch.Tensor) -> dict[str, torch.Tensor]:
        """The named tensors inside a state [B, state_size], as views [B, ...]."""
        carried = self._part(torch.float32).carried
        return {name: state[:, offset:offset + _count(shape)].view(-1, *shape) for name, shape, offset in carried}

    def _plain_sizes(self, sizes):
        """Sizes as the plain forms need them, read from the tensors."""
        p = dict(self.named_parameters())
        found = {"layers": 1 + max(int(name.split(".")[1]) for name in p if name.startswith("layers."))}
        if self._name == "schemamem":
            found["slots"], found["width"] = p["layers.0.schema"].shape
            found["head_dim"] = p["layers.0.attn.w_k"].shape[1]
            found["commit_every"] = int(sizes.get("commit_every", 96))
            found["commit"] = sizes.get("commit", "add")
        elif self._name == "gdn":
            found["heads"] = len(p["layers.0.mixer.A_log"])
            found["head_dim"] = len(p["layers.0.mixer.o_norm.weight"])
        else:
            found["heads"], _, found["state"] = p["layers.0.mixer.B_bias"].shape
            found["head_dim"] = p["layers.0.mixer.out_proj.weight"].shape[1] // found["heads"]
            rows = p["layers.0.mixer.in_proj.weight"].shape[0]
            rest = rows - 2 * found["heads"] * found["head_dim"] - 3 * found["heads"] - found["state"] // 4
            found["groups"] = rest // (2 * found["state"])
        return found

    def _run(self, x, state, marks, wants_state):
        p = {name: self.get_parameter(name) for name in self._names}
        weight = p[self._names[0]]
        if x.dim() != 3 and not (self._symbols and x.dim() == 2):
            raise UsageError(f"expected x [batch, time, width]; found a tensor of shape {list(x.shape)}")
        if state is not None and tuple(state.shape) != (len(x), self.state_size):
            raise UsageError(f"expected a state [{len(x)}, {self.state_size}]; found {list(state.shape)}")
        if marks is not None and tuple(marks.shape) != tuple(x.shape[:2]):
            raise UsageError(f"expected marks {list(x.shape[:2])}, one a row; found {list(marks.shape)}")
        plain_form = self.backend == "torch" or (self.backend is None and weight.device.type != "cpu")
        if self._symbols:
            x = x.unsqueeze(-1) if x.dim() == 2 else x
            if int(x.min()) < 0 or int(x.max()) >= self._made_from[2]:
                raise UsageError(f"a symbol is from 0 to {self._made_from[2] - 1}")
        elif not plain_form or torch.is_autocast_enabled(x.device.type):
            if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
                raise UsageError(f"x is {x.dtype} and the weights are {weight.dtype}; convert one of them")
        if plain_form:
            return self._run_plain(p, x, state, marks, wants_state)
        if x.device.type != "cpu" or weight.device.type != "cpu":
            raise UsageError(f'the kernels run on a CPU; x is on {x.device}, the weights on {weight.device}. Choose backend="torch".')
        if marks is not None:
            marks = marks.to(torch.uint8)
        flat = torch.cat([value.reshape(-1) for value in p.values()])
        if state is not None:
            state = state.to(flat.dtype)
        return self._part(flat.dtype)(flat, x.to(flat.dtype), marks, state, wants_state)

    def _run_plain(self, p, x, state, marks, wants_state):
        options = self._made_from[1]
        for name, standard in {"writer": "static", "phases": "any"}.items():
            if options.get(name, standard) != standard:
                raise UsageError(f'{name}={options[name]} has no plain form; choose backend="kernels", on a CPU')
        if self._bare:
            return self._plain.stack(p, x, state, self.sizes, marks, wants_state)
        h = p["in_proj.weight"][x[..., 0].long()] if self._symbols else x @ p["in_proj.weight"]
        h, state = self._plain.stack(p, h + p["in_proj.bias"], state, self.sizes, marks, wants_state)
        return plain.rms_norm(h, p["final_norm.weight"], self._plain.EPSILON) @ p["out_proj.weight"], state


def _count(shape) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


class _Stack(_Part):
    """The bare stack of layers: ``y, state = layer(x, state)`` with x and y [B, T, d_model] and a state [B, state_size], which is
    a plain tensor. ``marks`` [B, T] are numbers of :class:`schemamem.Mark`; only SchemaMem looks at them. A call ends a chunk: what
    SchemaMem wrote in it is in the state."""

    def __init__(self, d_model: int = 32, *, layers: int = 1, scheme: str = "ours", seed: int = 0, backend: str | None = None,
                 threads: int = 0, dtype: torch.dtype | None = None, **sizes: Any):
        super().__init__({"width": d_model, "layers": layers, **self._fitting(d_model, sizes)}, d_model, d_model, False, True,
                         scheme, seed, backend, threads, dtype)

    @staticmethod
    def _fitting(d_model: int, sizes: dict[str, Any]) -> dict[str, Any]:
        return sizes

    def forward(self, x, state=None, marks=None):
        return self._run(x, state, marks, True)


class _Whole(_Part):
    """The whole model: logits [B, T, outputs] from rows [B, T, inputs], or from symbols [B, T]. Models of the address-value task
    find their marks in the rows, as streams do; ``marks`` [B, T] are others."""

    def __init__(self, inputs: int, outputs: int, *, symbols: bool = False, mark_rule: str = "none", scheme: str = "ours",
                 seed: int = 0, backend: str | None = None, threads: int = 0, dtype: torch.dtype | None = None, **sizes: Any):
        super().__init__(sizes, inputs, outputs, symbols, False, scheme, seed, backend, threads, dtype)
        self.mark_rule = mark_rule

    @classmethod
    def from_pretrained(cls, name_or_path: str | Model, **options: Any) -> _Whole:
        """The module of a published checkpoint, a model file, or a :class:`schemamem.Model`."""
        model = name_or_path if isinstance(name_or_path, Model) else load(name_or_path)
        if model.name != cls._name:
            raise UsageError(f"{cls.__name__}: {name_or_path} is a model of {model.name}, not of {cls._name}")
        sizes = dict(model.options)
        symbols = sizes.pop("input", "rows") == "symbols"
        inputs, outputs = sizes.pop("inputs"), sizes.pop("outputs")
        rule = "validity" if model.notes.get("task", "address-value") == "address-value" else "none"
        module = cls(inputs, outputs, symbols=symbols, mark_rule=model.notes.get("marks", rule), **{**sizes, **options})
        tensors = {name: torch.from_numpy(values) for name, values in _core.model_weights(model._core).items()}
        module.load_state_dict(tensors)
        return module

    def to_model(self, notes: dict[str, str] | None = None) -> Model:
        """The weights as a :class:`schemamem.Model`, which streams, saves and evaluates; ``notes`` go into its file (task, setting,
        marks)."""
        tensors = {name: value.detach().cpu().float().numpy() for name, value in self.state_dict().items()}
        flat = torch.cat([torch.from_numpy(tensors[name]).reshape(-1) for name in self._names])
        name, options, inputs, outputs, symbols, _ = self._made_from
        return Model(_core.model_from_weights(name, options, inputs, outputs, symbols, flat.numpy(),
                                              {"marks": self.mark_rule, **(notes or {})}))

    def forward(self, x, marks=None):
        if marks is None and self.mark_rule == "validity":
            writes = x[..., -1] != 0
            marks = torch.where(writes, 0, 2).to(torch.uint8)
            marks[:, 1:] |= (writes[:, 1:] != writes[:, :-1]).to(torch.uint8)
        return self._run(x, None, marks, False)[0]


class SchemaMem(_Stack):
    __doc__ = _Stack.__doc__ + "\n    Sizes: slots, heads, head_dim (heads * head_dim = d_model), hidden, commit_every."
    _name, _plain = "schemamem", plain_schemamem

    @staticmethod
    def _fitting(d_model, sizes):
        heads = sizes.get("heads", 4)
        return {"heads": heads, "head_dim": d_model // heads, **sizes}


class Mamba3(_Stack):
    __doc__ = _Stack.__doc__ + "\n    Sizes: heads, head_dim, state, groups."
    _name, _plain = "mamba3", plain_mamba3


class GatedDeltaNet(_Stack):
    __doc__ = _Stack.__doc__ + "\n    Sizes: heads, head_dim, hidden."
    _name, _plain = "gdn", plain_gdn


class SchemaMemModel(_Whole):
    __doc__ = _Whole.__doc__
    _name, _plain = "schemamem", plain_schemamem


class Mamba3Model(_Whole):
    __doc__ = _Whole.__doc__
    _name, _plain = "mamba3", plain_mamba3


class GatedDeltaNetModel(_Whole):
    __doc__ = _Whole.__doc__
    _name, _plain = "gdn", plain_gdn
