"""A memory one can talk to: values are written to addresses and asked for, any time later."""

from __future__ import annotations

from typing import NamedTuple

from . import _core
from ._carried import Carried


class Answer(NamedTuple):
    """What a memory says to a question: the value, and the probability that the model gives it."""

    value: int
    confidence: float


class Memory(Carried):
    """A model of the address-value task as a database: ``addresses`` places, each with one of ``values`` values.

    Until it is written, address ``a`` holds ``a % values``. Asking is reading one more row: it, too, moves the memory
    on. A memory belongs to one thread at a time.

    >>> import schemamem as sm
    >>> memory = sm.load("a5v5-schemamem-steady-s42").memory()
    >>> memory.write(5, 3)
    >>> memory.wait(1000)
    >>> memory.ask(5).value
    3
    >>> memory.ask(6).value               # never written: the default
    6
    >>> later = memory.fork()
    >>> later.reset()
    >>> memory.ask(5).value, later.ask(5).value
    (3, 5)
    """

    __slots__ = ()
    _make = _core.Memory

    @property
    def addresses(self) -> int:
        """How many addresses there are."""
        return self._core.addresses

    @property
    def values(self) -> int:
        """How many values there are."""
        return self._core.values

    def write(self, address: int, value: int) -> None:
        """Writes a value to an address."""
        self._core.write(address, value)

    def ask(self, address: int) -> Answer:
        """What the memory takes an address to hold."""
        return Answer(*self._core.ask(address))

    def wait(self, rows: int) -> None:
        """Lets questions pass about addresses that were never written (about any, once all were): the delay of the
        paper's episodes. Ctrl-C ends it and leaves the memory as it was."""
        self._core.wait(rows)

    def written(self, address: int) -> int | None:
        """What was last written to an address, by an account beside the model; None if nothing was.

        >>> import schemamem as sm
        >>> memory = sm.load("a3v3-gdn-steady-s42").memory()
        >>> memory.write(5, 3)
        >>> memory.written(5), memory.written(6)
        (3, None)
        """
        return self._core.written(address)

    def __repr__(self) -> str:
        written = sum(self.written(address) is not None for address in range(self.addresses))
        return (f"<schemamem.Memory of {self.model.name}: {written} of {self.addresses} addresses written, "
                f"{self.tokens} rows read>")
