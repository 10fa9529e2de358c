"""Records as one page of HTML that needs nothing else: a sentence, a figure and a table."""

from __future__ import annotations

from html import escape
from math import log2
from statistics import mean

from .errors import UsageError
from .records import COLUMNS, STYLES, Records

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _BOTTOM = 260, 180, 34, 18, 34

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
figure { margin: 1rem 0; display: flex; flex-wrap: wrap; gap: 1rem; }
svg { max-width: 100%; font: 11px system-ui, sans-serif; fill: currentColor; }
.scroll { overflow-x: auto; }
p span { margin-right: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
"""
_COLORS = ("#cc79a7", "#e69f00", "#56b4e9", "#888888")  # of models that have none of their own


def _label(model: str) -> str:
    return STYLES[model]["label"] if model in STYLES else model


def _scores(records: Records, column: str) -> dict[str, dict[int, float]]:
    """Model -> delay -> mean of what is right in %."""
    scenario, group = COLUMNS[column]
    found: dict[str, dict[int, list[float]]] = {}
    for row in records.where(scenario=scenario, group=group):
        found.setdefault(row["model"], {}).setdefault(row["delay"], []).append(row["exact"])
    return {model: {delay: mean(found[model][delay]) for delay in sorted(found[model])} for model in found}


def _panel(column: str, scores: dict[str, dict[int, float]], delays: list[int], colors: dict[str, str]) -> str:
    """One chart: accuracy over delay, a line a model."""
    first, last = log2(max(delays[0], 1)), log2(max(delays[-1], 1))

    def x(delay):
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * ((log2(max(delay, 1)) - first) / (last - first) if last > first else 0.5)

    def y(percent):
        return 22 + (_HEIGHT - _BOTTOM - 22) * (1 - percent / 100)

    parts = [f'<text x="{_LEFT}" y="12" font-weight="bold">{column}</text>']
    for percent in (0, 50, 100):
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(percent):.1f}" y2="{y(percent):.1f}" stroke="#8886"/>'
                     f'<text x="{_LEFT - 5}" y="{y(percent) + 4:.1f}" text-anchor="end">{percent}</text>')
    for i, delay in enumerate(delays):
        below = 14 if i % 2 == 0 else 26  # neighbours do not touch
        parts.append(f'<text x="{x(delay):.1f}" y="{_HEIGHT - _BOTTOM + below}" text-anchor="middle">{delay:,}</text>')
    for model in reversed(colors):  # the first lies on top
        values = scores.get(model, {})
        points = " ".join(f"{x(delay):.1f},{y(value):.1f}" for delay, value in values.items())
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colors[model]}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(delay):.1f}" cy="{y(value):.1f}" r="3" fill="{colors[model]}"><title>{escape(_label(model))}, '
                  f'{delay:,}: {value:.2f} %</title></circle>' for delay, value in values.items()]
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" aria-label="{column}">{"".join(parts)}</svg>'


def page(records: Records, guest: str) -> str:
    """The page about one model, `guest`, beside the others of the records."""
    columns = {column: scores for column in COLUMNS if (scores := _scores(records, column))}
    if not columns or not any(guest in scores for scores in columns.values()):
        raise UsageError("report: none of the records is of a column of the paper's tables; the address-value task gives them")
    ours = [model for model in STYLES if any(model in scores for scores in columns.values())]
    models = list(dict.fromkeys([guest, *ours, *(model for scores in columns.values() for model in scores)]))
    free = iter(_COLORS * len(models))
    colors = {model: STYLES[model]["color"] if model in STYLES else next(free) for model in models}
    delays = sorted({delay for scores in columns.values() for values in scores.values() for delay in values})
    about = records.where(model=guest)[0]
    best = next(iter(columns))
    longest = max(columns[best].get(guest, {delays[-1]: 0}))
    ranking = ", ".join(f"{escape(_label(model))} {columns[best][model][longest]:.1f} %" for model in models
                        if longest in columns[best].get(model, {}))
    legend = " ".join(f'<span><b style="color:{colors[model]}">●</b> {escape(_label(model))}</span>' for model in models)
    panels = "".join(_panel(column, scores, delays, colors) for column, scores in columns.items())
    rows = "".join(
        f"<tr><td>{escape(_label(model))}</td><td>{delay:,}</td>"
        + "".join(f"<td>{scores[model][delay]:.2f}</td>" if delay in scores.get(model, {}) else "<td></td>"
                  for scores in columns.values()) + "</tr>"
        for delay in delays for model in models)
    title = f"{escape(guest)} on {escape(about['setting'])}"
    return f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>
<style>{_STYLE}</style>
<h1>{title}</h1>
<p>After a delay of {longest:,} queries, {best}: {ranking}.</p>
<p>Exact values that are right, in %, of the same {about["episodes"]} evaluation episodes for each model (seed
{about["eval_seed"]}), over the delay in queries. Ours were trained on delays of at most 384.</p>
<p>{legend}</p>
<figure>{panels}</figure>
<div class="scroll"><table><thead><tr><th>model</th><th>delay</th>{"".join(f"<th>{column}</th>" for column in columns)}</tr></thead>
<tbody>{rows}</tbody></table></div>
</html>
"""
