"""The explorer under hostile input: a sentence on the page, never a blank one, and nothing of it is run."""

import json
import re
import unittest

from explorer_page import HOSTILE, OpenedPage, talk


class ExplorerHostile(OpenedPage):
    def test_a_script_with_mistakes_is_a_sentence_and_runs_nothing(self):
        page = self.open()
        for text, said in (("wirte 5 3", "Did you mean write?"), ("write 1 2; write 99 1", "Statement 2"), (HOSTILE, "no word"), ("ask " * 4000, "characters")):
            self.run_script(text)
            self.assertIn(said, self.notice())
        self.assertIn("row 0", self.facts())
        self.assertNotEqual(page.title(), "owned")
        self.assertEqual(page.locator("#page img").count(), 0)

    def test_a_hostile_hash_is_a_sentence(self):
        for hash, said in (("#script=" + "a" * 100_000, "too long"), ("#script=" + HOSTILE, "no"), ("#curves", "not one of this page"),
                           ("#models=9", "not in this page"), ("#seed=1&script=%E0%A4%A", "cannot be decoded")):
            page = self.open(hash=hash)
            self.assertIn(said, self.notice())
            self.assertNotEqual(page.title(), "owned")
            self.assertEqual(len(self.values()), 8)

    def test_a_foreign_state_file_is_a_sentence(self):
        self.open()
        foreign = self.place / "foreign.state"
        talk(["write 1 1", f"save {foreign}"], "a5v5-schemamem-steady-s42")
        damaged = self.place / "damaged.state"
        for content in (foreign.read_bytes(), b"", b"\xff" * 5000, HOSTILE.encode() * 10):
            damaged.write_bytes(content)
            self.load(damaged)
            self.assertGreater(len(self.notice()), 20)
            self.page.locator(".notice .close").first.click()
        self.run_script("write 5 3")
        self.assertEqual(self.values()[5], 3)

    def changed_page(self, name, change):
        path = self.place / name
        path.write_text(change(self.file.read_text(encoding="utf-8")), encoding="utf-8")
        return path

    def test_a_damaged_page_is_a_sentence(self):
        def module(text, change):
            return re.sub(r'(<script type="text/plain" id="module">)([^<]*)', lambda found: found[1] + change(found[2]), text)

        def payload(text, change):
            return re.sub(r'(<script type="application/json" id="payload">)(.*?)(</script>)', lambda found: found[1] + change(found[2]) + found[3], text, flags=re.DOTALL)

        def other_model(text):
            content = json.loads(text)
            content["models"][0]["bytes"] = "AAAA" * 500
            return json.dumps(content)

        for name, change in (("cut", lambda text: module(text, lambda one: one[:len(one) // 2])), ("noise", lambda text: module(text, lambda one: "!" * 99)),
                             ("none", lambda text: module(text, lambda one: "")), ("payload", lambda text: payload(text, lambda one: one[:500])),
                             ("model", lambda text: payload(text, other_model)), ("empty", lambda text: payload(text, lambda one: "{}"))):
            with self.subTest(name):
                page = self.open(file=self.changed_page(f"{name}.html", change), ready="failed")
                self.assertGreater(len(page.locator('[role="alert"]').inner_text()), 30)
                self.assertIn("look inside a memory", page.locator("h1").inner_text())

    def test_names_stay_text(self):
        def rename(text):
            content = re.search(r'id="payload">(.*?)</script>', text, re.DOTALL).group(1)
            payload = json.loads(content)
            payload["models"][0]["name"] = payload["command"] = HOSTILE
            return text.replace(content, json.dumps(payload).replace("<", "\\u003c"))

        page = self.open(file=self.changed_page("named.html", rename))
        self.assertIn(HOSTILE, page.locator(".looked-at").inner_text())
        self.assertNotEqual(page.title(), "owned")
        self.assertEqual(page.locator("#page img").count(), 0)

    # ---- looks


if __name__ == "__main__":
    unittest.main(verbosity=2)
