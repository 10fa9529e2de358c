"""Sweeps of tiny runs, which end at their step limit, and what is left of them."""

import collections
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import time

PROGRAM = os.environ.get("SCHEMAMEM_PROGRAM", "build/schemamem")
STEP_LIMIT = 2  # the exit code of a sweep whose runs all ended so


def call(*arguments, codes=(0,), **more):
    """Calls the program and gives its standard output."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **more)
    assert done.returncode in codes, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def plan(folder, models, seeds, limit):
    options = ["batch.episodes=2", "validation.every=4", "validation.episodes=2", "validation.passes=9",
               "transactions.history_thresholds=[100,100,100]", f"transactions.limit={limit}"]
    call("sweep", "plan", "--models", models, "--settings", "A2V2", "--seeds", seeds, "--no-estimate", "--out", folder,
         *(word for option in options for word in ("--set", option)))


def status(folder, **more):
    return json.loads(call("sweep", "status", folder, "--json", **more))


def runs(folder):
    return sorted(path.parent for path in pathlib.Path(folder).glob("*/run.json"))


def hashes(folder):
    """Of each run the weights and the metrics, which no interruption changes."""
    return {run.name: [hashlib.sha256((run / file).read_bytes()).hexdigest() for file in ("model.safetensors", "metrics.jsonl")]
            for run in runs(folder)}


def events(run):
    """How often each event happened to a run."""
    path = pathlib.Path(run) / "events.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return collections.Counter(json.loads(line)["event"] for line in lines)


def training(sweep):
    """The processes that train runs of a sweep, by run."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0") if entry.name.isdigit() else []
        except OSError:
            continue
        for word in words if "train" in words or "resume" in words else []:
            if word.startswith(f"{sweep}/"):
                found[pathlib.Path(word)] = int(entry.name)
    return found


def freeze(sweep, without=(), seconds=120):
    """Stops a run that has saved something where it stands: its folder and its process."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for run, process in training(sweep).items():
            if run not in without and events(run)["saved"]:
                os.kill(process, signal.SIGSTOP)
                return run, process
        time.sleep(0.005)
    raise AssertionError(f"no run of {sweep} was at work within {seconds} s")


def wait_for(what, condition, seconds=120):
    """Waits until the condition gives something, and gives that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError(f"waited {seconds} s in vain for {what}")
