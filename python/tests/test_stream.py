"""A stream reads arrays: in place, cut in any way, from one thread at a time."""

import pickle
import threading

import numpy as np
import pytest

import schemamem as sm


@pytest.fixture
def rows():
    return sm.episodes("A3V3", "overwrite", delay=96, n=1).x[0]


def test_the_outputs_do_not_depend_on_the_cuts(model, rows):
    whole = model.stream().push(rows)
    stream = model.stream()
    cut = [stream.push(rows[0]), *stream.push(rows[1:50]), *stream.push(rows[50:])]
    assert whole.dtype == np.float32 and whole.shape == (len(rows), 3)
    assert np.array_equal(whole, np.array(cut))


def test_the_answers_are_those_of_the_episode(schemamem_model):
    x, y, _ = episodes = sm.episodes("A3V3", "overwrite", delay=96, n=4)
    for i in range(4):
        bits = schemamem_model.stream().push(x[i])[episodes.final[i]] >= 0
        assert np.array_equal(bits @ (1 << np.arange(3)), y[i][episodes.final[i]])


def test_other_kinds_of_arrays_are_converted(schemamem_model, rows):
    expected = schemamem_model.stream().push(rows)
    for other in (rows.astype(np.float64), rows.tolist(), np.asfortranarray(rows), np.repeat(rows, 2, axis=0)[::2]):
        assert np.array_equal(schemamem_model.stream().push(other), expected)


def test_marks_of_the_callers_are_obeyed(schemamem_model, rows):
    marks = sm.episodes("A3V3", "overwrite", delay=96, n=1).marks[0]
    expected = schemamem_model.stream().push(rows)
    assert np.array_equal(schemamem_model.stream().push(rows, marks), expected)
    assert not np.array_equal(schemamem_model.stream().push(rows, np.zeros(len(rows), int)), expected)
    ends = np.full(len(rows), sm.Mark.ENDS_CHUNK)
    assert not np.array_equal(schemamem_model.stream().push(rows, ends), expected)


def test_outputs_go_where_they_are_wanted(schemamem_model, rows):
    out = np.full((len(rows) + 1, 3), 7, np.float32)
    stream = schemamem_model.stream()
    assert stream.push(rows, out=out[:-1]) is not None
    assert np.array_equal(out[:-1], schemamem_model.stream().push(rows)) and (out[-1] == 7).all()
    row = np.empty(3, np.float32)
    assert schemamem_model.stream().push(rows[0], out=row) is row and np.array_equal(row, out[0])
    for wrong in (out, out[:-1].astype(np.float64), out[:-1][:, ::-1], [0.0] * 3):
        with pytest.raises(sm.UsageError, match="out is a contiguous"):
            stream.push(rows, out=wrong)


def test_what_is_wrong_leaves_the_stream_as_it_was(schemamem_model, rows):
    stream = schemamem_model.stream()
    stream.push(rows)
    before = stream.to_bytes()
    late = np.tile(rows, (20, 1))
    late[-1, 0] = np.nan
    for call, message in [(lambda: stream.push(late), "finite"), (lambda: stream.push(rows[:, :6]), r"\[T, 7\]"),
                          (lambda: stream.push(rows[None]), r"\[1, 118, 7\]"),
                          (lambda: stream.push(rows, [0]), "one mark a row"), (lambda: stream.push(rows, [4] * len(rows)), "found 4")]:
        with pytest.raises(sm.UsageError, match=message):
            call()
        assert stream.to_bytes() == before


def test_no_rows_are_no_outputs(schemamem_model):
    assert schemamem_model.stream().push(np.empty((0, 7))).shape == (0, 3)


def test_pickles_and_forks_go_on_with_the_same_bits(model, rows):
    stream = model.stream()
    stream.push(rows)
    others = [stream.fork(), pickle.loads(pickle.dumps(stream))]
    expected = stream.push(rows)
    for other in others:
        assert other.tokens == len(rows) and np.array_equal(other.push(rows), expected)


def test_a_second_thread_is_turned_away(schemamem_model):
    stream = schemamem_model.stream()
    many = np.zeros((200_000, 7), np.float32)
    thread = threading.Thread(target=stream.push, args=(many,))
    thread.start()
    with pytest.raises(sm.UsageError, match="another thread"):
        while thread.is_alive():
            stream.tokens
    thread.join()
    assert stream.tokens == 200_000


def test_threads_with_streams_of_their_own_work_side_by_side(schemamem_model, rows):
    expected = schemamem_model.stream().push(rows)
    results = []
    threads = [threading.Thread(target=lambda: results.append(schemamem_model.stream().push(rows))) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(results) == 4 and all(np.array_equal(one, expected) for one in results)


def test_a_floor_is_part_of_the_state(model, rows, tmp_path):
    stream = model.stream(floor=0.25)
    floored = stream.push(rows)
    assert not np.array_equal(floored, model.stream().push(rows))
    stream.save(tmp_path / "a.state")
    others = [stream.fork(), pickle.loads(pickle.dumps(stream)), sm.Stream.open(tmp_path / "a.state")]
    stream.reset()
    assert [one.floor for one in (stream, *others)] == [0.25] * 4
    assert np.array_equal(stream.push(rows), floored)
    stream.floor = 0
    stream.reset()
    assert stream.floor == 0 and np.array_equal(stream.push(rows), model.stream().push(rows))
