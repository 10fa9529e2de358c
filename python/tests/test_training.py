"""Training gives the program's bits, and takes batches of one's own."""

import subprocess

import numpy as np
import pytest

import schemamem as sm

SMALL = {"slots": 16, "width": 32, "layers": 1}


def own_trainer(**changed):
    return sm.Trainer(**{**dict(model="schemamem", inputs=4, classes=4, longest=8, batch=16, seed=1, threads=1, options=SMALL),
                         **changed})


def test_the_weights_after_some_steps_are_those_of_the_program(program, tmp_path):
    limits = {"transactions.limit": 3, "validation.every": 3, "validation.episodes": 2}
    program_sets = [word for name, value in limits.items() for word in ("--set", f"{name}={value}")]
    with pytest.raises(subprocess.CalledProcessError, match="status 2"):  # its step limit
        program("train", "--model", "mamba3", "--setting", "A3V3", "--recipe", "fast", "--seed", 5, "--out", tmp_path / "run",
                *program_sets)
    trainer = sm.Trainer("mamba3", "A3V3", recipe="fast", seed=5, overrides=limits)
    while not trainer.done:
        trainer.step()
    assert trainer.steps == 3 and not trainer.passed
    assert trainer.model().fingerprint == sm.load(str(tmp_path / "run" / "model.safetensors")).fingerprint


def test_a_check_tells_where_training_stands():
    told = []
    with pytest.raises(sm.StepLimit, match="step limit"):
        sm.train("gdn", "A3V3", recipe="fast", on_check=told.append, threads=2,
                 overrides={"transactions.limit": 4, "validation.every": 2, "validation.episodes": 2})
    assert [check.step for check in told] == [2, 4]
    assert told[0].stage.startswith("transactions") and 0 <= told[0].lowest <= 100 and told[0].groups[0]["asked"] > 0
    assert str(told[0]).startswith("step 2, transactions")


def test_a_callback_ends_the_training():
    run = sm.train("gdn", "A3V3", on_check=lambda check: False, overrides={"validation.every": 1, "validation.episodes": 2})
    assert run.steps == 1 and len(run.checks) == 1
    assert run.curve([96], episodes=1, scenarios=["retention"])[0]["delay"] == 96
    assert run.evaluate(["immediate"], episodes=1) and run.model.name == "gdn"


@pytest.mark.parametrize("model, options", [("schemamem", SMALL), ("mamba3", {"layers": 1}), ("gdn", {"layers": 1})])
def test_batches_of_ones_own_are_learned(model, options):
    trainer = own_trainer(model=model, options=options)
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(120):
        y = rng.integers(4, size=(16, 8))
        losses.append(trainer.step(np.eye(4, dtype=np.float32)[y], y).loss)
    assert losses[0] > 1 and losses[-1] < 0.1 and not trainer.done
    assert (trainer.model().stream().push(np.eye(4)).argmax(1) == np.arange(4)).all()


def test_symbols_and_bits_marks_and_weights():
    trainer = own_trainer(inputs=0, symbols=10, classes=0, bits=3)
    x = np.arange(16 * 5).reshape(16, 5) % 10
    targets = np.where(np.arange(5) == 4, x % 8, -1)
    marks = np.full((16, 5), sm.Mark.ENDS_CHUNK)
    step = trainer.step(x, targets, marks, np.where(targets >= 0, 2.0, 0.0))
    assert step.step == 1 and np.isfinite(step.loss)
    plain = own_trainer(inputs=0, symbols=10, classes=0, bits=3).step(x, targets)
    assert plain.loss != step.loss  # the marks cut the episode


def test_the_same_batches_give_the_same_bits_for_any_number_of_threads():
    def train(threads):
        trainer = own_trainer(threads=threads)
        rng = np.random.default_rng(3)
        for _ in range(5):
            y = rng.integers(4, size=(16, 8))
            trainer.step(np.eye(4)[y], y)
        return trainer.model().fingerprint

    assert train(1) == train(2) == train(3)


def test_only_the_ratios_of_weights_count():
    y = np.tile(np.arange(8) % 4, (16, 1))
    x = np.eye(4)[y]
    once, twice = own_trainer(), own_trainer()
    assert once.step(x, y).loss == pytest.approx(twice.step(x, y, None, np.full(y.shape, 7.0)).loss, rel=1e-6)


@pytest.mark.parametrize("change, message", [
    (dict(x=np.zeros((15, 8, 4))), r"x \[16, T, 4\]"), (dict(x=np.zeros((16, 8, 3))), r"x \[16, T, 4\]"),
    (dict(x=np.zeros((16, 9, 4)), targets=np.zeros((16, 9))), "at most 8 rows"),
    (dict(x=np.full((16, 8, 4), np.inf)), "finite"), (dict(targets=np.full((16, 8), 4)), "from 0 to 3"),
    (dict(targets=np.full((16, 8), -2)), "from 0 to 3"), (dict(targets=np.full((16, 8), -1)), "at least one target"),
    (dict(marks=np.full((16, 8), 9)), "0, 1, 2 or 3"), (dict(weights=np.zeros((16, 8))), "larger than 0"),
    (dict(marks=np.zeros((16, 7))), r"\[16, T\]")])
def test_a_batch_that_does_not_fit_is_refused(change, message):
    trainer = own_trainer()
    batch = {**dict(x=np.zeros((16, 8, 4)), targets=np.zeros((16, 8))), **change}
    with pytest.raises(sm.UsageError, match=message):
        trainer.step(**batch)
    assert trainer.steps == 0


@pytest.mark.parametrize("arguments, message", [
    (dict(), "name a setting"), (dict(setting="A3V3", inputs=3), "name a setting"), (dict(setting="A99V1"), "A99V1"),
    (dict(setting="A3V3", model="lstm"), "lstm"), (dict(setting="A3V3", recipe="slow"), "slow"),
    (dict(setting="A3V3", overrides={"optimizer.rate": 1}), "optimizer.rate"),
    (dict(setting="A3V3", options={"slot": 3}), "slots"), (dict(inputs=3, longest=3), "classes or bits"),
    (dict(inputs=3, classes=3), "longest")])
def test_a_trainer_that_cannot_be_made_says_why(arguments, message):
    with pytest.raises(sm.UsageError, match=message):
        sm.Trainer(**arguments)


def test_each_kind_of_trainer_takes_its_kind_of_step():
    with pytest.raises(sm.UsageError, match="batches of your own"):
        own_trainer().step()
    with pytest.raises(sm.UsageError, match="without arguments"):
        sm.Trainer("gdn", "A3V3").step(np.zeros((32, 8, 7)), np.zeros((32, 8)))
