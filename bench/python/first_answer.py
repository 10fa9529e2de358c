"""How long `schemamem talk` takes from its start to its first answer: first_answer.py PROGRAM [--rounds 20]

Wall time, the best and the middle of several starts; the aim is 0.1 s. Exit code 1 if the answer is wrong."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parents[2]


def first_answer(program, model):
    start = time.perf_counter()
    with subprocess.Popen([program, "talk", model, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as talk:
        talk.stdin.write(b'{"write":[5,3]}\n{"ask":5}\n')
        talk.stdin.flush()
        talk.stdout.readline()
        answer = json.loads(talk.stdout.readline())
        seconds = time.perf_counter() - start
        talk.stdin.close()
    return seconds, answer["value"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    for name in ("schemamem", "mamba3", "gdn"):
        model = f"a5v5-{name}-steady-s42"
        tries = [first_answer(options.program.resolve(), model) for _ in range(options.rounds)]
        if any(value != 3 for _, value in tries):
            sys.exit(f"first_answer: {model} forgets at once")
        times = [seconds for seconds, _ in tries]
        print(f"{model}: first answer after {min(times):.3f} s, middle {statistics.median(times):.3f} s")


if __name__ == "__main__":
    main()
