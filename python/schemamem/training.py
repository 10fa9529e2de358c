"""Training: of a task of the library with a recipe, or on batches of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core, evaluation
from .errors import StepLimit, UsageError
from .model import Model
from .records import Records


class Step(NamedTuple):
    """One optimiser step."""

    step: int
    loss: float
    gradient_norm: float  #: before clipping
    rate: float


class Check(NamedTuple):
    """One check of the curriculum: where the training stands, and every group that was asked."""

    step: int
    stage: str
    lowest: float  #: % of the lowest group, which decides
    loss: float
    groups: Records

    def __str__(self) -> str:
        return f"step {self.step}, {self.stage}: lowest group {self.lowest:.2f} %, loss {self.loss:.4f}"


def _texts(options: Mapping[str, Any] | None) -> dict[str, str]:
    def text(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        return f"[{', '.join(map(text, value))}]" if isinstance(value, (list, tuple)) else str(value)

    return {name: text(value) for name, value in (options or {}).items()}


class Trainer:
    """Training step by step. After the same steps with the same arguments the weights are the same, to the bit, for any
    number of threads.

    On a task of the library, with its curriculum::

        trainer = Trainer("schemamem", "A3V3", recipe="fast")
        while not trainer.done:
            trainer.step()

    On batches of one's own: say what goes in (``inputs`` numbers a row, or ``symbols``), what comes out (``classes`` or
    ``bits``), and the rows of the longest episode. There is no curriculum then, and no end.

    >>> import numpy as np, schemamem as sm
    >>> trainer = sm.Trainer("schemamem", inputs=4, classes=4, longest=8, batch=16, seed=1,
    ...                      options={"slots": 16, "width": 32, "layers": 1})
    >>> rng = np.random.default_rng(0)
    >>> for _ in range(120):
    ...     y = rng.integers(4, size=(16, 8))
    ...     step = trainer.step(np.eye(4, dtype=np.float32)[y], y)
    >>> step.step, step.loss < 0.2
    (120, True)
    >>> trainer.model().stream().push(np.eye(4)).argmax(1)
    array([0, 1, 2, 3])
    """

    def __init__(self, model: str = "schemamem", setting: str | None = None, *, task: str = "address-value",
                 recipe: str = "fast", seed: int = 42, threads: int = 0, options: Mapping[str, Any] | None = None,
                 overrides: Mapping[str, Any] | None = None, batch: int | None = None, inputs: int = 0,
                 symbols: int = 0, classes: int = 0, bits: int = 0, longest: int = 0, chunks: int = 0):
        shape = {"inputs": inputs, "symbols": symbols, "classes": classes, "bits": bits, "longest": longest,
                 "chunks": chunks}
        own = any(shape.values())
        if own == (setting is not None):
            raise UsageError('Trainer: name a setting to train on, such as "A3V3", or say what batches of your own look '
                             "like: inputs= or symbols=, classes= or bits=, longest=")
        changed = _texts(overrides)
        if batch is not None:
            changed["batch.episodes"] = str(batch)
        self._core = _core.Trainer(model, _texts(options), task, setting or "", shape if own else None, recipe, changed,
                                   seed, threads)
        self._symbols = symbols > 0
        self._loss = float("nan")
        self.last_check: Check | None = None  #: None before the first

    def step(self, x: npt.ArrayLike | None = None, targets: npt.ArrayLike | None = None,
             marks: npt.ArrayLike | None = None, weights: npt.ArrayLike | None = None) -> Step | None:
        """One optimiser step, and the check behind it if one is due.

        Without arguments the batch is drawn by the trainer. A batch of one's own is ``x`` [B, T, inputs] (or symbols
        [B, T]) and ``targets`` [B, T], -1 where nothing is expected; ``marks`` [B, T] are numbers of
        :class:`schemamem.Mark`, ``weights`` [B, T] those of the targets in the loss, relative to each other.

        Ctrl-C leaves the trainer as it was before the step, or before the check; the next call goes on from there, and
        returns None if there was only a check to do. When loss or gradient are not finite, :class:`NonFinite` is raised
        and training is done, with the weights from before."""
        if x is None:
            told = self._core.step()
        else:
            rows = np.ascontiguousarray(x, np.float32)
            if self._symbols and rows.ndim == 2:
                rows = rows[:, :, None]
            told = self._core.step_on(rows, np.ascontiguousarray(targets, np.int32), _array(marks, np.uint8),
                                      _array(weights, np.float32))
        self._loss = told.get("loss", self._loss)
        if "check" in told:
            self.last_check = Check(self.steps, told["stage"], told["lowest"], self._loss, Records(told["check"]))
        return Step(told["step"], told["loss"], told["gradient_norm"], told["rate"]) if "step" in told else None

    @property
    def done(self) -> bool:
        """Whether there is nothing left to do: the curriculum is passed, a stage reached its limit, or a step failed."""
        return self._core.done

    @property
    def passed(self) -> bool:
        """Whether the curriculum was passed."""
        return self._core.passed

    @property
    def steps(self) -> int:
        """Optimiser steps so far."""
        return self._core.steps

    @property
    def stage(self) -> str:
        """The stage that is trained, as the recipe calls it; empty behind the last."""
        return self._core.stage

    def model(self) -> Model:
        """The weights so far (their average, if the recipe has one), as a model of its own."""
        return Model(self._core.model())


def _array(values, dtype):
    return None if values is None else np.ascontiguousarray(values, dtype)


class Run(NamedTuple):
    """A finished training: its model, and how it went."""

    model: Model
    steps: int
    checks: list[Check]

    def evaluate(self, *args, **options) -> Records:
        """:func:`schemamem.evaluate` of the model."""
        return evaluation.evaluate(self.model, *args, **options)

    def curve(self, *args, **options) -> Records:
        """:func:`schemamem.curve` of the model."""
        return evaluation.curve(self.model, *args, **options)

    def ablate(self, *args, **options) -> Records:
        """:func:`schemamem.ablate` of the model."""
        return evaluation.ablate(self.model, *args, **options)


def train(model: str = "schemamem", setting: str = "A3V3", *, recipe: str = "fast", seed: int = 42,
          on_check: Callable[[Check], Any] | None = None, **options: Any) -> Run:
    """Trains a model to the target of its task: ``train("schemamem", "A3V3", recipe="fast", on_check=print)``, minutes on
    two cores. Nothing is written to a disk: ``run.model.save(path)``. Other arguments are those of :class:`Trainer`;
    ``overrides={"levels.limit": 1000}`` changes fields of the recipe.

    ``on_check`` is called with every :class:`Check`; one that returns False ends the training there. Training that
    reaches a step limit raises :class:`schemamem.StepLimit`; whoever wants the weights anyway uses a
    :class:`Trainer`."""
    trainer = Trainer(model, setting, recipe=recipe, seed=seed, **options)
    checks: list[Check] = []
    while not trainer.done:
        trainer.step()
        check = trainer.last_check
        if check is None or (checks and checks[-1].step == check.step):
            continue
        checks.append(check)
        if on_check is not None and on_check(check) is False:
            return Run(trainer.model(), trainer.steps, checks)
    if not trainer.passed:
        raise StepLimit(f"train: {model} on {setting} reached the step limit of the stage {trainer.stage} at step "
                        f"{trainer.steps}, its lowest group at {checks[-1].lowest:.2f} %. Allow more steps with overrides=, "
                        "try another seed, or train with a Trainer and take its model.")
    return Run(trainer.model(), trainer.steps, checks)
