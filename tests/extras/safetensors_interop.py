"""The official Python package and our codec read each other's files: safetensors_interop.py SAFETENSORS_TOOL"""

import pathlib
import subprocess
import sys
import tempfile

import numpy
import safetensors
from safetensors.numpy import load_file, save_file

METADATA = {'grüße "\\\n': "→ 𝄞\t"}


def example():
    """The values that safetensors_tool.cpp gives too."""
    i = numpy.arange(12)
    return {
        "f32": (i.astype("float32") / numpy.float32(3)).reshape(3, 4),
        "f64": (i / 3.0).reshape(2, 3, 2),
        "i64": numpy.array([(1 << (5 * k)) - k for k in range(12)], dtype="int64"),
        "u8.ü": (20 * i).astype("uint8").reshape(12, 1),
        "scalar": numpy.array(0.1),
        "empty": numpy.zeros((0, 7), dtype="float32"),
    }


def main(tool):
    with tempfile.TemporaryDirectory() as folder:
        ours = pathlib.Path(folder) / "ours.safetensors"
        theirs = pathlib.Path(folder) / "theirs.safetensors"

        subprocess.run([tool, "write", ours], check=True)
        tensors = load_file(ours)
        assert tensors.keys() == example().keys(), tensors.keys()
        for name, expected in example().items():
            assert tensors[name].dtype == expected.dtype, name
            assert tensors[name].shape == expected.shape, name
            assert tensors[name].tobytes() == expected.tobytes(), name
        with safetensors.safe_open(ours, framework="numpy") as file:
            assert file.metadata() == METADATA, file.metadata()

        save_file(example(), theirs, metadata=METADATA)
        subprocess.run([tool, "check", theirs], check=True)

        assert ours.read_bytes() == theirs.read_bytes(), "the same content gives other bytes"
    print(f"safetensors {safetensors.__version__}: both ways, and the same bytes")


if __name__ == "__main__":
    main(sys.argv[1])
