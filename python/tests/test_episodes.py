"""Episodes are the paper's, to the bit."""

import hashlib
import json

import numpy as np
import pytest

import schemamem as sm


def numbers_of(bits):
    return (bits.astype(np.int64) << np.arange(bits.shape[-1])).sum(-1)


@pytest.mark.parametrize("setting, scenario, delay", [("A3V3", "retention", 96), ("A5V5", "immediate", 0),
                                                      ("A4V5", "overwrite", 192), ("A3V4", "interference", 384)])
def test_the_hash_of_evaluation_episodes_is_the_programs(program, setting, scenario, delay):
    told = program("task", "hash", "--setting", setting, "--scenario", scenario, *(["--delay", delay] if delay else []), "--json")
    x, y, groups = episodes = sm.episodes(setting, scenario, delay)
    a, v = int(setting[1]), int(setting[3])
    address, value = numbers_of(x[..., :a]), numbers_of(x[..., a:a + v])
    tokens = np.stack([address, np.where(x[..., -1] != 0, value, -1), y, groups, episodes.final], -1).astype("<i4")
    assert hashlib.sha256(tokens.tobytes()).hexdigest() == json.loads(told)["sha256"]


def test_training_episodes_are_those_of_the_program(program):
    lines = program("task", "dump", "--setting", "A3V3", "--scenario", "transaction-half", "--seed", 7, "--episodes", 3)
    x, y, _ = sm.episodes("A3V3", "transaction-half", n=2, split="train", seed=7, first=1)
    for i, line in enumerate(lines.splitlines()[1:]):
        tokens = np.array(json.loads(line)["tokens"])
        assert np.array_equal(numbers_of(x[i, :, :3]), tokens[:, 0]) and np.array_equal(y[i], tokens[:, 2])


def test_other_tasks_have_episodes_too():
    episodes = sm.episodes("V64L64P8", "pairs-8", delay=64, n=2, task="mqar")
    assert episodes.x.shape == (2, 64, 1) and episodes.x.max() < 64 and (episodes.y >= 0).sum() == 16


def test_other_seeds_are_other_episodes():
    paper = sm.episodes("A3V3", "immediate", n=4)
    assert np.array_equal(paper.x, sm.episodes("A3V3", "immediate", n=4, seed=sm.PAPER_SEED).x)
    assert not np.array_equal(paper.x, sm.episodes("A3V3", "immediate", n=4, seed=sm.UNSEEN_SEED).x)
    assert repr(paper) == "<schemamem.Episodes: 4 of 12 rows of 7 numbers>"


@pytest.mark.parametrize("wrong, message", [
    (dict(setting="A3", scenario="retention", delay=1), "A3"), (dict(setting="A3V3", scenario="retain", delay=1), "retention"),
    (dict(setting="A3V3", scenario="retention", delay=-1), "found -1"),
    (dict(setting="A3V3", scenario="immediate", delay=5), "delay"), (dict(setting="A3V3", scenario="immediate", n=0), "at least 1"),
    (dict(setting="A3V3", scenario="transaction-half"), "train"),
    (dict(setting="A3V3", scenario="immediate", split="test"), '"evaluation" or "train"'),
    (dict(setting="A3V3", scenario="immediate", first=3), 'split="train"'),
    (dict(setting="A3V3", scenario="immediate", task="copy"), "copy")])
def test_a_wrong_request_says_what_is_right(wrong, message):
    with pytest.raises(sm.UsageError, match=message):
        sm.episodes(**wrong)
