"""The committed pages are what their sources build: web/ with the packages of its lock file gives the same bytes."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"report": "src/report/assets/report.html", "explorer": "src/cli/assets/explorer.html"}


def main():
    if not shutil.which("npm"):
        print("npm is not installed; nothing to compare", file=sys.stderr)
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        web = pathlib.Path(folder) / "web"
        shutil.copytree(ROOT / "web", web, ignore=shutil.ignore_patterns("node_modules"))
        shutil.copytree(ROOT / "wasm", web.parent / "wasm")
        install = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=web, stdout=subprocess.DEVNULL)
        if install.returncode != 0:
            print("npm cannot install the packages (no registry reachable?); nothing to compare", file=sys.stderr)
            return SKIPPED
        for name, committed in PAGES.items():
            built = pathlib.Path(folder) / f"{name}.html"
            subprocess.run(["node", "build.mjs", name, built], cwd=web, check=True)
            if built.read_bytes() != (ROOT / committed).read_bytes():
                print(f"{committed} is not what web/ builds; run `make web` and commit it", file=sys.stderr)
                return 1
    # The explorer of the documentation is the committed page with models in it.
    before, after = (ROOT / PAGES["explorer"]).read_text(encoding="utf-8").split("{{payload}}")
    shown = (ROOT / "docs/explorer_page.html").read_text(encoding="utf-8")
    if not shown.startswith(before) or not shown.endswith(after):
        print("docs/explorer_page.html is of another page; run `build/schemamem explore -o docs/explorer_page.html` and commit it", file=sys.stderr)
        return 1
    lock = (ROOT / "web/package-lock.json").read_text()
    if '"resolved"' in lock:
        print("web/package-lock.json names a registry's host; npm config omit-lockfile-registry-resolved prevents it", file=sys.stderr)
        return 1
    print("the committed pages are what their sources build")
    return 0


if __name__ == "__main__":
    sys.exit(main())
