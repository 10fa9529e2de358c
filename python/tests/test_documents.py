"""Docstrings and pages do what they say."""

import doctest
import importlib
import pathlib
import pkgutil
import re

import pytest

import schemamem

MODULES = ["schemamem"] + [f"schemamem.{module.name}" for module in pkgutil.iter_modules(schemamem.__path__)
                           if module.name not in ("_core", "torch")]
PAGE = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_most_modules_have_examples():
    tried = [doctest.testmod(importlib.import_module(name)).attempted for name in MODULES]
    assert sum(tried) >= 30


@pytest.mark.skipif(not PAGE.exists(), reason="the page is beside the source")
def test_the_tutorial_runs_as_it_is_pasted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) >= 6
    world = {}
    for block in blocks:
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, world, "docs/python.md", str(PAGE), 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            runner.run(test, clear_globs=False)
            assert runner.summarize(verbose=False).failed == 0
            world.update(test.globs)
        else:
            exec(compile(block, str(PAGE), "exec"), world)
    assert (tmp_path / "today.state").exists() and (tmp_path / "delays.png").exists()


def test_every_public_name_has_a_sentence():
    for name in schemamem.__all__:
        thing = getattr(schemamem, name)
        if callable(thing):
            assert thing.__doc__ and thing.__doc__.strip()[0].isupper() or thing.__doc__.startswith(":"), name
