"""The site of the pages: every link in it leads somewhere, and a browser that opens it asks nothing of the network.

Builds it with `scripts/site.sh`; screenshots go to the folder `screenshots` beside the program, SCHEMAMEM_PROGRAM."""

import html.parser
import os
import pathlib
import re
import subprocess
import sys
import unittest
import urllib.parse

import browser

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
SCREENSHOTS = pathlib.Path(os.environ["SCHEMAMEM_PROGRAM"]).parent / "screenshots"
# What a browser fetches by itself; a link is followed by its reader only.
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("object", "data"),
           ("video", "src"), ("audio", "src"), ("form", "action")}


class Page(html.parser.HTMLParser):
    """Anchors, links and resources of a page."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.resources = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[key] for key in ("id", "name") if values.get(key))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        self.resources += [values[key] for name, key in FETCHED if name == tag and values.get(key)]


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([ROOT / "scripts" / "site.sh"], capture_output=True, text=True)
        if done.returncode == SKIPPED:
            print(done.stderr, file=sys.stderr)
            sys.exit(SKIPPED)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.pages = {path: Page(path) for path in SITE.rglob("*.html")}

    def test_has_every_page_of_the_documentation(self):
        for page in (ROOT / "docs").rglob("*.md"):
            if "tables" not in page.parts:
                self.assertIn(SITE / page.relative_to(ROOT / "docs").with_suffix(".html"), self.pages)

    def test_every_link_leads_somewhere(self):
        for path, page in self.pages.items():
            for link in page.links:
                address, _, anchor = link.partition("#")
                if re.match(r"[a-z]+:", address):
                    continue
                target = (path.parent / urllib.parse.unquote(address)).resolve() if address else path
                self.assertTrue(target.exists(), f"{path}: {link}")
                # Doxygen's own anchors are its business.
                if anchor and target in self.pages and SITE / "html" not in target.parents:
                    self.assertIn(urllib.parse.unquote(anchor), self.pages[target].anchors | {""}, f"{path}: {link}")

    def test_names_no_resource_of_another_place(self):
        for path, page in self.pages.items():
            for resource in page.resources:
                self.assertNotRegex(resource, r"^(?:[a-z]+:)?//", path)
        for sheet in SITE.rglob("*.css"):
            self.assertNotRegex(sheet.read_text(encoding="utf-8"), r"""(?:url\(|@import)\s*["']?(?:https?:)?//""", sheet)

    def test_opens_without_a_request_to_the_network(self):
        if browser.MISSING:
            self.skipTest(browser.MISSING)
        SCREENSHOTS.mkdir(exist_ok=True)
        requests, complaints = [], []
        with browser.sync_playwright() as playwright:
            chromium = browser.launch(playwright)
            for width, scheme in ((1280, "light"), (1280, "dark"), (400, "light")):
                context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
                page = context.new_page()
                page.set_default_timeout(120000)  # a machine at work is slow
                page.on("request", lambda request: requests.append(request.url))
                page.on("pageerror", lambda error: complaints.append(str(error)))
                for name in ("index", "tutorial/first_answer", "reference/python", "results/index", "search", "html/index"):
                    page.goto((SITE / f"{name}.html").as_uri())
                    page.screenshot(path=SCREENSHOTS / f"site-{name.replace('/', '-')}-{width}-{scheme}.png")
                    if not name.startswith("html/"):
                        wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                        self.assertLessEqual(wide, 0, f"{name} scrolls sideways at {width} px")
                page.goto((SITE / "search.html").as_uri() + "?q=fork")
                page.wait_for_selector("#search-results li")
                context.close()
            chromium.close()
        self.assertEqual([url for url in requests if not url.startswith(("file:", "data:"))], [])
        self.assertEqual(complaints, [])


if __name__ == "__main__":
    unittest.main()
