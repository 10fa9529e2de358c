"""search_table.py FOLDER OUT: what the runs of scripts/search.sh show, as OUT/search.md and OUT/search.csv."""

import csv
import json
import pathlib
import sys

INTRODUCTION = """# The search

Made by `make search`; docs/recipe.md says what follows from it. One run a cell and seed. In a cell: the steps until the last
stage was passed, then exact % (Retained-R / Retained-I / Updated / Default) on episodes that serve no result: at delay 1,536,
128 episodes, for the variants of `fast`; at 1,536; 24,576; 98,304, 16 episodes, for those of `steady`. *none after stage n*:
8,000 steps did not end the stage behind it.
"""
HEADER = ["search", "recipe", "model", "setting", "seed", "passed", "steps", "stages"]
COLUMNS = [("retention", "retained"), ("interference", "retained"), ("overwrite", "updated"), ("overwrite", "default")]
MODELS = {"schemamem": "SchemaMem", "mamba3": "Mamba-3", "gdn": "Gated DeltaNet"}


def words_of(recipe):
    """The comment on top of a file of configs/search."""
    path = pathlib.Path("configs/search") / f"{recipe}.toml"
    return path.read_text().splitlines()[0].removeprefix("# ").rstrip(".") if path.exists() else f"`{recipe}`"


def accuracies(run):
    """Exact % by delay, in the order of COLUMNS."""
    found = {}
    for path in sorted((run / "evaluations").glob("*-1-*.json")):
        for cell in json.loads(path.read_text())["cells"]:
            place = (cell["scenario"], cell["group"])
            if place in COLUMNS:
                found.setdefault(cell["delay"], {})[place] = 100 * cell["right"] / cell["asked"]
    return {delay: [cells[c] for c in COLUMNS] for delay, cells in sorted(found.items()) if len(cells) == len(COLUMNS)}


def read_runs(folder):
    for path in sorted(folder.glob("*/result.json")):
        result = json.loads(path.read_text())
        passed = result["status"] == "passed"
        stages = [stage["step"] for stage in result["passed"] if stage["name"] != "cooldown"]
        yield {"search": folder.name, **{key: result[key] for key in ("recipe", "model", "setting", "seed")},
               "passed": passed, "steps": stages[-1] if passed else None, "stages": len(stages),
               "exact": accuracies(path.parent)}


def cell_text(runs):
    """Of the runs of one row and column: the steps to the target, and what is known then."""
    texts = []
    for run in runs:
        steps = f"{run['steps']:,}" if run["passed"] else f"none after stage {run['stages']}"
        known = ["; ".join(" / ".join(f"{x:.0f}" for x in four) for four in run["exact"].values())]
        texts.append(": ".join([steps] + [k for k in known if k]))
    return "<br>".join(texts)


def table(runs, base):
    """Markdown: the recipe that was changed first, then the variants."""
    columns = sorted({(list(MODELS).index(run["model"]), run["setting"]) for run in runs})
    names = list(MODELS)
    recipes = sorted({run["recipe"] for run in runs}, key=lambda name: (name != base, name))
    lines = ["| recipe | " + " | ".join(f"{MODELS[names[m]]} {setting}" for m, setting in columns) + " |",
             "|---|" + "---|" * len(columns)]
    for recipe in recipes:
        cells = [cell_text([run for run in runs if (run["recipe"], run["model"], run["setting"]) == (recipe, names[m], s)])
                 for m, s in columns]
        lines.append(f"| {words_of(recipe)} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main(folder, out):
    rows = []
    text = [INTRODUCTION]
    for name, base in (("fast-schemamem", "fast"), ("fast-baselines", "fast"), ("steady", "steady")):
        runs = list(read_runs(folder / name))
        if runs:
            text += [f"## {name}\n", table(runs, base)]
        for run in runs:
            for delay, exact in run["exact"].items() or {None: [None] * len(COLUMNS)}.items():
                rows.append([run[key] for key in HEADER] + [delay] + exact)
    out.mkdir(parents=True, exist_ok=True)
    (out / "search.md").write_text("\n".join(text))
    with open(out / "search.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER + ["delay", "retained_r", "retained_i", "updated", "default"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
