"""Writes NumPy's own answers for seeds and ranges of every kind: make_numpy_random.py numpy_random.json"""

import json
import sys

import numpy as np

RANGES = [1, 2, 3, 5, 7, 8, 10, 16, 31, 32, 33, 1000, 65535, 65536, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1, 2**32,
          2**32 + 1, 2**33, 3 * 2**40 + 5, 2**62, 2**63 - 1]
SEEDS = [0, 1, 42, 20261001, 20261001 + 1009 + 96, 2**32 - 1, 2**32, 2**32 + 7, 2**63 - 1]


def calls(generator):
    """One generator serves all calls, so that the half word kept between them matters."""
    for n in RANGES:
        yield {"integers": n, "out": generator.integers(n, size=5).tolist()}
        if n < 200:
            yield {"permutation": n, "out": generator.permutation(n).tolist()}
        if n % 3 == 0:
            yield {"raw": 1, "out": [int(generator.bit_generator.random_raw())]}


answers = {"numpy": np.__version__,
           "cases": [{"seed": seed, "calls": list(calls(np.random.default_rng(seed)))} for seed in SEEDS]}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(answers, file, separators=(",", ":"))
    file.write("\n")
