"""Chromium for the tests of pages, and what to say where there is none."""

import shutil
import sys

SKIPPED = 77
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
MISSING = ("playwright is not installed; `make test-extras` installs it" if not sync_playwright else
           "there is no Chromium; `make test-extras` installs Debian's" if not CHROMIUM else None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]


def needed():
    """Ends a program of tests, as skipped, if there is no browser."""
    if MISSING:
        print(MISSING, file=sys.stderr)
        sys.exit(SKIPPED)


def launch(playwright):
    return playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
