#!/usr/bin/env python3
"""Two ranks of one thread beside one process of two threads and of one, at the batch of the paper: the same steps, in turn, the best of several; and
what `schemamem plan` says of them.

First the results are compared: ranks that do not give the same weights are not timed. What is timed are the steps as rank 0 sees them, waiting for
the other included; starting processes and checks are not."""

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-np", "2"]
PARTS = ("kernels", "folding", "data", "optimizer", "ranks")
STEP_LIMIT = 2  # exit code of a run that ends there


def train(command, threads, model, setting, steps, folder):
    """Seconds of all steps by parts, steps by stage, and the hash of the weights."""
    # Two steps in every stage before the last one of transactions, which ends the run.
    limits = [f"transactions.limit={steps}", "transactions.history_thresholds=[0,0,0]", "transactions.thresholds=[0,0]",
              "validation.every=2", "validation.episodes=1", "validation.passes=1"]
    arguments = ["train", "--model", model, "--setting", setting, "--recipe", "paper", "--threads", str(threads), "--out", str(folder)]
    for limit in limits:
        arguments += ["--set", limit]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True)
    if done.returncode != STEP_LIMIT:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    spent = json.loads((folder / "events.jsonl").read_text().splitlines()[-1])["spent"]
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    result = json.loads((folder / "result.json").read_text())
    stages, before = {}, 0
    for stage in result["passed"]:
        stages[stage["name"]], before = stage["step"] - before, stage["step"]
    stages["transactions-full"] = result["steps"] - before
    return {part: spent[part] for part in PARTS}, stages, weights


def planned(program, model, setting, stages, nodes):
    """Seconds that `plan` expects of these steps, with one thread a node and a network as fast as memory."""
    said = subprocess.run([str(program), "--json", "plan", "--models", model, "--settings", setting, "--nodes", str(nodes), "--threads", "1",
                           "--latency", "1", "--bandwidth", "100"], capture_output=True, text=True, check=True)
    step = json.loads(said.stdout)["runs"][0]["on"][0]["step_seconds"]
    return sum(count * step[stage] for stage, count in stages.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, default=pathlib.Path("build/schemamem"))
    parser.add_argument("--models", default="schemamem,gdn,mamba3")
    parser.add_argument("--setting", default="A5V5")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with_mpi = given.program.parent / "tests" / "extras" / "schemamem_mpi"
    ways = {"threads": ([str(given.program)], 2), "ranks": ([*MPIRUN, str(with_mpi)], 1), "one": ([str(given.program)], 1)}
    print(f"two ranks of one thread beside one process of two, batch 512, {given.setting}, best of {given.rounds} in turn; "
          f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    worst = 0
    for model in given.models.split(","):
        best = {}
        for _ in range(given.rounds):
            hashes = set()
            for way, (command, threads) in ways.items():
                with tempfile.TemporaryDirectory(prefix="schemamem-bench-") as folder:
                    parts, stages, weights = train(command, threads, model, given.setting, given.steps, pathlib.Path(folder) / "run")
                hashes.add(weights)
                if way not in best or sum(parts.values()) < sum(best[way].values()):
                    best[way] = parts
            if len(hashes) != 1:
                sys.exit(f"{model}: two ranks give other weights than two threads")
        steps = sum(stages.values())
        milliseconds = {way: 1e3 * sum(parts.values()) / steps for way, parts in best.items()}
        ratio = milliseconds["ranks"] / milliseconds["threads"]
        worst = max(worst, ratio)
        print(f"  {model:<10} a step: two threads {milliseconds['threads']:7.1f} ms, two ranks {milliseconds['ranks']:7.1f} ms (exchange and waiting "
              f"{1e3 * best['ranks']['ranks'] / steps:.1f}), ratio {ratio:.3f}; the same weights")
        for nodes, way in ((1, "one"), (2, "ranks")):
            expected = 1e3 * planned(given.program, model, given.setting, stages, nodes) / steps
            print(f"  {'':<10} {nodes} process{'es' if nodes > 1 else '  '} of one thread: {milliseconds[way]:7.1f} ms, planned {expected:7.1f} ms, "
                  f"planned / found {expected / milliseconds[way]:.2f}")
    print(f"  the worst ratio is {worst:.3f}; 1.05 is allowed")


if __name__ == "__main__":
    main()
