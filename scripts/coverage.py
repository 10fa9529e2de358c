#!/usr/bin/env python3
"""Branch coverage of what reads files: of every condition in these sources, was it seen true, and was it seen false?

    coverage.py [ROOM ...] --targets     the programs to build (preset `coverage`)
    coverage.py [ROOM ...] [--jobs N]    runs them, prints the counts, writes build-coverage/uncovered.txt; fails below 90 %

The programs are the unit tests of the rooms, the tests of the program itself, which is instrumented too, and the fuzz targets over
their committed seeds. With names of rooms, of these rooms alone and by their unit tests alone: a look while one is at work.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LEAST = 90.0  # per cent of the branches

# What takes bytes from files, streams or callers. Whole rooms, and of others the parts that do.
READERS = {
    "base": ["src/base/"],
    "system": ["src/system/"],
    "tensors": ["src/tensors/"],
    "stream": ["src/stream/"],
    "memory": ["src/memory/"],
    "talk": ["src/talk/"],
    "record": ["src/record/"],
    "catalog": ["src/catalog/"],
    "train": ["src/train/"],
    "sweep": ["src/sweep/"],
    "eval": ["src/eval/"],
    "check": ["src/check/"],
    "report": ["src/report/"],
    "api": ["src/api/"],
    "models": ["src/models/model_file", "src/models/registry.", "src/models/layout."],
    "task": ["src/task/setting.", "src/task/registry.", "src/task/task_case.", "src/task/rounds.", "src/task/mqar."],
    "paper": ["src/paper/folder.", "src/paper/diff.", "src/paper/numbers.", "src/paper/claims."],
}

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-coverage"
PROFILES = BUILD / "profiles"
FUZZ = sorted(source.stem for source in (ROOT / "fuzz").glob("*_fuzz.cpp"))

# Which tests of a program, where not all: those of models are arithmetic but for these, and the hostile folders before every
# command are a campaign that repeats what other tests do once.
CHOSEN = {"models_test": "Registry.*:Layout.*:Roles.*", "cli_test": "-Hostile/EveryCommand.*"}


class Programs:
    def __init__(self, rooms):
        unknown = [room for room in rooms if room not in READERS]
        if unknown:
            sys.exit(f"coverage: unknown room {unknown[0]}; the rooms that read are {', '.join(READERS)}")
        self.rooms = rooms or list(READERS)
        self.tests = [f"{room}_test" for room in self.rooms] + ([] if rooms else ["cli_test"])
        self.others = [] if rooms else ["schemamem"]
        self.fuzz = [] if rooms else FUZZ

    def files(self):
        return ([BUILD / name for name in self.others] + [BUILD / "tests" / name for name in self.tests] +
                [BUILD / "fuzz" / name for name in self.fuzz])


def room_of(path, rooms):
    for room in rooms:
        if any(path.startswith(beginning) for beginning in READERS[room]):
            return room
    return None


def run_all(programs, jobs):
    """Runs every program; returns the names of those that failed."""
    shutil.rmtree(PROFILES, ignore_errors=True)
    PROFILES.mkdir(parents=True)
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(PROFILES / "%m.profraw"))
    commands = [[str(BUILD / "tests" / name), "--gtest_brief=1", f"--gtest_filter={CHOSEN.get(name, '*')}"]
                for name in reversed(programs.tests)]
    for name in programs.fuzz:
        seeds = ROOT / "fuzz" / "corpus" / name.removesuffix("_fuzz")
        commands.append([str(BUILD / "fuzz" / name)] + [str(seed) for seed in sorted(seeds.iterdir())])

    def run(command):
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode != 0:
            sys.stderr.write(f"{command[0]} ended with {done.returncode}:\n{done.stdout[-4000:]}\n")
        return done.returncode == 0

    with ThreadPoolExecutor(jobs) as pool:
        return [pathlib.Path(c[0]).name for c, passed in zip(commands, pool.map(run, commands)) if not passed]


def branches(programs):
    """{file: {(line, column, outcome): how often}} over all programs."""
    merged = BUILD / "all.profdata"
    subprocess.run(["llvm-profdata-14", "merge", "-sparse", "-o", merged, *sorted(PROFILES.glob("*.profraw"))], check=True)
    first, *rest = programs.files()
    objects = [word for program in rest for word in ("-object", str(program))]
    answer = subprocess.run(["llvm-cov-14", "export", "-instr-profile", str(merged), str(first), *objects],
                            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    counts = {}
    for file in json.loads(answer.stdout)["data"][0]["files"]:
        path = os.path.relpath(file["filename"], ROOT)
        if room_of(path, programs.rooms) is None:
            continue
        of_file = counts.setdefault(path, {})
        for line, column, _, _, taken, not_taken, *_ in file["branches"]:  # a template has one entry an instance
            for outcome, count in ((True, taken), (False, not_taken)):
                of_file[line, column, outcome] = of_file.get((line, column, outcome), 0) + count
    return counts


def report(counts, programs):
    rooms = {room: [0, 0] for room in programs.rooms}
    missing = []
    for path in sorted(counts):
        source = (ROOT / path).read_text().splitlines()
        for (line, column, outcome), count in sorted(counts[path].items()):
            if "if constexpr" in source[line - 1]:  # the compiler decides, no input can
                continue
            of_room = rooms[room_of(path, programs.rooms)]
            of_room[0] += 1
            of_room[1] += count > 0
            if count == 0:
                missing.append(f"{path}:{line}:{column}: never {str(outcome).lower()}: {source[line - 1].strip()}")
    (BUILD / "uncovered.txt").write_text("".join(line + "\n" for line in missing))
    print(f"{'room':<10}{'branches':>9}{'covered':>9}{'%':>7}")
    total = [sum(column) for column in zip(*rooms.values())]
    for room, (all_, covered) in [*rooms.items(), ("total", total)]:
        print(f"{room:<10}{all_:>9}{covered:>9}{100 * covered / max(all_, 1):>7.1f}")
    print(f"{len(missing)} branches were not taken: build-coverage/uncovered.txt")
    return 100 * total[1] / max(total[0], 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rooms", nargs="*", metavar="ROOM")
    parser.add_argument("--targets", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--count-only", action="store_true", help="of the profiles that are there")
    options = parser.parse_args()
    programs = Programs(options.rooms)
    if options.targets:
        print(*programs.tests, *programs.others, *programs.fuzz)
        return 0
    failed = [] if options.count_only else run_all(programs, options.jobs)
    share = report(branches(programs), programs)
    if failed:
        print("failed: " + ", ".join(failed), file=sys.stderr)
        return 1
    if share < LEAST:
        print(f"coverage: {share:.1f} % of the branches were taken, {LEAST:.0f} % are asked for", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
