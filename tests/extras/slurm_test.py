"""A real Slurm runs a sweep of nine runs to its end, through everything that happens on a cluster: a run killed with -9, a
job killed with -9, a requeue, restarts of slurmd and slurmctld, more submissions, a time limit. The weights are those of
a sweep on this host alone."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import small_cluster
import tiny_sweep
from tiny_sweep import PROGRAM, STEP_LIMIT, freeze, wait_for

SKIPPED = 77
SIGTERM_BIT = 1 << (signal.SIGTERM - 1)


def submit(sweep, *more):
    return json.loads(tiny_sweep.call("--json", "sweep", "run", sweep, "--executor", "slurm", *more))


def element_of(sweep, run):
    """The element of an array that has a run."""
    return next(cell["slurm"]["job"] for cell in tiny_sweep.status(sweep)["cells"] if cell["run"] == run.name)


def has_pending(process, bit):
    try:
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    except FileNotFoundError:
        return False
    return any(int(line.split()[1], 16) & bit for line in lines if line.startswith(("ShdPnd", "SigPnd")))


def parent_of(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[1])


def through_everything(cluster, sweep):
    # A minute each, and the warning in the middle: Slurm looks every 30 s.
    first = submit(sweep, "--time", "1", "--warning", "30")
    assert first["runs"] == first["parts"] == 9, first
    again = submit(sweep)
    assert again["job"] == 0 and again["queued"] == 9, f"submitted twice: {again}"

    # There is room for two, and both stand still: the daemons restart while they have jobs.
    first_run, process = freeze(sweep)
    limited, frozen = freeze(sweep, [first_run])
    killed, limited_element = element_of(sweep, first_run), element_of(sweep, limited)
    cluster.restart("slurmd")

    # A run is killed, and its job starts it again; then the whole job is, its shell first.
    os.kill(process, signal.SIGKILL)
    wait_for("the killed run to go on", lambda: tiny_sweep.events(first_run)["resumed"])
    _, process = freeze(sweep, [limited])
    part = parent_of(process)
    for one in (parent_of(part), part, process):
        os.kill(one, signal.SIGKILL)

    third_run, _ = freeze(sweep, [first_run, limited])
    cluster.restart("slurmctld")
    requeued = element_of(sweep, third_run)
    subprocess.run(["scontrol", "requeue", requeued], check=True)

    # What stands still is sure to be warned of its time limit.
    wait_for("the warning before the time limit", lambda: has_pending(frozen, SIGTERM_BIT), 200)
    os.kill(frozen, signal.SIGCONT)
    wait_for("the first array to end", cluster.is_empty, 300)
    jobs = cluster.jobs()
    assert jobs[killed]["JobState"] == "FAILED", jobs[killed]
    for element in (requeued, limited_element):
        assert int(jobs[element]["Restarts"]) >= 1, jobs[element]
    assert tiny_sweep.events(limited)["stopped"] >= 1 and tiny_sweep.events(limited)["resumed"] >= 1

    status = tiny_sweep.status(sweep)
    missing = 9 - status["counts"]["step-limit"] - status["counts"]["passed"]
    assert missing >= 1, "the job that was killed left its run"
    second = submit(sweep, "--jobs-per-node", "2")
    assert second["runs"] == missing, f"{second}\n{status}"
    wait_for("the second array to end", cluster.is_empty, 200)


def run_the_page():
    """The page about clusters, as it stands."""
    root = pathlib.Path(__file__).resolve().parents[2]
    program = pathlib.Path(PROGRAM).resolve().parent
    subprocess.run([sys.executable, root / "tests/documents/pages.py", "--languages", "console", "--programs", program,
                    root / "docs/cluster.md"], check=True)


def main():
    if missing := small_cluster.missing():
        print(f"slurm: {', '.join(missing)} not found; `make test-extras` installs them", file=sys.stderr)
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="schemamem-slurm-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o711)
        here, there = folder / "here", folder / "there"
        for sweep in (here, there):
            tiny_sweep.plan(sweep, "schemamem,gdn,mamba3", "1-3", 150)
        tiny_sweep.call("sweep", "run", here, "--jobs", "2", "--threads", "1", codes=[STEP_LIMIT])
        (folder / "cluster").mkdir()
        with small_cluster.Cluster(folder / "cluster") as cluster:
            through_everything(cluster, there)
            assert submit(there)["job"] == 0, "nothing is left to submit"
            text = tiny_sweep.call("sweep", "status", there)
            assert "9 of 9 ended" in text and "nothing waits or runs" in text, text
            assert "Nothing of this sweep" in tiny_sweep.call("sweep", "cancel", there)
            run_the_page()
        for run in tiny_sweep.runs(there):
            events = tiny_sweep.events(run)
            assert events["finished"] == 1 and events["started"] == 1, f"{run}: {events}"
            left = [path.name for path in run.iterdir() if path.name.startswith(("claim-", ".schemamem-"))]
            assert not left, f"{run}: {left}"
        tiny_sweep.call("check", "--all", there)
        assert tiny_sweep.hashes(there) == tiny_sweep.hashes(here)
    print("nine runs through Slurm: the weights of a sweep on one host")
    return 0


if __name__ == "__main__":
    sys.exit(main())
