"""The explorer for everybody: keys alone, screen readers, the tour, any window, light and dark, at once."""

import sys
import unittest

from explorer_page import SCREENSHOTS, OpenedPage


class ExplorerReader(OpenedPage):
    def test_keys_alone_are_enough(self):
        page = self.open()
        page.keyboard.press("d")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        self.settle()
        self.assertIn("row 1", self.facts())
        page.keyboard.press("/")
        page.keyboard.type("write 5 3; ask 5")
        page.keyboard.press("Enter")
        self.settle()
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("2")
        self.settle()
        self.assertIn("row 99", self.facts())
        page.keyboard.press(",")
        self.settle()
        page.keyboard.press("f")
        self.settle()
        self.assertEqual(page.locator("[data-past]").count(), 2)
        page.keyboard.press("?")
        self.assertTrue(page.locator("dialog.help").is_visible())
        page.keyboard.press("Escape")
        self.assertFalse(page.locator("dialog.help").is_visible())
        page.keyboard.press("d")
        page.keyboard.press("4")
        self.settle()
        self.assertIn(4, self.values()[:2])
        page.keyboard.press(" ")
        page.wait_for_timeout(200)
        page.keyboard.press("Escape")
        self.settle()
        unmarked = []
        for _ in range(70):
            page.keyboard.press("Tab")
            marked = page.evaluate("""() => {
                const element = document.activeElement;
                const shown = element.matches(".segment input") ? element.nextElementSibling : element.matches(".line input") ? element.parentElement : element;
                return element === document.body || getComputedStyle(shown).outlineStyle !== "none" ? "" : element.outerHTML.slice(0, 80);
            }""")
            if marked:
                unmarked.append(marked)
        self.assertEqual(unmarked, [])

    def test_everything_has_a_name_for_a_screen_reader(self):
        page = self.open()
        self.run_script("write 5 3; zero")
        nameless = page.evaluate("""() => [...document.querySelectorAll("button, input, select, canvas, section, [role=img], figure")]
            .filter((one) => one.offsetParent && !one.closest("[aria-hidden=true]"))
            .filter((one) => !(one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.textContent.trim() || one.labels?.length))
            .map((one) => one.outerHTML.slice(0, 120))""")
        self.assertEqual(nameless, [])

    # ---- the tour

    def test_the_tour_is_played_to_its_end(self):
        page = self.open()
        page.locator("#tour").click()
        told = []
        for step in range(1, 8):
            page.wait_for_selector(f'.tour[data-step="{step}"][data-state="done"]', timeout=120000)
            told.append(page.locator(".tour-body").inner_text())
            page.screenshot(path=SCREENSHOTS / f"explorer-tour-{step}.png")
            page.locator(".tour .button.strong").click()
        self.assertTrue(page.locator(".tour").is_hidden())
        for text, said in zip(told, ("8 of 8 answers are right", "S is still zero", "Address 5 answers 3", "4 of 8 right", "flip", "the copy by 0", "Gated DeltaNet 8")):
            self.assertIn(said, text)

    def test_the_first_paint_comes_within_a_second(self):
        page = self.open()
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        print(f"first paint after {paint:.0f} ms, {self.file.stat().st_size:,} bytes", file=sys.stderr)
        self.assertLess(paint, 1000)

    def test_it_fits_all_windows_in_light_and_dark(self):
        for width, height in ((400, 850), (768, 1024), (1280, 900), (1920, 1080)):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    page = self.open(width=width, height=height, scheme=scheme, reduced_motion="reduce")
                    self.run_script("write 5 3; write 1 6; ask 5; wait 1536; zero; wait 96")
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                    page.screenshot(path=SCREENSHOTS / f"explorer-{width}-{scheme}.png")
                    page.screenshot(path=SCREENSHOTS / f"explorer-{width}-{scheme}-whole.png", full_page=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
