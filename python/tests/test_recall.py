"""A short form of examples/recall: models around the bare stacks learn associative recall by plain PyTorch."""

import json
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/recall"


@pytest.mark.parametrize("name, steps", [("gdn", 800), ("schemamem", 1500)])
def test_a_model_around_the_stack_recalls_what_it_has_not_seen(name, steps, tmp_path):
    done = subprocess.run([sys.executable, EXAMPLE / "train.py", name, "--setting", "V32L16P2", "--steps", str(steps), "--out",
                           tmp_path / "weights.pt"], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["right"] >= 99, done.stdout
    assert torch.load(tmp_path / "weights.pt")["weights"]["embedding.weight"].shape == (32, 64)
