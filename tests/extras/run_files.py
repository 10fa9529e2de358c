"""TensorBoard's own reader and the official safetensors package open what a run leaves behind: run_files.py SCHEMAMEM"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy
from safetensors import safe_open
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
from tensorboard.util import tensor_util

SHORT = (
    "batch.episodes=2 validation.every=25 validation.episodes=2 validation.passes=1 transactions.limit=200 "
    "transactions.history_thresholds=[0,0,0] transactions.thresholds=[0,0]"
).split()
TAGS = {"loss": "loss", "gradient_norm": "gradient_norm", "rate": "rate", "stillness": "stillness", "tokens": "tokens"}


def train(program, folder, stop_after=None):
    command = [program, "train", "--model", "schemamem", "--setting", "A2V2", "--threads", "1", "--out", folder]
    for override in SHORT:
        command += ["--set", override]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if stop_after is not None:
        time.sleep(stop_after)
        process.send_signal(signal.SIGTERM)
    return process.wait()


def expected_scalars(line, stages):
    """What docs/formats.md says about a line of metrics.jsonl."""
    values = {tag: line[key] for tag, key in TAGS.items() if key in line}
    if "stage" in line:
        values["stage"] = stages.index(line["stage"]) + 1
    if "check" in line:
        values["lowest"], values["threshold"] = line["lowest"], line["threshold"]
        for group in line["groups"]:
            values[f"accuracy/{group['scenario']}/{group['group']}"] = 100 * group["right"] / group["asked"]
        for layer, used in enumerate(line["slots_used"]):
            values[f"slots_used/layer{layer}"] = used
    return values


def check_events(run):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    stages = [f"{phase}-{part}" for phase in ("history", "transactions") for part in ("quarter", "half", "full")]
    files = list((run / "tensorboard").iterdir())
    assert len(files) == 1 and "tfevents" in files[0].name, files
    events = list(EventFileLoader(str(files[0])).Load())
    assert events[0].file_version == "brain.Event:2"
    assert len(events) == 1 + len(lines), (len(events), len(lines))
    for event, line in zip(events[1:], lines):
        assert event.step == line["step"]
        assert abs(event.wall_time - time.time()) < 3600
        # The loader turns simple values into tensors, as TensorBoard itself reads them.
        found = {value.tag: float(tensor_util.make_ndarray(value.tensor)) for value in event.summary.value}
        expected = expected_scalars(line, stages)
        assert found.keys() == expected.keys(), (found, expected)
        for tag, value in expected.items():
            assert numpy.float32(found[tag]) == numpy.float32(value), (tag, found[tag], value)
    return len(lines)


def check_tensors(run):
    checkpoints = sorted((run / "checkpoints").iterdir())
    files = [run / "model.safetensors"] + [checkpoints[-1] / f"{part}.safetensors" for part in ("model", "optimizer")]
    contents = []
    for path in files:
        with safe_open(path, framework="numpy") as file:
            assert file.metadata()["model"] == "schemamem"
            contents.append({name: file.get_tensor(name) for name in file.keys()})
            assert all(numpy.isfinite(tensor).all() for tensor in contents[-1].values())
    final, model, optimizer = contents
    assert final.keys() == model.keys() and all((final[name] == model[name]).all() for name in final)
    assert {f"{part}.{name}" for part in ("weights", "average", "first", "second") for name in model} == optimizer.keys()
    return sum(tensor.size for tensor in model.values())


def main(program):
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        stops = 0
        while train(program, run, stop_after=0.4 + 0.2 * stops if stops < 3 else None) == 75:
            stops += 1
        lines, parameters = check_events(run), check_tensors(run)
    print(f"{lines} events and {parameters} parameters, after {stops} stops")


if __name__ == "__main__":
    main(sys.argv[1])
