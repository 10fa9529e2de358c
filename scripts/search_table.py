"""search_table.py FOLDER OUT: what the runs of scripts/search.sh show, as OUT/search.csv and OUT/search.md.

The CSV is the record: lines of runs that are no longer in FOLDER stay, those of runs that are there are written anew.
"""

import csv
import json
import pathlib
import sys

INTRODUCTION = """# The search

Made by `make search`; docs/recipe_search.md says what follows from it. One run a cell and seed. In a cell: the steps until the last
stage was passed, then exact % (Retained-R / Retained-I / Updated / Default) on episodes that serve no result: at delay 1,536,
128 episodes, for the variants of `fast`; at 1,536; 24,576; 98,304, 16 episodes, for those of `steady`. *none after stage n*:
the stage behind it had not ended after 4,000 steps (LIMIT); *diverged*: a loss was not finite. An empty cell was not run.
"""
RUN = ["part", "recipe", "model", "setting", "seed", "hash"]  # what names a run
OUTCOME = ["status", "stages", "steps", "seconds"]  # stages passed, steps until the last of them
COLUMNS = {"retained_r": ("retention", "retained"), "retained_i": ("interference", "retained"),
           "updated": ("overwrite", "updated"), "default": ("overwrite", "default")}
HEADER = RUN + OUTCOME + ["delay", *COLUMNS]
MODELS = {"schemamem": "SchemaMem", "mamba3": "Mamba-3", "gdn": "Gated DeltaNet"}
BASES = {"fast-schemamem": "fast", "fast-baselines": "fast", "steady": "steady"}


def accuracies(run):
    """By delay, exact % in the order of COLUMNS."""
    found = {}
    for path in sorted((run / "evaluations").glob("*-1-*.json")):
        for cell in json.loads(path.read_text())["cells"]:
            found.setdefault(cell["delay"], {})[cell["scenario"], cell["group"]] = 100 * cell["right"] / cell["asked"]
    return {delay: [f"{cells[place]:.2f}" for place in COLUMNS.values()]
            for delay, cells in sorted(found.items()) if cells.keys() >= set(COLUMNS.values())}


def is_diverged(mark):
    """Whether a run was given up because its numbers were not finite: exit code 76."""
    return mark.exists() and json.loads(mark.read_text())["exit"] == 76


def lines_of_runs(folder):
    """The CSV's lines of every run that was asked what it knows or diverged, by what names it."""
    lines = {}
    for path in sorted(folder.glob("*/*/*/run.json")):
        manifest = json.loads(path.read_text())
        run = [path.parents[2].name] + [str(manifest[key]) for key in RUN[1:]]
        known = accuracies(path.parent)
        if known:
            result = json.loads((path.parent / "result.json").read_text())
            stages = [stage["step"] for stage in result["passed"] if stage["name"] != "cooldown"]
            outcome = [result["status"], len(stages), max(stages, default=0), round(result["seconds"])]
        elif is_diverged(path.parent / "failed.json"):
            outcome = ["diverged", "", "", ""]
            known = {"": [""] * len(COLUMNS)}
        else:
            continue
        lines[tuple(run)] = [run + [str(x) for x in outcome + [delay]] + exact for delay, exact in known.items()]
    return lines


def lines_on_record(path):
    lines = {}
    if path.exists():
        with open(path, newline="") as file:
            for line in list(csv.reader(file))[1:]:
                lines.setdefault(tuple(line[:len(RUN)]), []).append(line)
    return lines


def cell_text(lines):
    """Of one run: the steps to the target, and what is known then."""
    first = dict(zip(HEADER, lines[0]))
    if first["status"] == "diverged":
        return "diverged"
    steps = f"{int(first['steps']):,}" if first["status"] == "passed" else f"none after stage {first['stages']}"
    known = [" / ".join(f"{float(x):.0f}" for x in line[-len(COLUMNS):]) for line in lines]
    return f"{steps}: {'; '.join(known)}"


def seeds_text(cells):
    """One cell of the table: a line a seed, named unless it is 51 alone."""
    if set(cells) <= {"51"}:
        return "".join(cells.values())
    return "<br>".join(f"seed {seed}, {text}" for seed, text in cells.items())


def words_of(recipe):
    """The comment on top of a file of configs/search."""
    path = pathlib.Path("configs/search") / f"{recipe}.toml"
    return path.read_text().splitlines()[0].removeprefix("# ").rstrip(".") if path.exists() else f"`{recipe}`"


def table(part, lines):
    """Markdown: the recipe that was changed first, then the variants."""
    runs = {run[1:]: cell for run, cell in lines.items() if run[0] == part}
    if not runs:
        return ""
    columns = sorted({(list(MODELS).index(model), setting) for _, model, setting, *_ in runs})
    recipes = sorted({run[0] for run in runs}, key=lambda name: (name != BASES[part], name))
    text = [f"## {part}\n", "| recipe | " + " | ".join(f"{list(MODELS.values())[m]} {s}" for m, s in columns) + " |",
            "|---|" + "---|" * len(columns)]
    for recipe in recipes:
        cells = [{run[3]: cell_text(cell) for run, cell in sorted(runs.items())
                  if run[:3] == (recipe, list(MODELS)[m], s)} for m, s in columns]
        text.append(f"| {words_of(recipe)} | " + " | ".join(map(seeds_text, cells)) + " |")
    return "\n".join(text) + "\n"


def main(folder, out):
    lines = {**lines_on_record(out / "search.csv"), **lines_of_runs(folder)}
    out.mkdir(parents=True, exist_ok=True)
    with open(out / "search.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for run in sorted(lines):
            writer.writerows(lines[run])
    (out / "search.md").write_text("\n".join([INTRODUCTION] + [text for text in (table(p, lines) for p in BASES) if text]))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
