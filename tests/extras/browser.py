"""Chromium for the tests of pages, and what to say where there is none."""

import pathlib
import shutil
import sys
import tempfile
import unittest

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


class BrowserTest(unittest.TestCase):
    """Tests that share a folder, which goes with them, and one browser."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = pathlib.Path(cls.folder.name)
        cls.playwright = sync_playwright().start()
        cls.browser = launch(cls.playwright)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.folder.cleanup()
