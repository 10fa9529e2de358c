"""The explorer: the real models answer in the page, and every control does its work."""

import re
import subprocess
import sys
import unittest

from explorer_page import MODEL, PROGRAM, ROOT, OpenedPage, believed, talk


class ExplorerPage(OpenedPage):
    def test_the_page_answers_what_the_program_answers(self):
        words = ["write 5 3", "write 1 6", "wait 1000", "ask 5", "write 2 7", "ask all"]
        self.open()
        self.run_script("; ".join(words))
        said = talk(words)
        self.assertEqual(self.values(), believed(said))
        self.assertIn(re.search(r"5 -> (\d+)", said).group(0).replace("->", "→"), self.page.locator(".log").inner_text())
        self.assertIn("row 1,004", self.facts())

    def test_a_state_file_crosses_both_ways_and_goes_on_with_the_same_bits(self):
        ours, theirs = self.place / "program.state", self.place / "again.state"
        talk(["write 5 3", "write 1 6", "wait 500", f"save {ours}"])
        self.open()
        self.load(ours)
        self.assertIn("502 rows", self.notice())
        self.assertEqual(self.values()[5], 3)
        self.run_script("wait 300; write 6 1; ask 6")
        saved = self.take("state")
        talk(["wait 300", "write 6 1", "ask 6", f"save {theirs}"], MODEL, "--state", str(ours))
        self.assertEqual(saved.read_bytes(), theirs.read_bytes())
        self.assertEqual(self.values(), believed(talk(["ask all"], MODEL, "--state", str(saved))))

    # ---- every control

    def test_addresses_are_chosen_asked_and_written_by_clicks(self):
        page = self.open()
        page.locator('.cell[data-address="5"]').click()
        page.get_by_role("button", name="Write 3 to address 5").click()
        self.settle()
        self.assertEqual(self.values()[5], 3)
        self.assertIn("written, and right", page.locator('.cell[data-address="5"]').get_attribute("aria-label"))
        page.get_by_role("button", name="Ask 5").click()
        self.settle()
        self.assertIn("row 2", self.facts())
        self.assertIn("asking address 5", page.locator("#token option:checked").inner_text())

    def test_the_scenarios_run(self):
        page = self.open()
        page.select_option("#delay", "96")
        names = page.locator("[data-scenario]").all_inner_texts()
        self.assertEqual(names, ["immediate", "retention", "interference", "overwrite"])
        for name in names:
            page.locator(f'[data-scenario="{name}"]').click()
            self.settle()
            self.assertEqual(page.locator(".cell.written").count(), 4)

    def test_time_goes_on_back_and_parts(self):
        page = self.open()
        self.run_script("write 5 3")
        for rows in (1, 96, 1536):
            page.locator(f'[data-wait="{rows}"]').click()
            self.settle()
        self.assertIn("row 1,634", self.facts())
        first = page.locator("#inside .held").all_inner_texts()
        page.locator('[data-go="back"]').click()
        self.settle()
        self.assertNotIn("row 1,634", self.facts())
        page.locator('[data-go="forth"]').click()
        self.settle()
        self.assertEqual(page.locator("#inside .held").all_inner_texts(), first)
        page.locator('input[aria-label="Time line"]').focus()
        page.keyboard.press("ArrowLeft")
        self.settle()
        page.locator('[data-go="fork"]').click()
        self.settle()
        self.assertEqual(page.locator("[data-past]").all_inner_texts(), ["main", "past-2"])
        self.run_script("write 2 7")
        self.assertEqual(self.values()[2], 7)
        self.assertIn("main", page.locator("#beside .result").inner_text())
        page.locator('[data-past="main"]').click()
        self.settle()
        self.assertEqual(self.values()[2], 2)
        page.select_option("#compare", "past-2")
        self.settle()
        self.assertEqual(page.locator('.cell[data-address="2"] .beside').inner_text(), "beside: 7")
        page.locator('[data-control="inside-view"] input[value="difference"]').check(force=True)
        page.locator('[data-go="reset"]').click()
        self.settle()
        self.assertIn("row 0", self.facts())

    def test_playing_can_be_paused_and_draws_frame_by_frame(self):
        page = self.open()
        self.run_script("write 5 3")
        page.select_option('select[aria-label="Speed of playing"]', "Infinity")
        page.locator(".play").click()
        page.wait_for_timeout(400)
        frames = page.evaluate("""() => new Promise((done) => {
            let frames = 0;
            const begin = performance.now();
            const tick = (now) => (++frames, now - begin < 1500 ? requestAnimationFrame(tick) : done(1000 * frames / (now - begin)));
            requestAnimationFrame(tick);
        })""")
        page.locator(".play").click()
        self.settle()
        rows = int(re.search(r"row ([\d,]+)", self.facts()).group(1).replace(",", ""))
        print(f"playing: {frames:.0f} frames a second, {rows} rows in about two seconds", file=sys.stderr)
        self.assertGreater(rows, 1000)
        self.assertGreater(frames, 30)  # 60 on a machine that does nothing else
        self.assertEqual(page.locator(".play").get_attribute("aria-label"), "Play")

    def test_the_picture_is_read_by_pointer_and_keys(self):
        page = self.open()
        self.run_script("write 5 3; ask 5")
        for view in ("bank", "increment", "pending", "state"):
            page.locator(f'[data-control="inside-view"] input[value="{view}"]').check(force=True)
        page.check("#zoom")
        page.uncheck("#zoom")
        for token in ("ask", "write", "last"):
            page.select_option("#token", token)
            self.settle()
        canvas = page.locator("#inside canvas[data-layer='2']")
        canvas.hover(position={"x": 100, "y": 60})
        text = page.locator(".inside-tip").inner_text()
        for said in ("layer 3, slot", "layers.2.phase", "layers.2.schema", "P_r"):
            self.assertIn(said, text)
        for said in ("S ← (S + ΔS) mod 2π", "equation 3", "commit_phases"):
            self.assertIn(said, page.locator(".inside-tip .equation").inner_text())
        page.keyboard.press("i")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        self.assertIn("layer 1, slot 0, phase 1", page.locator(".readout").inner_text())
        self.assertIn("address 5", page.locator(".tiles").all_inner_texts()[1] + page.locator(".tiles").all_inner_texts()[2])

    def test_the_number_pointed_at_is_told_again_when_it_changes(self):
        page = self.open()
        page.keyboard.press("i")
        page.keyboard.press("ArrowRight")
        empty = page.locator(".readout").inner_text()
        page.keyboard.press("3")
        self.settle()
        self.assertNotEqual(page.locator(".readout").inner_text(), empty)

    def test_writes_that_wait_are_told_of(self):
        page = self.open()
        self.run_script("write 5 3; write 1 6")
        self.assertIn("2 writes wait for the commit", page.locator(".waiting").inner_text())
        self.assertIn("no slot is turned", page.locator("#inside .held").first.inner_text())
        page.locator('[data-control="inside-view"] input[value="pending"]').check(force=True)
        self.assertIn("waiting to turn, by up to", " ".join(page.locator("#inside .held").all_inner_texts()))
        self.run_script("ask 5")
        self.assertTrue(page.locator(".waiting").is_hidden())

    def test_what_was_ended_can_be_brought_back(self):
        page = self.open()
        self.run_script("write 5 3; wait 96; fork; write 1 6")
        before = self.values()
        for end in ('[data-go="reset"]', '[data-scenario="immediate"]'):
            page.locator(end).click()
            self.settle()
            self.assertNotEqual(self.values(), before)
            page.get_by_role("button", name="Bring it back").click()
            self.settle()
            self.assertEqual(self.values(), before)
            self.assertEqual(page.locator("[data-past]").count(), 2)

    def test_a_past_that_is_behind_can_be_brought_level(self):
        page = self.open()
        self.run_script("write 5 3; wait 10; fork; switch past-2; write 1 6; wait 90")
        self.assertIn("row 102", self.facts())
        page.get_by_role("button", name="Let main wait until row 102 too").click()
        self.settle()
        self.assertIn("row 102", self.facts())
        page.locator('[data-past="main"]').click()
        self.settle()
        self.assertIn("row 102", self.facts())

    def test_a_state_file_finds_its_model(self):
        other = self.place / "other.state"
        talk(["write 5 3", "wait 500", f"save {other}"], "a3v3-gdn-steady-s42")
        page = self.open()
        self.load(other)
        self.assertIn("501 rows", self.notice())
        self.assertIn("Gated DeltaNet", page.locator(".looked-at").inner_text())
        self.assertEqual(self.values()[5], 3)
        self.assertEqual(page.locator('[data-touch="freeze"]').inner_text(), "Freeze the state")

    def test_the_memory_can_be_changed_beside_the_untouched_one(self):
        page = self.open()
        self.run_script("write 5 3; write 1 6; wait 200")
        result = page.locator("#beside .result")
        page.locator('[data-touch="zero-1"]').click()
        self.settle()
        self.assertIn("6 of 8 right", result.inner_text())
        self.assertEqual(self.values()[5], 3)
        page.locator('[data-touch="mend"]').click()
        self.settle()
        self.assertIn("Nothing beside it yet", result.inner_text())
        for touch in ("zero0", "zero1", "zero2", "freeze", "drop", "noise", "floor"):
            page.locator(f'[data-touch="{touch}"]').click()
            self.settle()
        self.assertIn("drop 1; noise 0.02; floor 0.001", result.inner_text())
        page.locator('[data-touch="freeze"]').click()
        self.settle()
        page.fill("#noise", "-7")
        page.locator('[data-touch="noise"]').click()
        self.assertIn("from 0 to 4", self.notice())
        self.run_script("mend; drop 1")
        self.assertIn("7 of 8 right", result.inner_text())

    def test_a_floor_ends_the_drift(self):
        self.open()
        self.run_script("write 5 3; ask 5; floor 0.001; wait 3000")
        drift = self.take("curves").read_text().splitlines()
        head = drift[0].split(",")
        last = {}
        for row in (line.split(",") for line in drift[1:] if '"' not in line.split(",")[0]):
            last["untouched"] = row
        for row in drift[1:]:
            if row.startswith('"SchemaMem, changed"'):
                last["changed"] = row.replace('"SchemaMem, changed"', "changed").split(",")
        place = head.index("drift_layer_1")
        self.assertGreater(max(float(x) for x in last["untouched"][place:place + 3]), 0)
        self.assertLess(max(float(x) for x in last["changed"][place:place + 3]), 1e-12)  # what rounding leaves

    def test_three_models_live_through_the_same_rows(self):
        page = self.open()
        self.run_script("write 5 3; write 1 6; wait 96")
        for card in (1, 2):
            page.locator(f'.card[data-model="{card}"] input').check()
            self.settle()
        self.assertEqual(page.locator(".card .count").all_inner_texts(), ["8 of 8 right"] * 3)
        for card in (1, 2, 0):
            page.locator(f'[data-look="{card}"]').click()
            self.settle()
            self.assertEqual(page.locator("#inside .layer").count(), 3)
        page.locator('.card[data-model="1"] input').uncheck()
        self.settle()
        self.assertEqual(page.locator(".card .count").count(), 2)

    def test_everything_can_be_saved(self):
        page = self.open()
        self.run_script("write 5 3; wait 96")
        self.assertEqual(self.take("png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        rows = self.take("answers").read_text().splitlines()
        self.assertTrue(rows[6].startswith("5,3,3,1,"), rows[6])
        self.assertGreater(len(self.take("curves").read_text().splitlines()), 10)
        page.locator("#copy-link").click()
        page.wait_for_selector(".notice")
        link = page.evaluate("location.hash")
        held = page.locator("#inside .held").all_inner_texts()
        self.open(hash=link)
        self.settle()
        self.assertEqual(self.page.locator("#inside .held").all_inner_texts(), held)
        self.assertIn("row 97", self.facts())

    def test_a_model_that_pulls_is_told_as_one(self):
        file = self.place / "pulls.html"
        subprocess.run([PROGRAM, "explore", "a5v5-schemamem-endless-s42", "a5v5-gdn-steady-s42", "-o", file], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        page = self.open(file=file)
        self.run_script("; ".join(f"write {i % 32} {7 * i % 32}" for i in range(64)) + "; ask 5")
        self.assertIn("32 of 32", page.locator(".score").inner_text())
        page.locator("#inside canvas[data-layer='2']").hover(position={"x": 100, "y": 60})
        self.assertIn("S ← S + P_w (π tanh F − S)", page.locator(".inside-tip").inner_text())
        about = page.locator("#forgets details")
        self.assertIn("takes away what the slot held", about.text_content())
        page.locator('.card[data-model="1"] input').check()
        self.settle()
        page.locator('[data-look="1"]').click()
        self.settle()
        self.assertIn("A gate below one", about.text_content())
        self.assertIn("the delta rule", page.locator("#inside details").text_content())

    def test_the_first_flip_is_found_to_the_row(self):
        pairs = ((1, 7), (4, 0), (0, 2), (7, 5), (5, 0), (4, 7), (3, 6), (1, 3), (4, 1))  # as many as make a memory frail
        words = [word for address, value in pairs for word in (f"write {address} {value}", "wait 4")]
        page = self.open()
        self.run_script("; ".join([*words, "wait 40000"]))
        self.assertIn("flipped first", page.locator("#forgets .lead").inner_text())
        page.locator("#forgets .chart").first.press("End")
        self.assertIn("40,004 rows: SchemaMem 87.5 %", page.locator("#forgets .chart [role=status]").first.inner_text())
        page.get_by_role("button", name="Go to the first flip").click()
        self.settle()
        row = int(re.search(r"row ([\d,]+)", self.facts()).group(1).replace(",", ""))
        self.assertIn("7 of 8 right", page.locator(".score").inner_text())
        waited = row - 5 * len(pairs)
        for rows, said in ((waited - 1, "8 of 8 right"), (waited, "7 of 8 right")):
            self.assertIn(said, talk([*words, f"wait {rows}", "ask all"]))

if __name__ == "__main__":
    unittest.main(verbosity=2)
