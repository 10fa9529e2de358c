"""Models and states cross between the program, C, C++ and Python, in all directions, with the same bits."""

import itertools
import json
import os
import pathlib
import shutil
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


def say_python(model, *words):
    """What tests/package/carry.c and carry.cpp do with such words."""
    memory, words, said = sm.load(model).memory(), list(map(str, words)), []
    while words:
        word, what = words.pop(0), words.pop(0)
        if word == "write":
            memory.write(int(what), int(words.pop(0)))
        elif word == "wait":
            memory.wait(int(what))
        elif word == "ask":
            answer = memory.ask(int(what))
            said.append((int(what), answer.value, answer.confidence))
        elif word == "floor":
            memory.floor = float(what)
        elif word == "get":
            pathlib.Path(what).write_bytes(memory.to_bytes())
        elif word == "set":
            memory.restore(pathlib.Path(what).read_bytes())
        elif word == "model":
            memory.model.save(what)
        else:
            {"save": memory.save, "load": memory.load}[word](what)
    return said


@pytest.fixture(scope="session")
def languages(program, tmp_path_factory):
    """Each language's carry, with the words above: a function from words to answers."""
    build, root = pathlib.Path(os.environ["SCHEMAMEM_PROGRAM"]).parent, pathlib.Path(__file__).parents[2]
    if not (build / "libschemamem.so").exists() or not shutil.which("cc") or not shutil.which("c++"):
        pytest.skip("needs libschemamem.so beside the program, and compilers")
    folder, said = tmp_path_factory.mktemp("carry"), {"python": say_python}
    for name, compiler in (("carry.c", ["cc", "-std=c99"]), ("carry.cpp", ["c++", "-std=c++20"])):
        made = folder / name.replace(".", "_")
        subprocess.run([*compiler, root / "tests/package" / name, "-o", made, f"-I{root}/include", f"-L{build}", "-lschemamem",
                        f"-Wl,-rpath,{build}"], check=True)

        def say(*words, made=made):
            out = subprocess.run([made, *map(str, words)], check=True, capture_output=True, text=True, cwd=root).stdout
            answers = [line.split() for line in out.splitlines()]
            return [(int(address), int(value), float.fromhex(sure)) for address, value, sure in answers]

        said[name] = say
    return said


BEFORE, AFTER = ("write", 5, 3, "write", 2, 7, "wait", 40), ("ask", 5, "wait", 30, "ask", 2, "write", 1, 4, "ask", 1, "ask", 0)


@pytest.mark.parametrize("kind", ["schemamem", "mamba3", "gdn"])
@pytest.mark.parametrize("floor", [0, 0.001])
def test_a_state_of_each_language_goes_on_in_each_other(languages, kind, floor, tmp_path):
    name = f"a3v3-{kind}-steady-s42"
    answers = languages["python"](name, "floor", floor, *BEFORE, *AFTER, "save", tmp_path / "expected.state")
    expected = (tmp_path / "expected.state").read_bytes()
    assert [value for _, value, _ in answers][:2] == [3, 7]
    for writer, reader in itertools.product(languages, repeat=2):
        for put, take in (("save", "load"), ("get", "set"), ("save", "set"), ("get", "load")):
            between, after = tmp_path / "between.state", tmp_path / "after.state"
            assert languages[writer](name, "floor", floor, *BEFORE, put, between) == []
            assert languages[reader](name, take, between, *AFTER, "save", after) == answers, (writer, reader, put, take)
            assert after.read_bytes() == expected, (writer, reader, put, take)


def test_a_model_of_each_language_is_that_of_each_other(languages, tmp_path):
    trainer = sm.Trainer("schemamem", "A3V3", recipe="fast", threads=1, options={"slots": 16, "width": 32, "layers": 1})
    first, answers = tmp_path / "first.safetensors", {}
    trainer.model().save(first)
    for writer, reader in itertools.product(languages, repeat=2):
        once, twice, state = (tmp_path / name for name in ("once.safetensors", "twice.safetensors", "a.state"))
        languages[writer](first, "model", once)
        said = languages[reader](once, *BEFORE, *AFTER, "model", twice, "save", state)
        assert first.read_bytes() == once.read_bytes() == twice.read_bytes(), (writer, reader)
        answers[writer, reader] = (said, state.read_bytes())
    assert all(one == answers["python", "python"] for one in answers.values())
