"""A model that reads rows of numbers for as long as one likes, in constant space and time a row."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from . import _core
from ._carried import Carried
from .errors import UsageError


class Mark(IntEnum):
    """What a row is, besides its numbers."""

    NONE = 0
    ENDS_CHUNK = 1  #: a chunk ends before this row: what was written so far is committed to memory
    READS = 2  #: the row only asks
    ENDS_CHUNK_READS = 3  #: both


class Stream(Carried):
    """What a model has read, and what it carries from row to row. Its numbers do not depend on how the rows were cut
    into calls, nor on saving, loading and forking in between. A stream belongs to one thread at a time.

    >>> import numpy as np, schemamem as sm
    >>> stream = sm.load("a3v3-schemamem-steady-s42").stream()
    >>> rows = np.ones((4, 7), np.float32)
    >>> stream.push(rows).shape, stream.tokens
    ((4, 3), 4)
    """

    __slots__ = ()
    _make = _core.Stream

    def push(self, rows: npt.ArrayLike, marks: npt.ArrayLike | None = None, *,
             out: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
        """Reads rows [T, row_width], or one row [row_width], and returns their outputs [T, outputs], or [outputs].

        A contiguous float32 array is read in place; anything else is converted first. ``marks`` are numbers of
        :class:`Mark`, one a row; without them they follow from the rows as the model's file says. ``out`` is an array
        that takes the outputs. Ctrl-C, and rows that are refused, leave the stream as it was.
        """
        x = np.ascontiguousarray(rows, np.float32)
        one = x.ndim == 1
        if one:
            x = x.reshape(1, -1)
        core = self._model._core
        if x.ndim != 2 or x.shape[1] != core.row_width:
            raise UsageError(f"Stream.push: expected rows [T, {core.row_width}] or one row [{core.row_width}]; "
                             f"found an array of shape {list(np.shape(rows))}")
        shape = (len(x), core.outputs)
        y = np.empty(shape, np.float32) if out is None else self._checked(out, shape, one)
        if marks is None:
            self._core.push(x, y)
        else:
            self._core.push_marked(x, np.ascontiguousarray(marks, np.uint8).reshape(-1), y)
        if out is not None:
            return out
        return y[0] if one else y

    @staticmethod
    def _checked(out, shape, one):
        wanted = shape[1:] if one else shape
        if not isinstance(out, np.ndarray) or out.dtype != np.float32 or out.shape != wanted or not (
                out.flags.c_contiguous and out.flags.writeable):
            raise UsageError(f"Stream.push: out is a contiguous, writeable float32 array of shape {list(wanted)}")
        return out.reshape(shape)

    def __repr__(self) -> str:
        return f"<schemamem.Stream of {self.model.name}: {self.tokens} rows read>"
