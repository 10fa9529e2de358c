"""Models that are not ours on the evaluation episodes, in NumPy."""

import json
import pathlib
import re

import numpy as np
import pytest

import schemamem as sm


def remembering(x):
    """Right by construction: keeps what was written last in a table."""
    n, rows, _ = x.shape
    logits = np.empty((n, rows, 3), np.float32)
    for episode in range(n):
        table = np.arange(8)
        for t, row in enumerate(x[episode]):
            address = int(row[:3] @ [1, 2, 4])
            if row[6] > 0.5:
                table[address] = int(row[3:6] @ [1, 2, 4])
            logits[episode, t] = [1.0 if table[address] >> bit & 1 else -1.0 for bit in range(3)]
    return logits


def test_a_table_answers_everything():
    guest = sm.bench(remembering, "A3V3", name="table", delays=[16, 96], episodes=6, batch=4)
    assert guest.lowest() == 100
    assert {(row["scenario"], row["delay"]) for row in guest} == {
        ("immediate", 0), *((scenario, delay) for scenario in ("retention", "interference", "overwrite") for delay in (16, 96))}
    assert guest[0]["model"] == "table" and guest[0]["eval_seed"] == sm.PAPER_SEED


def test_outputs_answers_and_final_rows_score_the_same():
    whole = sm.bench(remembering, "A3V3", delays=[16], episodes=4)
    final = sm.bench(lambda x: remembering(x)[:, -8:], "A3V3", delays=[16], episodes=4)
    answers = sm.bench(lambda x: (remembering(x) >= 0) @ np.array([1, 2, 4]), "A3V3", delays=[16], episodes=4)
    assert list(whole) == list(final)
    assert [row["right"] for row in whole] == [row["right"] for row in answers]
    assert answers[0]["cross_entropy"] is None


def test_a_task_of_symbols_gets_symbols():
    seen = []

    def model(x):
        seen.append((x.dtype, x.ndim))
        return np.zeros((*x.shape, 64), np.float32)

    guest = sm.bench(model, "V64L64P4", task="mqar", episodes=3)
    assert seen[0] == (np.int64, 2) and guest[0]["task"] == "mqar"


def test_the_program_scores_the_same_predictions_alike(program, tmp_path):
    program("task", "dump", "--setting", "A3V3", "--delay", "16", "--episodes", 6, "--npz", tmp_path / "episodes.npz")
    dump = np.load(tmp_path / "episodes.npz")
    about = json.loads(dump["about"].tobytes())
    names = [f"{case['scenario']}_{case['delay']}" for case in about["cases"]]
    for name in names:  # to the bit what evaluation asks
        scenario, delay = name.rsplit("_", 1)
        episodes = sm.episodes("A3V3", scenario, int(delay), 6)
        for array in ("x", "y", "groups", "final", "marks"):
            np.testing.assert_array_equal(dump[f"{name}_{array}"], getattr(episodes, array))
    half = lambda x: remembering(x) * np.where(x[..., :1] > 0.5, 1, -1)  # wrong at even addresses
    np.savez(tmp_path / "mine.npz", about=dump["about"], **{name: half(dump[f"{name}_x"]) for name in names})
    told = json.loads(program("score", tmp_path / "mine.npz", "--name", "half", "--json", "-o", tmp_path / "guests"))
    guest = sm.bench(half, "A3V3", name="half", delays=[16], episodes=6)
    kept = list(told["cells"][0])
    assert told["cells"] == [{key: row[key] for key in kept} for row in guest]
    assert 0 < guest.lowest() < 100
    folder = guest.save(tmp_path / "again")
    records = [json.loads(next((path / "evaluations").glob("*.json")).read_text()) for path in
               (tmp_path / "guests/half-A3V3-s0", tmp_path / "again/half-A3V3-s0")]
    assert str(folder).endswith("half-A3V3-s0") and records[0]["cells"] == records[1]["cells"]
    page = json.loads(program("report", tmp_path / "guests", "-o", tmp_path / "mine.html", "--json"))
    assert page["runs"] == 1


def test_beside_has_our_models_on_the_same_episodes():
    records = sm.bench(remembering, "A3V3", name="table", scenarios=["retention"], delays=[16], episodes=2).beside()
    assert {row["model"] for row in records} == {"table", "schemamem", "mamba3", "gdn"}


def test_what_is_wrong_is_said(tmp_path):
    ask = dict(delays=[16], episodes=2, scenarios=["retention"])
    for model, error, message in [
            (lambda x: remembering(x)[:, :5], sm.UsageError, "expected predictions of all .* rows"),
            (lambda x: remembering(x)[..., :2], sm.UsageError, "3 outputs a row"),
            (lambda x: remembering(x) * np.nan, sm.NonFinite, "no number"),
            (lambda x: x[..., 0], sm.UsageError, "answers are whole numbers"),
            (lambda x: x[0, 0], sm.UsageError, "expected outputs"), (3, TypeError, "to call")]:
        with pytest.raises(error, match=message):
            sm.bench(model, "A3V3", **ask)
    guest = sm.bench(remembering, "A3V3", name="gdn", **ask)
    with pytest.raises(sm.UsageError, match="a model of the library"):
        guest.save(tmp_path)
    with pytest.raises(sm.UsageError, match="name of a guest"):
        sm.bench(remembering, "A3V3", name="../x", **ask).save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_report_is_one_page_with_ours_beside_it(tmp_path):
    guest = sm.bench(lambda x: x[..., :3] - 0.5, "A3V3", name="<mine>", delays=[96, 192], episodes=4)
    path = guest.report(tmp_path / "mine.html")
    page = pathlib.Path(path).read_text()
    assert "<h1>&lt;mine&gt; on A3V3</h1>" in page and "<mine>" not in page
    for name in ("SchemaMem", "Mamba-3", "Gated DeltaNet"):
        assert f"<td>{name}</td><td>192</td><td>100.00</td>" in page
    own = [guest.where(scenario=scenario, group=group, delay=192)[0]["exact"] for scenario, group in sm.COLUMNS.values()]
    assert "<td>&lt;mine&gt;</td><td>192</td>" + "".join(f"<td>{value:.2f}</td>" for value in own) + "</tr>" in page
    assert page.count("<svg") == 4 and page.count("<polyline") == 16
    assert not re.search(r"https?:|src=|<script|@import", page), "it needs nothing else"


def test_a_report_that_cannot_be_written_says_so(tmp_path):
    guest = sm.bench(lambda x: x[..., :3] - 0.5, "A3V3", delays=[96], episodes=1)
    with pytest.raises(sm.CannotCreate, match="no-such-folder"):
        guest.report(tmp_path / "no-such-folder" / "mine.html")
    with pytest.raises(sm.UsageError, match="columns? of the paper's tables"):
        sm.bench(lambda x: x[..., :3] - 0.5, "A3V3", scenarios=["immediate"], episodes=1).report(tmp_path / "mine.html")
