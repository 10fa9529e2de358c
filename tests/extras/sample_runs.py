"""Run folders as `schemamem train`, `eval` and `ablate` leave them, filled with made-up numbers: for the report's tests.

sample_runs.py FOLDER [--whole] writes them; --whole gives all 81 runs of two recipes instead of a handful."""

import hashlib
import json
import math
import pathlib
import random
import sys

MODELS = ["schemamem", "mamba3", "gdn"]
SETTINGS = [f"A{a}V{v}" for a in (3, 4, 5) for v in (3, 4, 5)]
SEEDS = [42, 43, 44]
PAPER_SEED, UNSEEN_SEED = 20261001, 20270407
GROUPS = {"retention": ["retained", "default"], "interference": ["retained", "updated", "default"],
          "overwrite": ["retained", "updated", "default"]}
DELAYS = [96, 192, 384, 768, 1536]
LONG_DELAYS = DELAYS + [3072, 10000, 30000, 100000, 300000, 1000000]
EPISODES, QUERIES = 32, 4
SIZES = {"schemamem": (54336, 16896), "mamba3": (55128, 16752), "gdn": (55260, 17280)}
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"


def half_life(model, recipe, rng):
    """Where a made-up accuracy has fallen to half: one number a run, so that its curves belong together."""
    typical = {"schemamem": 6000, "mamba3": 900, "gdn": 1100}.get(model, 300) * (8 if recipe == "steady" else 1)
    return typical * math.exp(rng.gauss(0, 0.25))


def cell(scenario, delay, group, half, mode, rng):
    chance = 1 / (1 + (delay / half) ** 1.7)
    if mode == "ablated":
        chance = 0.995 if group == "default" else 0.0
    elif group == "default":
        chance = 0.5 + 0.5 * chance
    right = [sum(rng.random() < chance for _ in range(QUERIES)) for _ in range(EPISODES)]
    asked, bits = EPISODES * QUERIES, EPISODES * QUERIES * 3
    return {"scenario": scenario, "delay": delay, "group": group, "asked": asked, "right": sum(right), "bits": bits,
            "bits_right": bits - 2 * (asked - sum(right)), "cross_entropy": round(0.7 * (1 - sum(right) / asked), 6),
            "right_by_episode": right}


def write_evaluation(folder, checkpoint, kind, mode, eval_seed, delays, half, rng):
    cells = [cell(scenario, delay, group, half, mode, rng)
             for scenario, groups in GROUPS.items() for delay in delays for group in groups]
    record = {"format": "schemamem evaluation", "version": 1, "checkpoint": checkpoint, "cells": cells,
              "protocol": {"kind": kind, "mode": mode, "eval_seed": eval_seed, "episodes": EPISODES, "isa": "avx2"}}
    (folder / "evaluations").mkdir(exist_ok=True)
    (folder / "evaluations" / f"{kind}-{mode}-{eval_seed}-{EPISODES}.json").write_text(json.dumps(record))


def write_run(root, model, setting, seed, recipe, capped=False, note="", long_delays=LONG_DELAYS):
    rng = random.Random(f"{model} {setting} {seed} {recipe}")
    run_hash = hashlib.sha256(f"{model} {setting} {seed} {recipe}".encode()).hexdigest()[:8]
    folder = root / f"{model}-{setting}-{recipe}-s{seed}-{run_hash}"
    folder.mkdir(parents=True)
    parameters, persistent = SIZES.get(model, (50000, 16000))
    (folder / "run.json").write_text(json.dumps({
        "format": 1, "model": model, "setting": setting, "seed": seed, "recipe": recipe, "hash": run_hash,
        "parameters": parameters, "persistent_elements": persistent, "isa": "avx2", "version": "0.1.0", "note": note,
        "environment": {"command": f"schemamem train --model {model} --setting {setting} --seed {seed} --recipe {recipe}"},
        "config": {"batch.size": {"value": "64", "origin": recipe}}}))
    steps = rng.randrange(8, 60) * 250 * (5 if model == "schemamem" else 1)
    (folder / "result.json").write_text(json.dumps({
        "status": "step-limit" if capped else "passed", "steps": steps, "seconds": round(steps * 0.011, 1),
        "target": 95 if model == "schemamem" else 99,
        "passed": [{"name": "transactions-full", "step": steps // 1000 * 250, "lowest": 99.0}]}))
    checkpoint = {"sha256": hashlib.sha256(run_hash.encode()).hexdigest(), "model": model, "setting": setting,
                  "seed": seed, "recipe": recipe, "hash": run_hash}
    half = half_life(model, recipe, rng)
    for eval_seed in (PAPER_SEED, UNSEEN_SEED):
        write_evaluation(folder, checkpoint, "table", "recurrent", eval_seed, DELAYS, half, rng)
    write_evaluation(folder, checkpoint, "curve", "recurrent", PAPER_SEED, long_delays, half, rng)
    if model == "schemamem":
        write_evaluation(folder, checkpoint, "table", "ablated", PAPER_SEED, [384, 1536], half, rng)
    return folder


def write_runs(root, whole=False):
    """All of the recipe `fast` for two settings, one of them with a run at its step limit; `steady` for one of them."""
    root = pathlib.Path(root)
    plan = [(recipe, setting) for recipe in ("fast", "steady") for setting in SETTINGS] if whole else [
        ("fast", "A3V3"), ("fast", "A4V5"), ("steady", "A3V3")]
    for recipe, setting in plan:
        for model in MODELS:
            for seed in SEEDS:
                write_run(root, model, setting, seed, recipe, capped=(model, setting, seed) == ("gdn", "A4V5", 44),
                          note=HOSTILE if seed == 42 else "")
    return root


def write_more(root):
    """Beside them a third recipe, whose longest delay only one seed has, a setting and a model that the paper has not."""
    root = write_runs(root)
    for seed in SEEDS:
        for model in MODELS:
            write_run(root, model, "A3V3", seed, "endless", long_delays=LONG_DELAYS[: None if seed == 42 else -1])
            write_run(root, model, "A2V2", seed, "fast")
        write_run(root, "gru", "A3V3", seed, "fast")
    return root


if __name__ == "__main__":
    write_runs(sys.argv[1], whole="--whole" in sys.argv)
