"""What a push from Python costs beside the same push in C++, checked first and timed in one run.

    push.py PUSH_TIME [--models schemamem gdn mamba3] [--check]

PUSH_TIME is the program of push_time.cpp. Both sides read the same rows and must give the same bits; then they take turns, and
the best of several rounds counts, in seconds of the processor's (neighbours disturb those on the wall). Aims: one row at most 3 us over C++, 10,000 rows within 5 %. Exit code 1 if the bits
differ, or with --check if an aim is missed.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import schemamem as sm

ROWS = 10_000
ROUNDS = 15
MOST_OVERHEAD = 3e-6
MOST_RATIO = 1.05


def rows_of(count):
    x = sm.episodes("A3V3", "overwrite", delay=1536, n=1 + count // 1500).x
    return np.ascontiguousarray(x.reshape(-1, x.shape[-1])[:count])


class Cpp:
    """The other side, a process that waits for requests."""

    def __init__(self, program, model, rows, folder):
        rows.tofile(folder / "rows")
        model.save(folder / "model.safetensors")
        self.process = subprocess.Popen([program, folder / "model.safetensors", folder / "rows", folder / "outputs"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n", "push_time failed"
        self.outputs = np.fromfile(folder / "outputs", np.float32).reshape(-1, model.outputs)

    def time(self, pushes, together):
        self.process.stdin.write(f"{pushes} {together}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline()) / pushes

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def time_python(model, rows, pushes):
    stream = model.stream()
    push = stream.push
    start = time.thread_time()
    for _ in range(pushes):
        push(rows)
    return (time.thread_time() - start) / pushes


def compare(name, program):
    model = sm.load(f"a3v3-{name}-steady-s42")
    rows = rows_of(ROWS)
    with tempfile.TemporaryDirectory() as folder:
        cpp = Cpp(program, model, rows, pathlib.Path(folder))
        if not np.array_equal(model.stream().push(rows), cpp.outputs):
            print(f"{name}: Python and C++ give other outputs")
            return False
        one, many = [[], []], [[], []]
        for _ in range(ROUNDS):
            one[0].append(cpp.time(2000, 1))
            one[1].append(time_python(model, rows[0], 2000))
            many[0].append(cpp.time(1, ROWS))
            many[1].append(time_python(model, rows, 1))
        cpp.close()
    (c_one, p_one), (c_many, p_many) = map(min, one), map(min, many)
    over, ratio = p_one - c_one, p_many / c_many
    print(f"{name:<10} one row {1e6 * c_one:6.2f} us in C++, {1e6 * p_one:6.2f} us in Python: {1e6 * over:5.2f} us over   "
          f"{ROWS} rows {1e3 * c_many:7.2f} ms and {1e3 * p_many:7.2f} ms: ratio {ratio:.3f}", flush=True)
    return over <= MOST_OVERHEAD and ratio <= MOST_RATIO


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--models", nargs="+", default=["schemamem", "gdn", "mamba3"])
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    good = [compare(name, arguments.program) for name in arguments.models]
    sys.exit(0 if all(good) or not arguments.check else 1)


if __name__ == "__main__":
    main()
