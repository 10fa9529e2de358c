"""What the explorer's page does without a browser, by node's own test runner: scripts, links, pasts, snapshots, colours."""

import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    if not shutil.which("node"):
        print("node is not installed", file=sys.stderr)
        return SKIPPED
    return subprocess.run(["node", "--test", "tests/extras/explorer/"], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
