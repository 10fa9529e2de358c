"""SchemaMem: a recurrent memory to hold in one's hand.

>>> import schemamem as sm
>>> memory = sm.load("a5v5-schemamem-steady-s42").memory()
>>> memory.write(5, 3)
>>> memory.wait(1000)
>>> memory.ask(5).value
3

====================== =========================================================================================
load, models, Model    weights by name, path or bytes
Memory, Answer         values written to addresses and asked for
Stream, Mark           rows in, rows out
episodes               the paper's episodes, to the bit, as NumPy arrays
evaluate, curve,       how many answers are right: by scenario and delay, over long delays, without the memory
ablate
bench, Guest           a model of yours on the same episodes, beside ours
train, Trainer         training with a recipe, or on batches of one's own
plot                   the paper's figures (needs matplotlib)
Error and its kin      what can go wrong
====================== =========================================================================================
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._core import commit as __commit__
from ._core import version as __version__
from .benchmark import Guest, bench
from .episodes import GROUPS, PAPER_SEED, UNSEEN_SEED, Episodes, episodes
from .errors import (BadData, CannotCreate, Error, Failed, InputOutput, Interrupted, MissingInput, NonFinite, StepLimit,
                     UsageError)
from .evaluation import ablate, curve, evaluate
from .memory import Answer, Memory
from .model import Model, PublishedModel, load, models
from .records import COLUMNS, Records
from .stream import Mark, Stream
from .training import Check, Run, Step, Trainer, train

if TYPE_CHECKING:
    from . import plot as plot

__all__ = ["Answer", "BadData", "COLUMNS", "CannotCreate", "Check", "Episodes", "Error", "Failed", "GROUPS", "Guest", "InputOutput",
           "Interrupted", "Mark", "Memory", "MissingInput", "Model", "NonFinite", "PAPER_SEED", "PublishedModel", "Records",
           "Run", "Step", "StepLimit", "Stream", "Trainer", "UNSEEN_SEED", "UsageError", "__commit__", "__version__",
           "ablate", "bench", "curve", "episodes", "evaluate", "load", "models", "plot", "train"]


def __getattr__(name: str):
    # Modules that need more than NumPy are imported when they are asked for.
    if name in ("plot", "torch"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
