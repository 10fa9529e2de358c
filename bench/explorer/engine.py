"""The module of the explorer in one worker of headless Chromium beside the native build of the same instruction set: first that
both end in the same state, then rows a second, in turns. `make bench-explorer` runs it."""

import argparse
import base64
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/extras"))
from explorer_engine import Browser, chromium, models  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default="build/schemamem", type=pathlib.Path)
    parser.add_argument("--rows", default=100_000, type=int)
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--setting", default="A5V5")
    given = parser.parse_args()
    tool = given.program.parent / "tests/extras/engine_tool"
    with chromium() as browser, tempfile.TemporaryDirectory() as folder:
        page = Browser(browser, folder)
        print(f"{'model':10} {'module, rows/s':>15} {'native':>10} {'ratio':>7}   (medians of {given.rounds} turns of {given.rows} rows)")
        for name, file in models(given.setting).items():
            about = page.load(file)
            check(page, given.program, pathlib.Path(folder), file, about["model"])
            module, native = [], []
            for _ in range(given.rounds):
                native.append(given.rows / float(subprocess.run([tool, "wait", file, str(given.rows)], check=True, capture_output=True).stdout))
                module.append(page.call("""
                    const id = await engine.memory(given.model);
                    await engine.write(id, 0, 1);
                    const begin = performance.now();
                    await engine.wait(id, given.rows);
                    const seconds = (performance.now() - begin) / 1000;
                    await engine.free(id);
                    return given.rows / seconds""", {"model": about["model"], "rows": given.rows}))
            ratio = statistics.median(here / there for here, there in zip(module, native))
            print(f"{name:10} {statistics.median(module):15,.0f} {statistics.median(native):10,.0f} {ratio:7.2f}", flush=True)


def check(page, program, folder, file, model):
    """Both end in the same bytes, or nothing is timed."""
    state = folder / "bench.state"
    state.unlink(missing_ok=True)
    subprocess.run([program.resolve(), "talk", file, "--isa", "baseline"], input=f"write 0 1\nwait 3000\nsave {state}\n", text=True,
                   check=True, capture_output=True)
    here = page.call("""
        const id = await engine.memory(given);
        await engine.write(id, 0, 1); await engine.wait(id, 3000);
        const bytes = text_of(await engine.state(id));
        await engine.free(id);
        return bytes""", model)
    if base64.b64decode(here) != state.read_bytes():
        sys.exit(f"{file}: the module and the program end in different states")


if __name__ == "__main__":
    main()
