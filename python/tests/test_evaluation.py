"""Records: the program's numbers, as rows."""

import json

import pytest

import schemamem as sm


def test_the_scores_are_those_of_the_program(program, tmp_path, model):
    model.save(tmp_path / "m.safetensors")
    told = json.loads(program("eval", tmp_path / "m.safetensors", "--delays", "96,768", "--episodes", 8, "--scenarios",
                              "retention,overwrite", "--eval-seed", sm.PAPER_SEED, "--json"))["evaluations"][0]["cells"]
    records = sm.evaluate(model, ["retention", "overwrite"], [96, 768], episodes=8)
    assert [{key: row[key] for key in told[0]} for row in records] == told
    assert records[0]["model"] == model.name and records[0]["seed"] == 42 and records[0]["recipe"] == "steady"


def test_a_curve_is_that_of_the_program(program, tmp_path, schemamem_model):
    schemamem_model.save(tmp_path / "m.safetensors")
    told = json.loads(program("eval", tmp_path / "m.safetensors", "--curve", "--delays", "96,300", "--episodes", 3,
                              "--eval-seed", sm.PAPER_SEED, "--json"))["evaluations"][0]["cells"]
    records = sm.curve(schemamem_model, [300, 96], episodes=3)
    assert [{key: row[key] for key in told[0]} for row in records] == told


def test_without_its_memory_a_model_knows_nothing(schemamem_model):
    rows = sm.ablate(schemamem_model, delays=[96], episodes=8)
    assert {row["scenario"] for row in rows} == {"retention", "interference", "overwrite"}
    assert rows.where(group="retained")[0]["normal"] == 100 and rows.where(group="retained")[0]["difference"] > 50


def test_a_baseline_is_ablated_too():
    rows = sm.ablate(sm.load("a3v3-gdn-steady-s42"), ["retention"], [96], episodes=8)
    written = next(row for row in rows if row["group"] == "retained")
    assert written["normal"] == 100 and written["ablated"] < 50


def test_records_are_rows_for_pandas_and_for_a_figure(schemamem_model, tmp_path):
    records = sm.evaluate(schemamem_model, delays=[96, 192], episodes=2)
    assert records.lowest() == min(row["exact"] for row in records)
    assert {row["delay"] for row in records.where(scenario="retention")} == {96, 192}
    assert isinstance(records + records, sm.Records)
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(records)
    assert list(table.columns[:5]) == ["model", "task", "setting", "recipe", "seed"] and len(table) == len(records)


def test_figures_have_a_panel_a_column_and_a_line_a_model(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    names = ("schemamem", "mamba3")
    records = sm.Records()
    for name in names:
        records += sm.evaluate(sm.load(f"a3v3-{name}-steady-s42"), delays=[96, 192], episodes=2)
    figure = records.plot()
    assert [axis.get_title() for axis in figure.axes] == list(sm.COLUMNS)
    for axis in figure.axes:
        lines = [line for line in axis.lines if not line.get_label().startswith("_")]
        assert [line.get_label() for line in lines] == ["SchemaMem", "Mamba-3"]
        assert list(lines[0].get_xdata()) == [96, 192]
    assert records.plot(columns=["Default"]).axes[0].get_title() == "Default"
    with pytest.raises(sm.UsageError, match="no column 'X'"):
        records.plot(columns=["X"])
    with pytest.raises(sm.UsageError, match="none of the records"):
        sm.Records().plot()


@pytest.mark.parametrize("call, message", [
    (lambda m: sm.evaluate(m, ["retain"]), "retention"), (lambda m: sm.evaluate(m, episodes=0), "at least one"),
    (lambda m: sm.curve(m, scenarios=["immediate"]), "no curve"),
    (lambda m: sm.evaluate(sm.Trainer(inputs=2, classes=2, longest=4, batch=1).model()), "own")])
def test_a_wrong_question_says_what_is_right(schemamem_model, call, message):
    with pytest.raises(sm.UsageError, match=message):
        call(schemamem_model)


def test_a_floor_is_that_of_every_stream(model):
    """So high that no write passes it, it leaves less of what was written, with the memory and without; records tell it."""
    question = dict(scenarios=["retention"], delays=[96], episodes=8)
    usual, floored = sm.evaluate(model, **question), sm.evaluate(model, floor=0.99, **question)
    assert {row["floor"] for row in usual} == {0.0} and {row["floor"] for row in floored} == {0.99}
    assert usual.where(group="retained")[0]["exact"] == 100
    assert floored.where(group="retained")[0]["exact"] < 100
    both = sm.ablate(model, floor=0.99, **question)[0]
    assert both["floor"] == 0.99 and both["normal"] == floored.where(group="retained")[0]["exact"]
    curve = sm.curve(model, [96], scenarios=["retention"], episodes=2, floor=0.99)
    assert curve.where(group="retained")[0]["exact"] < 100


@pytest.mark.parametrize("floor", [-0.1, 1.0, float("nan")])
def test_a_floor_is_from_0_to_below_1(schemamem_model, floor):
    for call in (lambda: schemamem_model.stream(floor=floor), lambda: schemamem_model.memory(floor=floor),
                 lambda: sm.evaluate(schemamem_model, floor=floor)):
        with pytest.raises(sm.UsageError, match="at least 0.* below 1"):
            call()
