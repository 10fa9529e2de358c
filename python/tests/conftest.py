"""What the tests share. SCHEMAMEM_PROGRAM names the program `schemamem` of the same source; tests that compare with it
are skipped without."""

import os
import subprocess

import pytest

import schemamem as sm

MODELS = ("schemamem", "mamba3", "gdn")


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("SCHEMAMEM_PROGRAM")
    if not path:
        pytest.skip("SCHEMAMEM_PROGRAM is not set")

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    return run


@pytest.fixture(params=MODELS)
def model(request):
    """Each of the three models, small and trained."""
    return sm.load(f"a3v3-{request.param}-steady-s42")


@pytest.fixture
def schemamem_model():
    return sm.load("a3v3-schemamem-steady-s42")
