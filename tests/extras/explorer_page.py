"""The explorer in headless Chromium, for the tests of it: a page of the real program, whose complaints and requests are counted.

Finds the program in SCHEMAMEM_PROGRAM; screenshots go to the folder `screenshots` beside it."""

import os
import pathlib
import re
import subprocess

import browser

browser.needed()

PROGRAM = pathlib.Path(os.environ["SCHEMAMEM_PROGRAM"]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREENSHOTS = PROGRAM.parent / "screenshots"
MODEL = "a3v3-schemamem-steady-s42"
HOSTILE = '<img src=x onerror="document.title=\'owned\'">'


def talk(lines, model=MODEL, *more):
    """What the program answers to the same words."""
    done = subprocess.run([PROGRAM, "talk", model, "--isa", "baseline", *more], input="\n".join(lines), cwd=ROOT, text=True,
                          capture_output=True, check=True)
    return done.stdout


def believed(text):
    """The answers of `ask all`."""
    return [int(row[1]) for row in re.findall(r"^ +(\d+) +(\d+) +\d+ +[01]\.\d+", text, re.MULTILINE)]


class OpenedPage(browser.BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.place / "explorer.html"
        subprocess.run([PROGRAM, "explore", "-o", cls.file], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        SCREENSHOTS.mkdir(exist_ok=True)

    def setUp(self):
        self.context = None

    def tearDown(self):
        if self.context:
            self.context.close()
            self.assertEqual(self.complaints, [])
            asked = {url.split("#")[0] for url in self.requests if not url.startswith("blob:")}
            self.assertEqual(asked, {self.opened.as_uri()}, "the page may load nothing but itself")

    def open(self, width=1280, height=900, scheme="light", file=None, hash="", ready="yes", **more):
        if self.context:
            self.context.close()
        self.opened = file or self.file
        self.complaints, self.requests = [], []
        self.context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme,
                                                accept_downloads=True, **more)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(self.opened.as_uri() + hash)
        self.page.wait_for_selector(f'html[data-ready="{ready}"]', timeout=30000)
        return self.page

    def run_script(self, text):
        self.page.fill("#script", text)
        self.page.press("#script", "Enter")
        self.settle()

    def settle(self, timeout=60000):
        """Until nothing is under way any more."""
        self.page.wait_for_selector("html:not([data-busy])", state="attached", timeout=timeout)
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def values(self):
        return [int(one) for one in self.page.locator(".cell .value").all_inner_texts()]

    def facts(self):
        return self.page.locator(".time-facts").inner_text()

    def take(self, key):
        """The file that an entry of the menu saves."""
        self.page.locator(".menu summary").click()
        with self.page.expect_download() as download:
            self.page.locator(f'[data-take="{key}"]').click()
        path = self.place / download.value.suggested_filename
        download.value.save_as(path)
        return path

    def load(self, path):
        self.page.set_input_files("#state-file", path)
        self.settle()

    def notice(self):
        self.page.wait_for_selector(".notice")
        return self.page.locator(".notices").inner_text()
