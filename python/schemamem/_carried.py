"""What memories and streams share: a state that is saved, forked and pickled."""

from __future__ import annotations

import os

from . import _core
from .model import Model


class Carried:
    """A compiled object that carries a state from row to row, and the model that it shares."""

    __slots__ = ("_core", "_model", "__weakref__")

    _make: type

    def __init__(self, model: Model, *, floor: float = 0.0):
        if not isinstance(model, Model):
            raise TypeError(f"{type(self).__name__}: expected a schemamem.Model, found {type(model).__name__}; "
                            "load one with schemamem.load(name_or_path)")
        self._core = self._make(model._core)
        self._model = model
        if floor:
            self.floor = floor

    @classmethod
    def open(cls, path: str | os.PathLike[str], model: Model | None = None):
        """One that goes on from a state file. A state tells the fingerprint of its model, which is looked for among
        the models that can be named (:func:`schemamem.models`); any other model is passed as ``model``."""
        path = os.fspath(path)
        opened = cls(model if model is not None else Model(_core.model_of_state(path)))
        opened.load(path)
        return opened

    @classmethod
    def from_bytes(cls, data: bytes, model: Model):
        """One that goes on from the bytes of a state."""
        made = cls(model)
        made.restore(data)
        return made

    @property
    def model(self) -> Model:
        """The model behind it."""
        return self._model

    @property
    def tokens(self) -> int:
        """Rows read since the beginning or the last reset."""
        return self._core.tokens

    @property
    def floor(self) -> float:
        """Changes of state smaller than this do not happen: radians of a slot for SchemaMem, gates for the baselines. A model
        whose reads are nearly still then does not drift at all. At least 0, where it is off, as it is at first, and below 1. It
        is part of the state: forks and state files have it, and :meth:`reset` keeps it.

        >>> import schemamem as sm
        >>> stream = sm.load("a3v3-schemamem-steady-s42").stream(floor=0.001)
        >>> stream.fork().floor
        0.001
        >>> stream.floor = 0
        """
        return self._core.floor

    @floor.setter
    def floor(self, floor: float) -> None:
        self._core.floor = floor

    def reset(self) -> None:
        """Forgets everything."""
        self._core.reset()

    def fork(self):
        """A second one with the same past and a future of its own."""
        other = type(self).__new__(type(self))
        other._core = self._core.fork()
        other._model = self._model
        return other

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a state file: it is complete or absent."""
        self._core.save(os.fspath(path))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Goes on from a state file of the same model. A failure leaves everything as it was."""
        self._core.load(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The bytes of a state file."""
        return self._core.to_bytes()

    def restore(self, data: bytes) -> None:
        """Goes on from such bytes. A failure leaves everything as it was."""
        self._core.restore(bytes(data))

    def __copy__(self):
        return self.fork()

    def __deepcopy__(self, memo):
        return self.fork()

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(), self._model)
