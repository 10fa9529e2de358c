"""The library's kernels behind an autograd function: tensors of a CPU are used in place, without PyTorch's headers."""

from __future__ import annotations

import torch

from .. import _core
from ..errors import UsageError

PARTS = {torch.float32: _core.PartFloat, torch.float64: _core.PartDouble}


def _array(tensor):
    return None if tensor is None else tensor.detach().numpy()


class Run(torch.autograd.Function):
    """y [B, T, outputs] and the final state [B, C] of a part, from flat weights [P], x [B, T, width], marks [B, T] and an
    initial state [B, C], the last two or None. Gradients of weights, x and both states; they cannot be differentiated again."""

    @staticmethod
    def forward(ctx, part, weights, x, marks, state, outputs, carried, differentiable):
        y = x.new_empty(x.shape[0], x.shape[1], outputs)
        final = x.new_empty(x.shape[0], carried) if carried else None
        made = part.forward(_array(weights), _array(x), _array(marks), _array(state), _array(y), _array(final), differentiable)
        ctx.part, ctx.made, ctx.marks, ctx.rows = part, made, marks, ctx.needs_input_grad[2]
        ctx.carried = bool(carried)
        ctx.save_for_backward(weights, x, state)
        ctx.set_materialize_grads(False)
        return y, final

    @staticmethod
    def backward(ctx, d_y, d_final):
        if torch.is_grad_enabled():  # create_graph=True: the result would look like a constant
            raise UsageError('the gradients of the kernels cannot be differentiated a second time; choose backend="torch", whose '
                             "can, or leave out create_graph=True")
        weights, x, state = ctx.saved_tensors
        outputs = ctx.part.outputs
        made, ctx.made = ctx.made, None
        if made is None:  # a second call: the tapes were used up
            again = x.new_empty(x.shape[0], x.shape[1], outputs)
            last = x.new_empty(x.shape[0], ctx.part.carried_size) if ctx.carried else None
            made = ctx.part.forward(_array(weights), _array(x), _array(ctx.marks), _array(state), _array(again), _array(last), True)
        d_y = x.new_zeros(x.shape[0], x.shape[1], outputs) if d_y is None else d_y.contiguous()
        d_x = torch.empty_like(x) if ctx.rows else None
        d_state = None
        if state is not None or ctx.carried:
            shape = (x.shape[0], ctx.part.carried_size)
            d_state = x.new_zeros(shape) if d_final is None else d_final.contiguous().clone()
        d_weights = torch.empty_like(weights)
        ctx.part.backward(made, _array(d_y), _array(d_x), _array(d_state), _array(d_weights))
        return None, d_weights, d_x, None, d_state if state is not None else None, None, None, None


class Part:
    """A compiled part for one scalar type, and how large its arrays are."""

    def __init__(self, dtype, name, options, inputs, outputs, symbols, threads):
        self._core = PARTS[dtype](name, options, inputs, outputs, symbols, threads)
        self.parameters = self._core.parameters
        self.carried = self._core.carried
        self.outputs = outputs
        self.forward, self.backward = self._core.forward, self._core.backward
        self.initialise = self._core.initialise
        self.carried_size = sum(_count(shape) for _, shape, _ in self.carried)

    @torch.compiler.disable
    def __call__(self, weights, x, marks, state, wants_state):
        differentiable = torch.is_grad_enabled() and any(
            tensor is not None and tensor.requires_grad for tensor in (weights, x, state))
        return Run.apply(self, weights, x.contiguous(), None if marks is None else marks.contiguous(),
                         None if state is None else state.contiguous(), self.outputs,
                         self.carried_size if wants_state else 0, differentiable)


def _count(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count
