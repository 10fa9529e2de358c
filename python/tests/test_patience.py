"""Ctrl-C is heard within 0.2 s, and nothing is lost by it; importing takes no time."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import schemamem as sm

PROMPT = 0.2


@pytest.fixture
def interrupted():
    """Runs a long call, sends Ctrl-C into it, and returns how long it took to be heard."""

    def run(call):
        sent = []

        def send():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.3, send)
        timer.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                call()
            return time.monotonic() - sent[0]
        finally:
            timer.cancel()
            timer.join()

    return run


def test_waiting(interrupted, model):
    memory = model.memory()
    memory.write(1, 2)
    before = memory.to_bytes()
    assert interrupted(lambda: memory.wait(10**12)) < PROMPT
    assert memory.to_bytes() == before and memory.ask(1).value == 2


def test_pushing(interrupted, schemamem_model):
    stream = schemamem_model.stream()
    rows = np.zeros((4_000_000, 7), np.float32)
    before = stream.to_bytes()
    assert interrupted(lambda: stream.push(rows)) < PROMPT
    assert stream.to_bytes() == before


def test_evaluating(interrupted, schemamem_model):
    assert interrupted(lambda: sm.evaluate(schemamem_model, ["retention"], [10**7])) < PROMPT
    assert interrupted(lambda: sm.curve(schemamem_model, [10**8])) < PROMPT


def test_training(interrupted):
    trainer = sm.Trainer("schemamem", inputs=4, classes=4, longest=2000, chunks=25, batch=512)  # seconds a step
    x = np.zeros((512, 2000, 4), np.float32)
    assert interrupted(lambda: trainer.step(x, np.zeros((512, 2000)))) < PROMPT
    assert trainer.steps == 0 and not trainer.done
    assert interrupted(lambda: sm.train("gdn", "A5V5", recipe="fast")) < PROMPT


def test_drawing_episodes(interrupted):
    assert interrupted(lambda: sm.episodes("A3V3", "retention", delay=200_000, n=200)) < 2 * PROMPT


def test_the_package_is_imported_in_no_time():
    code = ("import time, numpy.typing; t = time.perf_counter(); import schemamem; "
            "print(time.perf_counter() - t); import sys; assert 'matplotlib' not in sys.modules")
    times = [float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
             for _ in range(3)]
    assert min(times) < 0.15
