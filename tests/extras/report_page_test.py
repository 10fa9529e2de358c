"""The report page in headless Chromium: it renders, reads values out under pointer and keyboard, and loads nothing.

Finds the program in SCHEMAMEM_PROGRAM; screenshots go to the folder `screenshots` beside it."""

import json
import math
import os
import pathlib
import subprocess
import unittest

import browser

browser.needed()

import sample_runs

PROGRAM = pathlib.Path(os.environ["SCHEMAMEM_PROGRAM"])
SCREENSHOTS = PROGRAM.parent / "screenshots"


def mean_accuracy(root, model, setting, recipe, scenario, group, delay, eval_seed=sample_runs.PAPER_SEED, kind="table"):
    """The number that the page must show, straight from the records."""
    values = []
    for record in root.glob(f"{model}-{setting}-{recipe}-*/evaluations/{kind}-recurrent-{eval_seed}-*.json"):
        for cell in json.loads(record.read_text())["cells"]:
            if (cell["scenario"], cell["group"], cell["delay"]) == (scenario, group, delay):
                values.append(100 * cell["right"] / cell["asked"])
    assert len(values) == 3, values
    return sum(values) / 3


class ReportPage(browser.BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs = sample_runs.write_runs(cls.place / "runs")
        cls.file = cls.place / "report.html"
        subprocess.run([PROGRAM, "report", cls.runs, "-o", cls.file], check=True, stdout=subprocess.DEVNULL)
        cls.more_runs = sample_runs.write_more(cls.place / "more")
        cls.more = cls.place / "more.html"
        subprocess.run([PROGRAM, "report", cls.more_runs, "-o", cls.more], check=True, stdout=subprocess.DEVNULL)
        SCREENSHOTS.mkdir(exist_ok=True)

    def setUp(self):
        self.open()

    def tearDown(self):
        self.context.close()
        self.assertEqual(self.complaints, [])
        self.assertEqual(self.requests, [self.opened.as_uri()], "the page may load nothing but itself")

    def open(self, width=1280, scheme="light", file=None):
        self.opened = file or self.file
        self.complaints, self.requests = [], []
        self.context = self.browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(self.opened.as_uri())
        self.page.wait_for_selector("html[data-ready]", timeout=20000)

    def reopen(self, **how):
        self.context.close()
        self.open(**how)

    def choose(self, control, value):
        self.page.check(f'[data-control="{control}"] input[value="{value}"]', force=True)

    def chart(self, title):
        return self.page.locator("#curves .chart", has=self.page.locator(f'figcaption:has-text("{title}")'))

    def point_at(self, chart, delay):
        """Moves the pointer over the place of a delay on the axis; returns the text of the tooltip."""
        over = chart.locator(".u-over")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        delays = sorted(sample_runs.DELAYS)
        share = (delays.index(delay) + 0.16) / (len(delays) - 1 + 0.33)  # even on a logarithmic axis, with its margins
        self.page.mouse.move(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        return chart.locator(".tip").inner_text()

    def test_every_section_is_there_and_numbers_are_right(self):
        titles = self.page.locator("h2").all_inner_texts()
        self.assertEqual(len(titles), 6, titles)
        self.assertGreaterEqual(self.page.locator(".claim").count(), 20)
        self.assertEqual(self.page.locator("#curves canvas").count(), 9)
        claim = self.page.locator("#claim-overtakes")
        expected = mean_accuracy(self.runs, "schemamem", "A3V3", "fast", "overwrite", "updated", 1536)
        self.assertIn(f"{expected:.2f} %", claim.inner_text())
        self.assertIn("holds", claim.inner_text())
        self.assertIn("not measured", self.page.locator("#claim-close-a5v5").inner_text())

    def test_the_first_screen_is_a_figure_and_sentences_from_the_records(self):
        shown = self.page.locator("#headline").bounding_box()
        self.assertLess(shown["y"] + shown["height"], 900)
        self.assertEqual(self.page.locator("#headline canvas").count(), 1)
        text = self.page.locator("#headline .sentences").inner_text()
        self.assertEqual(self.page.locator("#headline .sentences p").count(), 3)
        self.assertIn("After 1,536 other queries, 4 times the longest delay of training", text)
        columns = [("retention", "retained"), ("interference", "retained"), ("overwrite", "updated"), ("overwrite", "default")]
        for model, label in (("schemamem", "SchemaMem"), ("gdn", "Gated DeltaNet")):
            for delay, kind in ((1536, "table"), (1000000, "curve")):
                values = [mean_accuracy(self.runs, model, setting, "fast", scenario, group, delay, kind=kind)
                          for setting in ("A3V3", "A4V5") for scenario, group in columns]
                mean = sum(values) / len(values)
                self.assertIn(f"{label} {mean:.{1 if 10 <= mean <= 99.95 else 2}f}\u00a0%", text.replace("\n", " "))
        sections = [one.get_attribute("id") for one in self.page.locator("main > section").all()]
        self.assertEqual(sections[:2], ["curves", "claims"])
        before = text
        self.choose("headline-recipe", "steady")
        self.assertNotEqual(self.page.locator("#headline .sentences").inner_text(), before)

    def test_no_claim_table_is_cut_off_with_three_recipes(self):
        for width in (400, 1000, 1280, 1536, 1920):
            self.reopen(width=width, file=self.more)
            cut = self.page.locator(".claim .scroll").evaluate_all(
                "all => all.filter((one) => one.scrollWidth > one.clientWidth).length")
            self.assertEqual(cut, 0, f"at {width} px")

    def test_settings_and_models_that_the_paper_has_not_have_curves_and_a_table(self):
        self.reopen(file=self.more)
        expected = mean_accuracy(self.more_runs, "gdn", "A2V2", "fast", "interference", "retained", 384)
        self.assertIn(f"{expected:.2f} %", self.point_at(self.chart("A2V2"), 384))
        expected = mean_accuracy(self.more_runs, "gru", "A3V3", "fast", "interference", "retained", 96)
        text = self.point_at(self.chart("A3V3"), 96)
        self.assertIn("gru", text)
        self.assertIn(f"{expected:.2f} %", text)
        looks = self.page.locator('[data-control="models"] .swatch > *').evaluate_all(
            "all => all.map((one) => [one.getAttribute('d') ?? one.tagName, getComputedStyle(one).fill])")
        self.assertEqual(len({fill for _, fill in looks}), 4, looks)
        self.assertEqual(len({shape for shape, _ in looks}), 4, looks)
        self.page.locator('#tables [data-tab="other_runs"]').click()
        self.assertIn("A2V2", self.page.locator("#table-other_runs").inner_text())

    def coloured(self, chart, low, high, delays):
        """Pixels with a colour in the chart half-way between two neighbouring delays."""
        first, last = delays[0] / 1.12, delays[-1] * 1.12
        share = math.log(math.sqrt(low * high) / first) / math.log(last / first)
        return chart.evaluate("""(chart, share) => {
            const canvas = chart.querySelector("canvas"), over = chart.querySelector(".u-over");
            const scale = canvas.width / canvas.getBoundingClientRect().width;
            const left = over.getBoundingClientRect().left - canvas.getBoundingClientRect().left;
            const x = Math.round(scale * (left + share * over.clientWidth));
            const copy = document.createElement("canvas");
            copy.height = canvas.height;
            const context = copy.getContext("2d", { willReadFrequently: true });
            context.drawImage(canvas, -x, 0);
            const { data } = context.getImageData(0, 0, 1, canvas.height);
            let count = 0;
            for (let i = 0; i < data.length; i += 4) {
                const colours = [data[i], data[i + 1], data[i + 2]];
                if (data[i + 3] > 128 && Math.max(...colours) - Math.min(...colours) > 60) count += 1;
            }
            return count;
        }""", share)

    def test_a_point_of_fewer_seeds_is_not_joined_to_the_line(self):
        self.reopen(file=self.more)
        self.choose("recipes", "endless")
        self.page.uncheck('[data-control="recipes"] input[value="fast"]', force=True)
        self.choose("kind", "curve")
        delays = sorted(sample_runs.LONG_DELAYS)
        chart = self.chart("A3V3")
        self.assertGreater(self.coloured(chart, delays[-3], delays[-2], delays), 0, "a line of three seeds")
        self.assertEqual(self.coloured(chart, delays[-2], delays[-1], delays), 0, "to one of a single seed")
        chart.focus()
        self.page.keyboard.press("End")
        self.assertIn("1 of 3 seeds", chart.locator(".tip").inner_text())
        self.assertIn("fewer seeds", self.page.locator("#curves .legend").inner_text())

    def test_captions_stay_when_a_table_scrolls(self):
        self.reopen(width=400)
        self.page.locator('#tables [data-tab="long_delay"]').click()
        scroll = self.page.locator("#tables .scroll")
        self.assertGreater(scroll.evaluate("one => { one.scrollLeft = 200; return one.scrollLeft; }"), 100)
        for shown in (self.page.locator("#tables .caption"), self.page.locator("#table-long_delay tbody th").first):
            box = shown.bounding_box()
            self.assertGreaterEqual(box["x"], 0)
            self.assertLess(box["x"], 100)

    def test_pointing_at_a_chart_reads_its_values(self):
        for delay in (96, 384, 1536):
            text = self.point_at(self.chart("A3V3"), delay)
            self.assertIn(f"delay {delay:,}", text)
            for model in sample_runs.MODELS:
                expected = mean_accuracy(self.runs, model, "A3V3", "fast", "interference", "retained", delay)
                self.assertIn(f"{expected:.2f} %", text)
        self.assertIn("78.90 %", text)  # the paper's, at 1,536
        self.page.mouse.move(1, 1)
        self.assertTrue(self.chart("A3V3").locator(".tip").is_hidden())

    def test_arrow_keys_read_a_chart_and_escape_leaves_it(self):
        chart = self.chart("A4V5")
        chart.focus()
        self.page.keyboard.press("End")
        self.page.keyboard.press("ArrowLeft")
        expected = mean_accuracy(self.runs, "gdn", "A4V5", "fast", "interference", "retained", 768)
        self.assertIn(f"{expected:.2f} %", chart.locator(".tip").inner_text())
        self.assertIn(f"{expected:.2f} percent", chart.locator('[role="status"]').inner_text())
        self.page.keyboard.press("Escape")
        self.assertTrue(chart.locator(".tip").is_hidden())

    def test_curves_switch_columns_models_seeds_recipes_episodes_and_axes(self):
        self.choose("column", "default")
        expected = mean_accuracy(self.runs, "gdn", "A3V3", "fast", "overwrite", "default", 1536)
        self.assertIn(f"{expected:.2f} %", self.point_at(self.chart("A3V3"), 1536))
        self.page.uncheck('[data-control="models"] input[value="mamba3"]', force=True)
        self.assertNotIn("Mamba-3", self.point_at(self.chart("A3V3"), 1536))
        self.choose("recipes", "steady")
        text = self.point_at(self.chart("A3V3"), 384)
        expected = mean_accuracy(self.runs, "gdn", "A3V3", "steady", "overwrite", "default", 384)
        self.assertIn("steady", text)
        self.assertIn(f"{expected:.2f} %", text)
        self.choose("seeds", "43")
        self.assertIn("seed 43", self.point_at(self.chart("A3V3"), 384))
        self.choose("seeds", "mean")
        self.choose("episodes", sample_runs.UNSEEN_SEED)
        self.assertIn(str(sample_runs.UNSEEN_SEED), self.point_at(self.chart("A3V3"), 96))
        self.choose("axis", "linear")
        self.assertIn("delay", self.point_at(self.chart("A3V3"), 384))

    def test_long_streams_reach_a_million(self):
        self.choose("kind", "curve")
        self.page.locator("#curves summary").click()
        self.assertIn("1,000,000", self.page.locator("#curves .numbers thead").inner_text())
        expected = mean_accuracy(self.runs, "schemamem", "A3V3", "fast", "interference", "retained", 1000000, kind="curve")
        self.assertIn(f"{expected:.2f}", self.page.locator("#curves .numbers tbody").inner_text())

    def test_tabs_follow_the_arrow_keys(self):
        self.page.locator('#curves [role="tab"]').first.focus()
        self.page.keyboard.press("ArrowRight")
        self.assertEqual(self.page.locator("#curves canvas").count(), 4)
        self.page.locator('#tables [role="tab"]').first.focus()
        self.page.keyboard.press("End")
        self.assertTrue(self.page.locator("#table-half_life").is_visible())
        self.page.keyboard.press("ArrowRight")
        self.assertTrue(self.page.locator("#table-resources").is_visible())

    def test_tables_show_ours_theirs_or_both(self):
        self.page.locator('#tables [data-tab="long_delay"]').click()
        table = self.page.locator("#tables #table-long_delay")
        ours = mean_accuracy(self.runs, "schemamem", "A3V3", "fast", "retention", "retained", 1536)
        both = table.inner_text()
        self.assertIn(f"{ours:.1f}", both)
        self.assertIn("81.4", both)
        self.assertIn("not measured", both)
        self.choose("numbers", "ours")
        self.assertEqual(table.locator(".theirs").count(), 0)
        self.choose("numbers", "theirs")
        self.assertEqual(table.locator(".ours").count(), 0)
        self.assertIn("81.4", table.inner_text())

    def test_a_run_at_its_step_limit_is_marked(self):
        self.page.locator('#tables [data-tab="long_delay"]').click()
        self.assertGreater(self.page.locator("#tables sup").count(), 0)
        self.page.fill("#runs input", "step-limit")
        self.assertEqual(self.page.locator(".run").count(), 1)

    def test_manifests_open_and_stay_text(self):
        self.page.fill("#runs input", "schemamem-A3V3-fast-s42")
        self.page.locator(".run > summary").click()
        self.assertIn(sample_runs.HOSTILE, self.page.locator(".run").inner_text())
        self.assertNotEqual(self.page.title(), "owned")
        self.assertEqual(self.page.locator("#page script, #page img").count(), 0)

    def test_the_theme_switch_overrides_the_system(self):
        background = "getComputedStyle(document.body).backgroundColor"
        light = self.page.evaluate(background)
        self.choose("colours", "dark")
        dark = self.page.evaluate(background)
        self.assertNotEqual(light, dark)
        self.page.emulate_media(color_scheme="dark")
        self.choose("colours", "auto")
        self.assertEqual(self.page.evaluate(background), dark)

    def test_every_control_can_be_reached_and_shows_its_focus(self):
        reached, unmarked = set(), []
        for _ in range(50):
            self.page.keyboard.press("Tab")
            tag, marked = self.page.evaluate("""() => {
                const element = document.activeElement;
                const shown = element.type === "radio" || element.type === "checkbox" ? element.nextElementSibling : element;
                return [element.tagName, getComputedStyle(shown).outlineStyle !== "none"];
            }""")
            reached.add(tag)
            if not marked:
                unmarked.append(tag)
        self.assertLessEqual({"A", "INPUT", "SUMMARY"}, reached)
        self.assertEqual(unmarked, [])

    def test_it_prints_without_controls(self):
        self.page.emulate_media(media="print")
        self.assertFalse(self.page.locator("nav.sections").is_visible())
        self.assertFalse(self.page.locator("#curves .controls").first.is_visible())
        self.page.pdf(path=SCREENSHOTS / "report.pdf", format="A4")

    def test_it_fits_wide_and_narrow_windows_in_light_and_dark(self):
        for width in (1920, 1280, 400):
            for scheme in ("light", "dark"):
                with self.subTest(width=width, scheme=scheme):
                    self.reopen(width=width, scheme=scheme)
                    self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), width)
                    self.page.screenshot(path=SCREENSHOTS / f"report-{width}-{scheme}.png", full_page=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
