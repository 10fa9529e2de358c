#!/usr/bin/env python3
"""A long conversation with `schemamem talk --json` whose lines are made by a grammar and then damaged:

    fuzzed_lines.py PROGRAM [--lines 100000] [--seed 1] [--model a3v3-schemamem-steady-s42]

Every line that is not blank has one line of JSON as its answer, the process takes no more memory at the end than after a fifth of
the lines, and a memory that is emptied then still answers rightly. Exit code 1 and a sentence otherwise."""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).parents[2]
BLANK = b" \t\r\v\f"
ALLOWED_GROWTH_KB = 1024  # of 20 MB: what an allocator keeps differs a little
# Files stay in the folder of the test, nothing ends the conversation early, and no wait takes long.
UNWANTED = re.compile(rb'/|quit|\\u|\n|"wait".*\d{4}')


def spoken(draw):
    """A line of the language, more or less."""
    number = lambda: draw.choice([draw.randrange(8), draw.randrange(8), draw.randrange(100), -1, 10**9, 2**64, 1.5, None, "5"])
    name = lambda: draw.choice(["main", "a", "b", f"m{draw.randrange(100)}", "", "ü", "x" * 200, 7])
    file = lambda: draw.choice(["a.state", "b.state", "absent.state", ""])
    verbs = {
        "write": (30, lambda: [draw.randrange(8), draw.randrange(8)] if draw.random() < 0.8 else [number(), number()]),
        "ask": (30, lambda: draw.choice(["all", number(), number(), draw.randrange(8), [number()]])),
        "wait": (10, lambda: draw.choice([draw.randrange(20), number()])),
        "save": (0.3, file), "load": (1, file), "fork": (4, name), "switch": (4, name), "drop": (4, name),
        "reset": (2, lambda: None), "inside": (2, lambda: None), "help": (1, lambda: None), "wrong": (1, number),
    }
    verb = draw.choices(list(verbs), [weight for weight, _ in verbs.values()])[0]
    what = {verb: verbs[verb][1]()}
    if draw.random() < 0.02:
        what["ask"] = number()
    return json.dumps(what, ensure_ascii=draw.random() < 0.5).encode()


def damaged(line, other, draw):
    """A few bytes changed, cut, doubled or taken from another line."""
    line = bytearray(line)
    for _ in range(draw.randrange(1, 4)):
        at, length = draw.randrange(len(line) + 1), draw.randrange(1, 9)
        kind = draw.randrange(6)
        if kind == 0:
            line[at:at + 1] = bytes([draw.randrange(256)])
        elif kind == 1:
            del line[at:at + length]
        elif kind == 2:
            line[at:at] = line[at:at + length] * draw.choice([1, 2, 50])
        elif kind == 3:
            line[at:at] = other[:length]
        elif kind == 4:
            line[at:at] = draw.choice([b"[" * 300, b'{"ask":', b"\x00", b"\xff\xfe", b"1e999", b"-", b'"', b" "])
        else:
            line = line[:at] + bytes(other)[at:]
    return bytes(line)


def lines_of(count, seed):
    draw = random.Random(seed)
    other = b"{}"
    while count:
        line = spoken(draw)
        if draw.random() < 0.4:
            line, other = damaged(line, other, draw), line
        if draw.random() < 0.0005:
            line *= 1000  # longer than a line may be
        if not UNWANTED.search(line):
            count -= 1
            yield line


def converse(program, model, lines, folder):
    """The answers to all lines, and the memory of the process in KB, each time a tenth was answered."""
    process = subprocess.Popen([program, "talk", model, "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder,
                               env={**os.environ, "SCHEMAMEM_MODELS": str(ROOT / "results" / "steady"),
                                    "MALLOC_MMAP_THRESHOLD_": "16384"})  # what is freed leaves the process: the count is sharp

    def feed():
        try:
            process.stdin.writelines(line + b"\n" for line in lines)
            process.stdin.flush()
        except BrokenPipeError:
            pass  # told below: answers are missing

    feeder = threading.Thread(target=feed)
    feeder.start()
    wanted = sum(bool(line.strip(BLANK)) for line in lines)
    answers, resident = [], []
    while len(answers) < wanted and (answer := process.stdout.readline()):
        answers.append(json.loads(answer))
        if len(answers) % (wanted // 10) == 0:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            resident.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]))
    feeder.join()
    rest, _ = process.communicate()
    return wanted, answers, rest, process.returncode, resident


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default="a3v3-schemamem-steady-s42")
    options = parser.parse_args()
    # As many memories as there may be, each of them written: from here on nothing needs to grow.
    first = [line for i in range(64) for line in (b'{"fork":"m%d"}' % i, b'{"switch":"m%d"}' % i, b'{"write":[0,1]}')]
    last = [b'{"switch":"main"}', b'{"reset":null}', b'{"write":[5,3]}', b'{"ask":5}']
    with tempfile.TemporaryDirectory() as folder:
        wanted, answers, rest, code, resident = converse(options.program.resolve(), options.model,
                                                         [*first, *lines_of(options.lines, options.seed), *last], folder)
    refused = sum("error" in answer for answer in answers)
    print(f"{options.lines} lines of seed {options.seed}: {len(answers)} answers, {refused} of them refusals; "
          f"memory {resident[1] if len(resident) > 1 else 0} KB after a fifth, {resident[-1] if resident else 0} KB at the end")
    wrong = []
    if code != 0 or len(answers) != wanted or rest:
        wrong.append(f"expected {wanted} answers and exit code 0; found {len(answers)}, {len(rest)} bytes more, and code {code}")
    elif answers[-1].get("value") != 3:
        wrong.append(f"an emptied memory, written 5 3 and asked 5, says {answers[-1]}")
    elif resident[-1] > resident[1] + ALLOWED_GROWTH_KB:
        wrong.append(f"the memory of the process grows: {resident} KB")
    elif not 0.1 < refused / wanted < 0.9:
        wrong.append("hardly any line was understood, or hardly any damaged: the test is of little use")
    for sentence in wrong:
        print("fuzzed_lines: " + sentence, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
