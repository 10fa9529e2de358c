"""Docstrings and pages do what they say."""

import doctest
import importlib.util
import os
import pathlib
import pkgutil

import pytest

import schemamem

MODULES = ["schemamem"] + [f"schemamem.{module.name}" for module in pkgutil.iter_modules(schemamem.__path__)
                           if module.name not in ("_core", "torch")]
ROOT = pathlib.Path(__file__).parents[2]
RUNNER = ROOT / "tests" / "documents" / "pages.py"
# Beside the source, and only there.
PAGES = [ROOT / "docs" / name for name in ("python.md", "tutorial/python.md", "tutorial/train.md", "tutorial/your_task.md",
                                           "tutorial/compare.md", "howto/bench.md", "../README.md")] if RUNNER.exists() else []


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_right(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_most_modules_have_examples():
    tried = [doctest.testmod(importlib.import_module(name)).attempted for name in MODULES]
    assert sum(tried) >= 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_runs_as_it_is_pasted(page, monkeypatch):
    """The runner of all pages; what they do in the shell is run too, because states cross from one to the other."""
    pytest.importorskip("matplotlib").use("Agg")
    spec = importlib.util.spec_from_file_location("pages", RUNNER)
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    monkeypatch.setenv("SCHEMAMEM_MODELS", str(ROOT / "results" / "steady"))
    # The README has a program built beside it, and another test that runs it.
    program = os.environ.get("SCHEMAMEM_PROGRAM") if page.name != "README.md" else None
    ran, wrong = pages.run_page(page, ("python", "console") if program else ("python",),
                                pathlib.Path(program).parent if program else "", slow=True)
    assert not wrong, "\n".join(wrong)
    assert ran >= 1


def test_every_public_name_has_a_sentence():
    for name in schemamem.__all__:
        thing = getattr(schemamem, name)
        if callable(thing):
            assert thing.__doc__ and thing.__doc__.strip()[0].isupper() or thing.__doc__.startswith(":"), name
