"""The paper's figures, drawn with matplotlib from :class:`schemamem.Records`."""

from __future__ import annotations

from collections import defaultdict
from statistics import mean

from .errors import UsageError
from .records import COLUMNS, STYLES, Records

LONGEST_TRAINED = 384


def _pyplot():
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plot: figures need matplotlib; pip install schemamem[plot]") from missing
    return pyplot


def _panel(axis, records: Records, column: str, trained: int | None) -> None:
    scenario, group = COLUMNS[column]
    lines = defaultdict(lambda: defaultdict(list))  # model -> delay -> % of each seed and setting
    for row in records.where(scenario=scenario, group=group):
        lines[row["model"]][row["delay"]].append(row["exact"])
    for name in sorted(lines, key=lambda name: (list(STYLES) + [name]).index(name)):
        style = STYLES.get(name, {"label": name, "marker": "."})
        delays = sorted(lines[name])
        values = [lines[name][delay] for delay in delays]
        (line,) = axis.plot(delays, [mean(some) for some in values], markersize=4, **style)
        if any(len(some) > 1 for some in values):
            axis.fill_between(delays, [min(some) for some in values], [max(some) for some in values], alpha=0.15,
                              color=line.get_color(), linewidth=0)
    if trained is not None:
        axis.axvline(trained, color="0.6", linewidth=0.8, linestyle=":")
    axis.set_xscale("log", base=2)
    ticks = sorted({row["delay"] for row in records if row["delay"] > 0})
    axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.set_ylim(0, 104)
    axis.set_title(column, fontsize="medium")


def delays(records: Records, axes=None, *, columns=tuple(COLUMNS), trained: int | None = LONGEST_TRAINED):
    """Exact-value accuracy over delay, as in the paper: one panel a column of its tables, one line a model, a band from
    the lowest to the highest run where there are several, and a dotted line at the longest delay that was trained.
    ``axes`` are as many axes as columns; without them a figure is made. Returns the figure."""
    unknown = [column for column in columns if column not in COLUMNS]
    if unknown:
        raise UsageError(f"plot.delays: there is no column {unknown[0]!r}; they are {', '.join(COLUMNS)}")
    if not any((row.get("scenario"), row.get("group")) in COLUMNS.values() and "exact" in row for row in records):
        raise UsageError("plot.delays: none of the records is of a column of the paper's tables; evaluate() and curve() of "
                         "the address-value task give them")
    if axes is None:
        _, axes = _pyplot().subplots(1, len(columns), figsize=(3 * len(columns), 2.8), sharey=True, layout="constrained")
    axes = list(getattr(axes, "flat", [axes] if not isinstance(axes, (list, tuple)) else axes))
    for axis, column in zip(axes, columns, strict=True):
        _panel(axis, records, column, trained)
    axes[0].set_ylabel("exact values (%)")
    figure = axes[0].figure
    figure.supxlabel("delay: queries between the writes and the final questions", fontsize="medium")
    axes[0].legend(fontsize="small", loc="lower left")
    return figure
