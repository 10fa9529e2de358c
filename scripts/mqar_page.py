"""mqar_page.py FOLDER OUT: the runs of scripts/mqar.sh as OUT/mqar.md and OUT/figures/mqar.svg (drawn by gnuplot)."""

import json
import pathlib
import subprocess
import sys
import tempfile

TITLES = {"schemamem": "SchemaMem", "mamba3": "Mamba-3", "gdn": "Gated DeltaNet"}
INTRODUCTION = """# Associative recall

Made by `make mqar`. Multi-query associative recall as published (Arora et al., "Zoology"): {pairs} pairs of a key and its value, {length}
tokens, a vocabulary of {vocabulary}, gaps by a power law; the random numbers are ours. The published vocabulary of 8,192 is `--setting
V8192L64P4`; this one is what two cores train in minutes. All three models are {width} wide and trained by the recipe `levels`, one seed.

![Right answers against optimiser steps](figures/mqar.svg)

The line is the lowest group of each check; a level ends when every group has 97 %, and a cool-down of 4,000 steps follows the last.

## Evaluated

Exact answers in %, 512 unseen episodes each: the first half of the pairs / the second half. Trained were up to {pairs} pairs in {length} tokens.

"""


def runs_of(folder):
    for path in sorted(folder.glob("*/run.json")):
        manifest = json.loads(path.read_text())
        result = json.loads((path.parent / "result.json").read_text())
        yield path.parent, manifest, result


def checks(run):
    """Steps, and the lowest group in %, of every check."""
    for line in (run / "metrics.jsonl").read_text().splitlines():
        metrics = json.loads(line)
        if "check" in metrics:
            yield metrics["step"], metrics["lowest"]


def cells(run, seed):
    found = {}
    for path in (run / "evaluations").glob(f"table-recurrent-{seed}-*.json"):
        for cell in json.loads(path.read_text())["cells"]:
            pairs = int(cell["scenario"].removeprefix("pairs-"))
            found.setdefault((cell["delay"], pairs), {})[cell["group"]] = 100 * cell["right"] / cell["asked"]
    return found


def draw(lines, out):
    with tempfile.TemporaryDirectory() as folder:
        script = ["set terminal svg size 720,380 font 'sans,13' background 'white'", f"set output '{out}'",
                  "set xlabel 'optimiser steps'", "set ylabel 'right answers, lowest group, %'", "set yrange [0:101]",
                  "set key bottom right", "set grid ytics lc rgb '#dddddd'", "set border 3", "set tics nomirror"]
        plots = []
        for i, (title, points) in enumerate(lines):
            data = pathlib.Path(folder) / f"{i}.txt"
            data.write_text("".join(f"{step} {right}\n" for step, right in points))
            color = ["#1b6ca8", "#c8553d", "#3c8d5a"][i % 3]
            plots.append(f"'{data}' with lines lw 2 dt {i + 1} lc rgb '{color}' title '{title}'")
        script.append("plot " + ", ".join(plots))
        subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def main(folder, out):
    runs = list(runs_of(folder))
    manifest = runs[0][1]
    vocabulary, rest = manifest["setting"].removeprefix("V").split("L")
    length, pairs = rest.split("P")
    width = manifest["model_set"]["width"]
    text = INTRODUCTION.format(vocabulary=vocabulary, length=length, pairs=pairs, width=width)
    order = list(TITLES)
    runs.sort(key=lambda run: order.index(run[1]["model"]))
    tables = {manifest["model"]: cells(run, 20270407) for run, manifest, _ in runs}
    text += "| tokens | pairs | " + " | ".join(TITLES[model] for model in tables) + " |\n"
    text += "|---|---|" + "---|" * len(tables) + "\n"
    for case in sorted(next(iter(tables.values()))):
        shown = ["{:.1f} / {:.1f}".format(table[case].get("early", float("nan")), table[case]["late"])
                 for table in tables.values()]
        text += f"| {case[0]} | {case[1]} | " + " | ".join(shown) + " |\n"
    text += "\n## Trained\n\n| model | parameters | steps | last check, % | weights |\n|---|---|---|---|---|\n"
    for run, manifest, result in runs:
        text += (f"| `{manifest['model']}` | {manifest['parameters']:,} | {result['steps']:,} | {result['last_check']['lowest']:.2f} | "
                 f"`{run.as_posix()}` |\n")
    (out / "figures").mkdir(parents=True, exist_ok=True)
    draw([(TITLES[manifest["model"]], list(checks(run))) for run, manifest, _ in runs], out / "figures" / "mqar.svg")
    (out / "mqar.md").write_text(text)


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
