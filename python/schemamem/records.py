"""What evaluations find out, as plain rows."""

from __future__ import annotations

from typing import Any

#: The columns of the paper's tables: which group of which scenario.
COLUMNS = {
    "Retained-R": ("retention", "retained"),
    "Retained-I": ("interference", "retained"),
    "Updated": ("overwrite", "updated"),
    "Default": ("overwrite", "default"),
}

#: The models in the order of the paper's legends; others follow.
STYLES = {
    "schemamem": {"label": "SchemaMem", "color": "#0072b2", "marker": "o"},
    "gdn": {"label": "Gated DeltaNet", "color": "#d55e00", "marker": "s"},
    "mamba3": {"label": "Mamba-3", "color": "#009e73", "marker": "^"},
}


class Records(list):
    """A list of dictionaries, one a scored group: ``pandas.DataFrame(records)`` is a table of them.

    >>> import schemamem as sm
    >>> records = sm.evaluate(sm.load("a3v3-schemamem-steady-s42"), ["retention"], delays=[96], episodes=4)
    >>> [(row["group"], row["asked"], row["exact"]) for row in records]
    [('retained', 16, 100.0), ('default', 16, 100.0)]
    """

    def lowest(self) -> float:
        """The lowest accuracy of all rows in %; 0 if there are none."""
        return min((row["exact"] for row in self), default=0.0)

    def where(self, **wanted: Any) -> Records:
        """The rows that have these values: ``records.where(scenario="retention", delay=1536)``."""
        return Records(row for row in self if all(row.get(key) == value for key, value in wanted.items()))

    def __add__(self, other) -> Records:
        return Records(list.__add__(self, other))

    def plot(self, axes=None, **options):
        """Accuracy over delay, one panel a column of the paper's tables, one line a model (needs matplotlib).
        :func:`schemamem.plot.delays` has the options."""
        from . import plot

        return plot.delays(self, axes, **options)
