"""A short form of examples/your_model: a module is trained for a few seconds, put on the bench and read by the program."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import schemamem as sm  # noqa: E402

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples/your_model"
torch.set_num_threads(1)


@pytest.mark.parametrize("name", ["gru", "transformer"])
def test_the_example_trains_and_scores(name, tmp_path):
    subprocess.run([sys.executable, EXAMPLE / "run.py", name, "--seconds", "3", "--episodes", "8", "--delays", "16",
                    "--out", tmp_path], check=True, capture_output=True)
    assert (tmp_path / f"{name}-A3V3-s42/guest.json").exists()
    assert (tmp_path / f"{name}-A3V3-s42/weights.pt").exists()


def test_a_module_of_ours_scores_as_our_evaluation_does():
    from schemamem import torch as smt

    module = smt.GatedDeltaNetModel.from_pretrained("a3v3-gdn-steady-s42").train()
    guest = sm.bench(module, "A3V3", name="theirs", delays=[96], episodes=16)
    ours = sm.evaluate(sm.load("a3v3-gdn-steady-s42"), delays=[96], episodes=16)
    kept = ("scenario", "delay", "group", "asked", "right")
    assert sorted([row[key] for key in kept] for row in guest) == sorted([row[key] for key in kept] for row in ours)
    assert module.training and guest._about[-1] == sum(p.numel() for p in module.parameters())


def test_what_modules_return_is_understood():
    class Output:
        def __init__(self, logits):
            self.logits = logits

    class Odd(torch.nn.Module):
        def __init__(self, how):
            super().__init__()
            self.how, self.scale = how, torch.nn.Parameter(torch.ones(1, dtype=torch.float64))

        def forward(self, x):
            assert not self.training and x.dtype == torch.float64 and not torch.is_grad_enabled()
            logits = (x[..., :3] * 2 - 1) * self.scale
            return {"plain": logits, "tuple": (logits, None), "object": Output(logits), "half": logits.bfloat16()}[self.how]

    found = [sm.bench(Odd(how), "A3V3", delays=[16], episodes=4) for how in ("plain", "tuple", "object", "half")]
    assert all([row["exact"] for row in one] == [row["exact"] for row in found[0]] for one in found)
    assert np.mean([row["exact"] for row in found[0].where(group="default")]) == 100
