"""Two builds of the package beside each other, such as a wheel and `pip install .`: builds.py PYTHON PYTHON [--rounds 5]

Each argument is the interpreter of an environment that has one. Training steps (32 episodes of 400 rows) and streams of 10,000 rows, one
thread, processor seconds, the best of several rounds in which both take turns; then whether both give the same bits."""

import argparse
import json
import subprocess

ASKED = """
import json, time, hashlib
import numpy as np
import schemamem as sm
times, bits = {}, hashlib.sha256()
for name in ("schemamem", "mamba3", "gdn"):
    rng = np.random.default_rng(1)
    trainer = sm.Trainer(name, inputs=7, classes=8, longest=400, batch=32, threads=1, seed=1)
    x = rng.standard_normal((32, 400, 7)).astype(np.float32)
    y = rng.integers(8, size=(32, 400))
    trainer.step(x, y)
    start = time.process_time()
    trainer.step(x, y)
    times[name + ", step"] = time.process_time() - start
    bits.update(trainer.model().fingerprint.encode())
    stream, rows = sm.load(f"a3v3-{name}-steady-s42").stream(), np.ones((10_000, 7), np.float32)
    start = time.process_time()
    out = stream.push(rows)
    times[name + ", stream"] = time.process_time() - start
    bits.update(out.tobytes())
print(json.dumps({"times": times, "bits": bits.hexdigest()}))
"""


def ask(python):
    return json.loads(subprocess.run([python, "-c", ASKED], check=True, capture_output=True, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pythons", nargs=2)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rounds = [[ask(python) for python in options.pythons] for _ in range(options.rounds)]
    for case in rounds[0][0]["times"]:
        first, second = (min(one[which]["times"][case] for one in rounds) for which in range(2))
        print(f"{case:20} {1e3 * first:8.1f} ms, {1e3 * second:8.1f} ms: {second / first:.2f}")
    print("the same bits" if rounds[0][0]["bits"] == rounds[0][1]["bits"] else "other bits")


if __name__ == "__main__":
    main()
