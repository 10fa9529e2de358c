"""Two hosts finish sweeps in one folder, where locks mean nothing: every run is done once, and a dead host's is taken over.

The hosts are namespaces with names and networks of their own; locks are granted to everybody (no_locks.cpp)."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import tiny_sweep
from tiny_sweep import PROGRAM, STEP_LIMIT

SKIPPED = 77
ROUNDS = 20
HOST = ["unshare", "--uts", "--net", "sh", "-c", 'hostname "$1" && shift && exec "$@"', "sh"]
NO_LOCKS = pathlib.Path(PROGRAM).parent / "tests/extras/libno_locks.so"


def start(host, sweep, log):
    command = [*HOST, host, "env", f"LD_PRELOAD={NO_LOCKS}", PROGRAM,
               "sweep", "run", str(sweep), "--jobs", "1", "--threads", "1"]
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def check_done_once(sweep, count, resumed=0):
    runs = tiny_sweep.runs(sweep)
    assert len(runs) == count, runs
    for run in runs:
        events = tiny_sweep.events(run)
        assert events["started"] == 1 and events["finished"] == 1 and events["resumed"] <= resumed, f"{run}: {events}"
        left = [path.name for path in run.iterdir() if path.name.startswith(("claim-", ".schemamem-"))]
        assert not left, f"{run}: {left}"


def both_hosts_work(folder):
    """Twenty rounds; together the hosts have to share the work at least once."""
    at_work = set()
    for number in range(ROUNDS):
        sweep = folder / f"round-{number}"
        tiny_sweep.plan(sweep, "schemamem,gdn", "1-3", 8)
        with open(folder / "north", "a") as north, open(folder / "south", "a") as south:
            hosts = [start("north", sweep, north), start("south", sweep, south)]
            codes = [host.wait(timeout=300) for host in hosts]
        assert codes == [STEP_LIMIT] * 2, f"round {number}: {codes}\n{(folder / 'north').read_text()}{(folder / 'south').read_text()}"
        check_done_once(sweep, 6)
        for host in ("north", "south"):
            at_work |= {host} if "step-limit  step" in (folder / host).read_text() else set()
    assert at_work == {"north", "south"}, at_work
    tiny_sweep.call("check", "--all", folder / "round-0")


def begin_a_death(folder):
    """A host dies at work, pool and run; another one begins to wait. What is to be looked at when it has ended."""
    sweep = folder / "death"
    tiny_sweep.plan(sweep, "schemamem", "1", 400)
    with open(folder / "dies", "a") as log:
        dying = start("north", sweep, log)
    run, process = tiny_sweep.freeze(sweep)
    for one in (dying.pid, process):
        os.kill(one, signal.SIGKILL)
    dying.wait()
    claim = run / "claim-1"
    text = claim.read_text()
    assert '"host":"north"' in text and '"beat_ms":5000' in text, text
    # Twelve beats are a minute, and who follows and who trains wait for them in turn; of a host with quicker beats
    # they are seconds.
    claim.write_text(text.replace('"beat_ms":5000', '"beat_ms":1000'))
    with open(folder / "takes-over", "a") as log:
        return sweep, start("south", sweep, log)


def main():
    if not NO_LOCKS.exists() or not shutil.which("unshare"):
        print("hosts: unshare or libno_locks.so is not there", file=sys.stderr)
        return SKIPPED
    if subprocess.run([*HOST, "north", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        print("hosts: this user may make no namespaces of names and networks", file=sys.stderr)
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="schemamem-hosts-") as name:
        folder = pathlib.Path(name)
        sweep, heir = begin_a_death(folder)
        both_hosts_work(folder)
        assert heir.wait(timeout=300) == STEP_LIMIT, (folder / "takes-over").read_text()
        check_done_once(sweep, 1, resumed=1)
        whole = folder / "whole"
        tiny_sweep.plan(whole, "schemamem", "1", 400)
        tiny_sweep.call("sweep", "run", whole, codes=[STEP_LIMIT])
        assert tiny_sweep.hashes(sweep) == tiny_sweep.hashes(whole)
    print(f"{ROUNDS} rounds on two hosts, every run done once; a dead host's run was taken over")
    return 0


if __name__ == "__main__":
    sys.exit(main())
