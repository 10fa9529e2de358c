"""Models: weights by name, path or bytes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from . import _core

if TYPE_CHECKING:
    from .memory import Memory
    from .stream import Stream


class PublishedModel(NamedTuple):
    """A model that can be loaded by name."""

    name: str
    file: str


def _value(text: str) -> int | float | bool | str:
    """An option as Python would write it."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Model:
    """A model with its weights. It never changes, and whatever is made from it shares it. Get one from
    :func:`schemamem.load`, :meth:`from_bytes` or training.

    >>> import schemamem as sm
    >>> model = sm.load("a3v3-schemamem-steady-s42")
    >>> model
    <schemamem.Model schemamem A3V3, 54336 parameters>
    >>> model.options["slots"], model.notes["recipe"], model.row_width, model.outputs
    (176, 'steady', 7, 3)
    """

    __slots__ = ("_core", "__weakref__")

    def __init__(self, core: _core.Model):
        if not isinstance(core, _core.Model):
            raise TypeError("Model: models come from schemamem.load(name_or_path), Model.from_bytes(bytes) or training")
        self._core = core

    @classmethod
    def from_bytes(cls, data: bytes, what: str = "the bytes") -> Model:
        """A model from the bytes of a model file; ``what`` names them in messages."""
        return cls(_core.model_from_bytes(bytes(data), what))

    def to_bytes(self) -> bytes:
        """The bytes of a model file."""
        return self._core.to_bytes()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a model file: it is complete or absent."""
        self._core.save(os.fspath(path))

    def memory(self, *, floor: float = 0.0) -> Memory:
        """An empty memory that is written and asked. Only for models of the address-value task. ``floor``: see
        :attr:`Memory.floor`."""
        from .memory import Memory

        return Memory(self, floor=floor)

    def stream(self, *, floor: float = 0.0) -> Stream:
        """An empty stream, which reads rows of numbers. ``floor``: see :attr:`Stream.floor`."""
        from .stream import Stream

        return Stream(self, floor=floor)

    @property
    def name(self) -> str:
        """Which architecture: ``"schemamem"``, ``"mamba3"`` or ``"gdn"``."""
        return self._core.name

    @property
    def options(self) -> dict[str, int | float | bool | str]:
        """Every size, and the options that are not at their default."""
        return {name: _value(text) for name, text in self._core.options}

    @property
    def notes(self) -> dict[str, str]:
        """What the file says besides: task, setting, recipe, seed, step."""
        return dict(self._core.notes)

    @property
    def parameters(self) -> int:
        """How many numbers are trained."""
        return self._core.parameters

    @property
    def row_width(self) -> int:
        """Numbers of one row that goes in; 1 if rows are symbols."""
        return self._core.row_width

    @property
    def outputs(self) -> int:
        """Numbers of the row that comes out."""
        return self._core.outputs

    @property
    def fingerprint(self) -> str:
        """64 hexadecimal digits that differ for any other architecture, sizes or weights."""
        return self._core.fingerprint

    def __repr__(self) -> str:
        setting = self.notes.get("setting", "")
        return f"<schemamem.Model {self.name}{' ' + setting if setting else ''}, {self.parameters} parameters>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(), "the pickled model")

    def __copy__(self) -> Model:
        return self

    def __deepcopy__(self, memo) -> Model:
        return self


def load(name_or_path: str | os.PathLike[str]) -> Model:
    """A model by its published name, or from a file or the folder of a run.

    What contains a slash, ends in ``.safetensors`` or exists is a path. Names are looked for in the folders of the
    environment variable ``SCHEMAMEM_MODELS``, in this package (which has the 27 checkpoints of the recipe ``steady``
    with seed 42 and what there is of ``endless``) and in ``results``.

    >>> import schemamem as sm
    >>> sm.load("a5v5-schemamem-steady-s42").memory().addresses
    32
    """
    return Model(_core.load_model(os.fspath(name_or_path)))


def models() -> list[PublishedModel]:
    """Every model that :func:`load` finds by name.

    >>> import schemamem as sm
    >>> "a3v3-mamba3-steady-s42" in [model.name for model in sm.models()]
    True
    """
    return [PublishedModel(*one) for one in _core.published_models()]
