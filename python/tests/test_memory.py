"""A memory is written, asked, forked, saved."""

import copy
import pickle

import numpy as np
import pytest

import schemamem as sm


def test_what_was_written_is_answered_after_a_wait(model):
    memory = model.memory()
    memory.write(5, 3)
    memory.wait(1000)
    assert memory.ask(5).value == 3 and memory.ask(5).confidence > 0.9
    assert memory.ask(6).value == 6 % memory.values
    assert (memory.written(5), memory.written(6), memory.tokens) == (3, None, 1004)
    assert repr(memory) == f"<schemamem.Memory of {model.name}: 1 of 8 addresses written, 1004 rows read>"


def test_numbers_of_numpy_are_numbers(schemamem_model):
    memory = schemamem_model.memory()
    memory.write(np.int64(5), np.uint8(3))
    assert memory.ask(np.int32(5)).value == 3


def test_an_answer_is_a_tuple(schemamem_model):
    value, confidence = schemamem_model.memory().ask(1)
    assert value == 1 and 0 < confidence <= 1


def test_forks_copies_pickles_files_and_bytes_go_on_with_the_same_bits(model, tmp_path):
    memory = model.memory()
    memory.write(2, 7)
    memory.wait(37)
    memory.save(tmp_path / "now.state")
    others = [memory.fork(), copy.copy(memory), copy.deepcopy(memory), pickle.loads(pickle.dumps(memory)),
              sm.Memory.open(tmp_path / "now.state"), sm.Memory.open(tmp_path / "now.state", model),
              sm.Memory.from_bytes(memory.to_bytes(), model)]
    memory.wait(200)
    answers = [memory.ask(address) for address in range(8)]
    for other in others:
        assert other.written(2) == 7
        other.wait(200)
        assert [other.ask(address) for address in range(8)] == answers
        assert other.to_bytes() == memory.to_bytes()


def test_pickling_several_memories_keeps_one_model(schemamem_model):
    one, two = pickle.loads(pickle.dumps((schemamem_model.memory(), schemamem_model.memory())))
    assert one.model is not None and len(pickle.dumps((one, two))) < 1.5 * len(pickle.dumps(one)) + 400_000
    shared = schemamem_model.memory()
    one, two = pickle.loads(pickle.dumps((shared, shared.fork())))
    assert one.model is two.model


def test_reset_forgets(schemamem_model):
    memory = schemamem_model.memory()
    empty = memory.to_bytes()
    memory.write(1, 2)
    memory.reset()
    assert memory.to_bytes() == empty and memory.written(1) is None


def test_a_state_of_a_model_without_a_name_needs_the_model(tmp_path):
    trainer = sm.Trainer("schemamem", "A3V3", recipe="fast", threads=1, options={"slots": 16, "width": 32, "layers": 1})
    model = trainer.model()
    memory = model.memory()
    memory.save(tmp_path / "own.state")
    with pytest.raises(sm.UsageError, match="none of the .* models.*model="):
        sm.Memory.open(tmp_path / "own.state")
    assert sm.Memory.open(tmp_path / "own.state", model).to_bytes() == memory.to_bytes()


def test_what_is_wrong_is_said_and_changes_nothing(schemamem_model, tmp_path):
    memory = schemamem_model.memory()
    before = memory.to_bytes()
    for call, message in [(lambda: memory.write(8, 0), "no address 8; they are numbered from 0 to 7"),
                          (lambda: memory.write(0, 8), "no value 8"), (lambda: memory.ask(-1), "counted from 0; found -1"),
                          (lambda: memory.wait(-1), "found -1"), (lambda: memory.written(8), "no address 8")]:
        with pytest.raises(sm.UsageError, match=message):
            call()
    (tmp_path / "bad.state").write_bytes(b"no state at all")
    with pytest.raises(sm.BadData):
        memory.load(tmp_path / "bad.state")
    with pytest.raises(sm.BadData):
        sm.Memory.open(tmp_path / "bad.state")
    with pytest.raises(sm.BadData, match="another model"):
        memory.restore(sm.load("a3v3-mamba3-steady-s42").memory().to_bytes())
    with pytest.raises(sm.BadData, match="fingerprint"):  # a model is no state
        schemamem_model.save(tmp_path / "model.safetensors")
        sm.Memory.open(tmp_path / "model.safetensors")
    with pytest.raises(sm.MissingInput):
        memory.load(tmp_path / "none.state")
    with pytest.raises(sm.CannotCreate):
        memory.save(tmp_path / "no folder" / "x.state")
    with pytest.raises(TypeError):
        memory.write("5", 3)
    with pytest.raises(TypeError, match="schemamem.load"):
        sm.Memory("a3v3-schemamem-steady-s42")
    assert memory.to_bytes() == before
