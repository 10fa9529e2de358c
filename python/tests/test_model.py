"""Models: found by name, carried as bytes."""

import copy
import pickle

import pytest

import schemamem as sm


def test_the_wheel_has_the_models_of_steady_and_what_there_is_of_endless(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where there is no folder `results`
    names = {model.name for model in sm.models()}
    cells = [(a, v, model) for a in (3, 4, 5) for v in (3, 4, 5) for model in ("gdn", "mamba3", "schemamem")]
    steady, endless = ({f"a{a}v{v}-{model}-{recipe}-s42" for a, v, model in cells} for recipe in ("steady", "endless"))
    assert steady <= names <= steady | endless
    assert {name for name in endless if "schemamem" in name} <= names
    assert all("schemamem/models/" in model.file for model in sm.models())


def test_a_model_is_the_same_from_bytes_files_and_pickles(model, tmp_path):
    model.save(tmp_path / "copy.safetensors")
    copies = [sm.load(tmp_path / "copy.safetensors"), sm.Model.from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(model)),
              copy.copy(model), copy.deepcopy(model)]
    for one in copies:
        assert one == model and hash(one) == hash(model) and one.to_bytes() == model.to_bytes()
    assert copies[0].notes == model.notes and copies[0].options == model.options


def test_sizes_are_numbers_and_notes_are_texts(schemamem_model):
    assert schemamem_model.options["width"] == 32
    assert schemamem_model.notes["setting"] == "A3V3"
    assert (schemamem_model.row_width, schemamem_model.outputs, len(schemamem_model.fingerprint)) == (7, 3, 64)


def test_a_model_cannot_be_made_from_nothing():
    with pytest.raises(TypeError, match="schemamem.load"):
        sm.Model("a3v3-schemamem-steady-s42")
