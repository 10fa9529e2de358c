"""Models and states cross between the program and Python, in both directions, with the same bits."""

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

import schemamem as sm


@pytest.fixture
def talk(program):
    def run(name, *lines):
        done = subprocess.run([os.environ["SCHEMAMEM_PROGRAM"], "talk", str(name), "--json"], input="\n".join(lines) + "\n",
                              capture_output=True, text=True, check=True, cwd=pathlib.Path(__file__).parents[2])
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


@pytest.mark.parametrize("kind", ["schemamem", "mamba3", "gdn"])
def test_a_state_saved_in_talk_goes_on_in_python_and_back(talk, kind, tmp_path):
    name = f"a3v3-{kind}-steady-s42"
    state, later, back = tmp_path / "now.state", tmp_path / "later.state", tmp_path / "back.state"
    talk(name, '{"write":[5,3]}', '{"write":[2,7]}', '{"wait":50}', json.dumps({"save": str(state)}), '{"wait":30}',
         '{"ask":5}', json.dumps({"save": str(later)}))
    memory = sm.Memory.open(state)
    assert (memory.written(5), memory.written(2), memory.written(0)) == (3, 7, None)
    memory.wait(30)
    assert memory.ask(5).value == 3
    memory.save(back)
    assert back.read_bytes() == later.read_bytes()
    asked = talk(name, json.dumps({"load": str(back)}), '{"ask":2}')[-1]
    answer = memory.ask(2)
    assert asked["value"] == answer.value == 7 and np.float32(asked["confidence"]) == pytest.approx(answer.confidence, abs=1e-6)


def test_a_model_saved_in_python_is_the_programs(talk, tmp_path, program):
    trainer = sm.Trainer("schemamem", "A3V3", recipe="fast", threads=1, options={"slots": 16, "width": 32, "layers": 1})
    model = trainer.model()
    model.save(tmp_path / "mine.safetensors")
    assert sm.load(tmp_path / "mine.safetensors") == model
    memory = model.memory()
    memory.write(1, 6)
    memory.save(tmp_path / "python.state")
    talk(tmp_path / "mine.safetensors", '{"write":[1,6]}', json.dumps({"save": str(tmp_path / "talk.state")}))
    assert (tmp_path / "python.state").read_bytes() == (tmp_path / "talk.state").read_bytes()
