"""Episodes of the tasks, as NumPy arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _core
from .errors import UsageError

#: The seed of the paper's evaluation episodes, and a second one that nothing was ever validated on.
PAPER_SEED = 20_261_001
UNSEEN_SEED = 20_270_407

#: What the numbers of ``groups`` mean for the address-value task; -1 is a write, which asks nothing.
GROUPS = ("retained", "updated", "default", "filler")


class Episodes(tuple):
    """Three arrays ``x, y, groups``, and three more by name.

    ========== ================== =======================================================================
    x          float32 [n, T, W]  rows that a model reads
    y          int32 [n, T]       the expected answer; -1 where nothing is asked
    groups     int8 [n, T]        what an answer counts for, a number of :data:`GROUPS`; -1 for nothing
    final      bool [n, T]        where evaluation scores the answer
    marks      uint8 [n, T]       :class:`schemamem.Mark`
    weights    float32 [n, T]     weight in the loss, relative to the others; 0 where nothing is asked
    ========== ================== =======================================================================
    """

    final: npt.NDArray[np.bool_]
    marks: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.float32]

    x = property(lambda self: self[0])
    y = property(lambda self: self[1])
    groups = property(lambda self: self[2])

    def __repr__(self) -> str:
        return f"<schemamem.Episodes: {self.x.shape[0]} of {self.x.shape[1]} rows of {self.x.shape[2]} numbers>"


def episodes(setting: str, scenario: str, delay: int = 0, n: int = 512, *, seed: int | None = None,
             split: str = "evaluation", task: str = "address-value", first: int = 0) -> Episodes:
    """Episodes of a task. By default the paper's own evaluation episodes, to the bit.

    ``scenario`` is immediate, retention, interference or overwrite, and for training also transaction-quarter, -half and
    -full; ``delay`` is the number of queries between the writes and the final questions. ``split="train"`` draws the
    episodes ``first``, ``first + 1``, ... of the training stream of ``seed`` (42 unless given). Another ``task`` has its
    own settings and scenarios: ``episodes("V64L64P8", "pairs-8", delay=64, task="mqar")``.

    >>> import schemamem as sm
    >>> x, y, groups = sm.episodes("A3V3", "overwrite", delay=96, n=4)
    >>> x.shape, y.shape, sorted(set(groups.ravel().tolist()))
    ((4, 118, 7), (4, 118), [-1, 0, 1, 2, 3])
    """
    if split not in ("evaluation", "train"):
        raise UsageError(f'episodes: split is "evaluation" or "train"; found {split!r}')
    if n < 1:
        raise UsageError(f"episodes: n is at least 1; found {n}")
    if first and split == "evaluation":
        raise UsageError('episodes: first goes with split="train"; evaluation episodes begin with the first')
    which = (task, setting, scenario, delay, split == "evaluation")
    rows, width = _core.episode_size(*which)
    x = np.empty((n, rows, width), np.float32)
    y = np.empty((n, rows), np.int32)
    groups = np.empty((n, rows), np.int8)
    marks = np.empty((n, rows), np.uint8)
    weights = np.empty((n, rows), np.float32)
    final = np.empty((n, rows), np.uint8)
    if seed is None:
        seed = PAPER_SEED if split == "evaluation" else 42
    _core.fill_episodes(*which, seed, first, x, y, groups, marks, weights, final)
    made = Episodes((x, y, groups))
    made.final, made.marks, made.weights = final.view(np.bool_), marks, weights
    return made
