"""How many answers of a model are right: by delay, with its memory and without."""

from __future__ import annotations

from collections.abc import Iterable

from . import _core
from .episodes import PAPER_SEED
from .model import Model
from .records import Records


def _about(model: Model) -> dict:
    notes = model.notes
    about = {"model": model.name, "task": notes.get("task", "address-value"), "setting": notes.get("setting", "")}
    about["recipe"] = notes.get("recipe", "")
    about["seed"] = int(notes["seed"]) if notes.get("seed", "").isdigit() else None
    return about


def _ask(model: Model, kind: str, mode: str, scenarios, delays, episodes: int, seed: int, floor: float,
         threads: int) -> Records:
    about = _about(model)
    how = {"kind": kind, "mode": mode, "eval_seed": seed, "episodes": episodes, "floor": float(floor)}
    rows = _core.evaluate(model._core, kind, mode, list(scenarios), list(delays), episodes, seed, floor, threads)
    return Records({**about, **row, **how} for row in rows)


def evaluate(model: Model, scenarios: Iterable[str] = (), delays: Iterable[int] = (), *, episodes: int = 512,
             seed: int = PAPER_SEED, floor: float = 0.0, threads: int = 0) -> Records:
    """Scores a model on the evaluation episodes of the task that its file names: the paper's own, unless ``seed`` is
    another. Without scenarios and delays all are asked, those with a delay at 384, the longest that was trained. ``floor``
    is that of every stream (:attr:`Stream.floor`).

    >>> import schemamem as sm
    >>> model = sm.load("a3v3-schemamem-steady-s42")
    >>> sm.evaluate(model, ["overwrite"], [96], episodes=8).lowest()
    100.0
    """
    return _ask(model, "table", "recurrent", scenarios, delays, episodes, seed, floor, threads)


def curve(model: Model, delays: Iterable[int] = (1536, 6144, 24_576, 98_304), *, scenarios: Iterable[str] = (),
          episodes: int = 64, seed: int = PAPER_SEED, floor: float = 0.0, threads: int = 0) -> Records:
    """Scores a model over long delays: one stream an episode, forked and asked at each of them, in constant memory.

    >>> import schemamem as sm
    >>> records = sm.curve(sm.load("a3v3-schemamem-steady-s42"), [96, 192], scenarios=["retention"], episodes=2)
    >>> [(row["delay"], row["group"]) for row in records]
    [(96, 'retained'), (96, 'default'), (192, 'retained'), (192, 'default')]
    """
    return _ask(model, "curve", "recurrent", scenarios, delays, episodes, seed, floor, threads)


def ablate(model: Model, scenarios: Iterable[str] = (), delays: Iterable[int] = (384, 1536), *, episodes: int = 512,
           seed: int = PAPER_SEED, floor: float = 0.0, threads: int = 0) -> Records:
    """What the memory is worth: the same episodes, and again with the memory cleared after every commit. A row has
    ``normal``, ``ablated`` and their ``difference`` in %.

    >>> import schemamem as sm
    >>> rows = sm.ablate(sm.load("a3v3-schemamem-steady-s42"), ["retention"], [96], episodes=8)
    >>> rows[0]["group"], rows[0]["normal"], rows[0]["ablated"] < 50
    ('retained', 100.0, True)
    """
    scenarios, delays = list(scenarios), list(delays)
    if not scenarios and _about(model)["task"] == "address-value":
        scenarios = ["retention", "interference", "overwrite"]
    cleared = _ask(model, "table", "ablated", scenarios, delays, episodes, seed, floor, threads)
    normal = _ask(model, "table", "recurrent", scenarios, delays, episodes, seed, floor, threads)
    kept = ("model", "task", "setting", "recipe", "seed", "scenario", "delay", "group", "asked", "eval_seed", "episodes",
            "floor")
    return Records({**{key: row[key] for key in kept}, "normal": row["exact"], "ablated": without["exact"],
                    "difference": row["exact"] - without["exact"]} for row, without in zip(normal, cleared))
