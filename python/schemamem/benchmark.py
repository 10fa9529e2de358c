"""Any model on the evaluation episodes of ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from . import _core
from .episodes import PAPER_SEED, episodes as make_episodes
from .errors import CannotCreate, UsageError
from .evaluation import evaluate
from .model import load, models
from .page import page
from .records import Records

#: The delays of the paper's tables.
DELAYS = (96, 192, 384, 768, 1536)


class Guest(Records):
    """What :func:`bench` found out: rows as those of :func:`schemamem.evaluate`, and a record for the program."""

    name: str
    setting: str
    _bench: Any
    _about: tuple

    def save(self, folder: str | os.PathLike) -> str:
        """Keeps the record as ``folder/<name>-<setting>-s<seed>``, which ``schemamem report`` and ``schemamem paper`` show
        beside our models, and returns that folder."""
        return self._bench.save(os.fspath(folder), *self._about)

    def beside(self, recipe: str = "steady") -> Records:
        """These rows and those of the models in the package of the same setting, asked for the same episodes: ready to
        :meth:`plot`."""
        records = Records(self)
        asked = self[0]
        for published in models():
            setting, _, trained, _ = published.name.rsplit("-", 3)
            if setting == self.setting.lower() and trained == recipe:
                records += evaluate(load(published.name), sorted({row["scenario"] for row in self}),
                                    sorted({row["delay"] for row in self if row["delay"]}), episodes=asked["episodes"],
                                    seed=asked["eval_seed"])
        return records

    def report(self, file: str | os.PathLike, recipe: str = "steady") -> str:
        """Writes one page of HTML, which needs nothing else: a figure and a table with the models of :meth:`beside`. Returns
        its path."""
        text = page(self.beside(recipe), self.name)
        try:
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
        except OSError as error:
            raise CannotCreate(f"report: {os.fspath(file)} cannot be written: {error.strerror}") from error
        return os.fspath(file)


def _module(model):
    torch = sys.modules.get("torch")  # who has a module has imported it
    return torch if torch is not None and isinstance(model, torch.nn.Module) else None


def _outputs(answer) -> np.ndarray:
    """The array in whatever a model returns: itself, the first of a tuple, or ``.logits``."""
    answer = getattr(answer, "logits", answer)
    if isinstance(answer, (tuple, list)) and len(answer) and not np.isscalar(answer[0]):
        answer = answer[0]
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu()
        answer = answer.float().numpy() if answer.is_floating_point() else answer.numpy()
    return np.asarray(answer)


def _caller(model: Callable, symbols: bool) -> Callable[[np.ndarray], np.ndarray]:
    """What turns rows into an array of outputs or answers."""
    torch = _module(model)
    rows = (lambda x: x[..., 0].astype(np.int64)) if symbols else (lambda x: x)
    if torch is None:
        return lambda x: _outputs(model(rows(x)))
    first = next(iter(model.parameters()), torch.zeros(()))

    def call(x):
        tensor = torch.from_numpy(rows(x)).to(first.device)
        with torch.no_grad():
            return _outputs(model(tensor if symbols else tensor.to(first.dtype)))

    return call


def bench(model: Callable, setting: str, *, name: str = "guest", owner: str = "", note: str = "", seed: int = 0,
          parameters: int | None = None, scenarios: Iterable[str] = (), delays: Iterable[int] = (), episodes: int = 512,
          eval_seed: int = PAPER_SEED, batch: int = 64, task: str = "address-value", out: str | os.PathLike | None = None,
          ) -> Guest:
    """Asks any model what ``schemamem eval`` asks ours: the same episodes, scenarios and delays, scored in the same way.

    ``model`` takes rows, float32 ``[batch, time, inputs]`` (of a task of symbols: whole numbers ``[batch, time]``), and
    returns outputs ``[batch, time, outputs]``, one logit a bit or class; or the outputs of the final questions alone,
    ``[batch, questions, outputs]``; or whole-number answers without the last axis. A ``torch.nn.Module`` gets tensors on
    its own device, in evaluation mode and without gradients, and may return a tuple or an object with ``logits``. It
    never sees what is right.

    ``name``, ``owner`` and ``note`` say in tables what it is and whose; ``seed`` which training of it, so that several
    become a mean. ``out`` is a folder to :meth:`Guest.save` it in.

    >>> import numpy as np
    >>> import schemamem as sm
    >>> def forgetful(x):                       # knows nothing but what an address begins with
    ...     return np.where(x[..., :3] > 0.5, 1.0, -1.0)
    >>> guest = sm.bench(forgetful, "A3V3", name="forgetful", delays=[96], episodes=8)
    >>> [row["exact"] for row in guest.where(scenario="overwrite", group="default")]
    [100.0]
    >>> guest.where(scenario="overwrite", group="updated")[0]["exact"] < 50
    True
    """
    if not callable(model):
        raise TypeError(f"bench: expected something to call with rows; found {type(model).__name__}")
    if batch < 1:
        raise UsageError(f"bench: a batch has at least one episode; found {batch}")
    scores = _core.Bench(task, setting, eval_seed, episodes)
    module = _module(model)
    if module is not None and parameters is None:
        parameters = sum(parameter.numel() for parameter in model.parameters())
    about = {"model": name, "task": task, "setting": setting, "recipe": "", "seed": seed}
    how = {"kind": "table", "mode": "recurrent", "eval_seed": eval_seed, "episodes": episodes}
    guest = Guest()
    guest.name, guest.setting = name, setting
    guest._bench, guest._about = scores, (name, seed, owner, note, parameters)
    training = module is not None and model.training
    if training:
        model.eval()
    try:
        for scenario, delay in scores.cases(list(scenarios), sorted(set(delays)), list(DELAYS)):
            x = make_episodes(setting, scenario, int(delay), episodes, seed=eval_seed, task=task).x
            call = _caller(model, x.shape[2] == 1 and task != "address-value")
            found = np.concatenate([call(x[first:first + batch]) for first in range(0, episodes, batch)])
            if found.ndim not in (2, 3):
                raise UsageError("bench: expected outputs [batch, time, outputs] or answers [batch, time]; found an array of "
                                 f"shape {list(found.shape)} for {episodes} episodes")
            if found.ndim == 3:
                rows = scores.add_outputs(scenario, int(delay), np.ascontiguousarray(found, np.float32))
            else:
                if not np.issubdtype(found.dtype, np.integer):
                    raise UsageError(f"bench: answers are whole numbers; found {found.dtype}. Outputs have a third axis")
                rows = scores.add_answers(scenario, int(delay), np.ascontiguousarray(found, np.int32))
            guest.extend({**about, **row, **how} for row in rows)
    finally:
        if training:
            model.train()
    if out is not None:
        guest.save(out)
    return guest
