"""The module of the explorer in headless Chromium against the program: the same bits, states that cross both ways, and a
sentence for whatever is damaged.

Finds the program in SCHEMAMEM_PROGRAM and engine_tool below it."""

import base64
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest

from explorer_engine import MODULE, Browser, EngineError, chromium, models

PROGRAM = pathlib.Path(os.environ["SCHEMAMEM_PROGRAM"]).resolve()
TOOL = PROGRAM.parent / "tests/extras/engine_tool"
TOKENS = 20_000


def rows_of(setting_bits, count, seed):
    """Writes and questions in runs of random lengths, as rows of bits: address, value, validity."""
    draw = random.Random(seed)
    rows, left, writes = [], 0, False
    for _ in range(count):
        if left == 0:
            left, writes = draw.choice([1, 2, 5, 40, 150]), not writes
        left -= 1
        value = [draw.randrange(2) for _ in range(setting_bits)] if writes else [0] * setting_bits
        rows += [draw.randrange(2) for _ in range(setting_bits)] + value + [int(writes)]
    return struct.pack(f"<{len(rows)}f", *rows)


class ExplorerEngine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = chromium()
        cls.chromium = cls.stack.__enter__()
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.models = models()
        cls.browser = Browser(cls.chromium, cls.folder)
        cls.loaded = {name: cls.browser.load(file) for name, file in cls.models.items()}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()
        cls.stack.__exit__(None, None, None)

    def tearDown(self):
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(self.browser.foreign_requests(), [])

    def talk(self, name, lines, state=None):
        more = ["--state", state] if state else []
        done = subprocess.run([PROGRAM, "talk", self.models[name], "--isa", "baseline", *more], input="\n".join(lines) + "\n",
                              text=True, capture_output=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fails(self, work, given=None):
        with self.assertRaises(EngineError) as caught:
            self.browser.call(work, given)
        return str(caught.exception)

    def test_logits_are_those_of_the_native_baseline_bit_for_bit(self):
        rows = rows_of(3, TOKENS, seed=1)
        (self.folder / "rows.f32").write_bytes(rows)
        for name, file in self.models.items():
            subprocess.run([TOOL, "logits", file, self.folder / "rows.f32", self.folder / "logits.f32"], check=True)
            native = (self.folder / "logits.f32").read_bytes()
            here = base64.b64decode(self.browser.call(
                "const out = await engine.push(given.model, floats_of(given.rows)); return text_of(new Uint8Array(out.buffer))",
                {"model": self.loaded[name]["model"], "rows": base64.b64encode(rows).decode()}))
            self.assertEqual(len(here), TOKENS * 3 * 4)
            self.assertTrue(here == native, f"{name}: the module and the program differ")

    def test_states_cross_both_ways_with_the_same_bytes(self):
        for name, about in self.loaded.items():
            first, second, third = (self.folder / f"{name}.{part}" for part in ("first", "second", "third"))
            # Browser, then program.
            state = self.browser.call("""
                const id = await engine.memory(given);
                await engine.write(id, 5, 3); await engine.wait(id, 1234); await engine.ask(id, 5);
                globalThis.kept = id; return text_of(await engine.state(id))""", about["model"])
            first.write_bytes(base64.b64decode(state))
            self.talk(name, ["write 5 3", "wait 1234", "ask 5", f"save {second}"])
            self.assertEqual(first.read_bytes(), second.read_bytes(), f"{name}: the same past, the same bytes")
            # Each goes on from the other's.
            self.talk(name, ["wait 500", "write 2 6", "ask 2", f"save {third}"], state=first)
            later = self.browser.call("""
                const id = await engine.restore(given.model, bytes_of(given.state));
                await engine.wait(id, 200); await engine.wait(id, 300); await engine.write(id, 2, 6); await engine.ask(id, 2);
                const bytes = text_of(await engine.state(id));
                await engine.free(id); await engine.free(globalThis.kept);
                return bytes""", {"model": about["model"], "state": base64.b64encode(second.read_bytes()).decode()})
            self.assertEqual(base64.b64decode(later), third.read_bytes(), f"{name}: the same future, however a wait is cut")

    def test_a_foreign_or_damaged_state_is_a_sentence_and_changes_nothing(self):
        names = list(self.loaded)
        state = self.browser.call("""
            const id = await engine.memory(given); await engine.write(id, 1, 2); await engine.wait(id, 200);
            const bytes = text_of(await engine.state(id)); await engine.free(id); return bytes""", self.loaded[names[0]]["model"])
        before = self.browser.call("return (await engine.statistics()).memories")
        other = {"model": self.loaded[names[1]]["model"], "state": state}
        restore = "return await engine.restore(given.model, bytes_of(given.state))"
        self.assertIn("the state", self.fails(restore, other))
        own = self.loaded[names[0]]["model"]
        whole, draw = base64.b64decode(state), random.Random(3)
        for size in (0, 7, 100, len(whole) - 1):
            self.fails(restore, {"model": own, "state": base64.b64encode(whole[:size]).decode()})
        for _ in range(60):
            damaged = bytearray(whole)
            for _ in range(3):
                damaged[draw.randrange(2000)] = draw.randrange(256)
            try:
                self.browser.call("await engine.free(await engine.restore(given.model, bytes_of(given.state)))",
                                  {"model": own, "state": base64.b64encode(damaged).decode()})
            except EngineError as error:
                self.assertNotIn("fault of its own", str(error))
        self.assertEqual(self.browser.call("return (await engine.statistics()).memories"), before)

    def test_a_damaged_model_is_a_sentence(self):
        another = Browser(self.chromium, self.folder)
        whole, draw = next(iter(self.models.values())).read_bytes(), random.Random(5)
        for i in range(60):
            damaged = bytearray(whole[:draw.randrange(len(whole))] if i % 3 == 0 else whole)
            for _ in range(3):
                damaged[draw.randrange(min(len(damaged), 3000))] = draw.randrange(256)
            try:
                another.call("await engine.unload((await engine.load(bytes_of(given))).model)", base64.b64encode(damaged).decode())
            except EngineError as error:
                self.assertNotIn("fault of its own", str(error))
        self.assertEqual(another.load(next(iter(self.models.values())))["title"], next(iter(self.loaded.values()))["title"])
        self.assertEqual(another.complaints, [])
        another.context.close()

    def test_a_damaged_module_is_a_sentence(self):
        import gzip
        page = Browser(self.chromium, self.folder)
        plain = gzip.decompress(MODULE)
        for damaged in (b"", b"\0asm", plain[:5000], b"\1" + plain[1:], b"\0asm\1\0\0\0"):
            with self.assertRaises(EngineError) as caught:
                page.open(gzip.compress(damaged))
            self.assertIn("damaged", str(caught.exception))
        self.assertEqual(page.complaints, [])
        page.context.close()

    def test_a_wait_reports_and_stops_at_once(self):
        done = self.browser.call("""
            const id = await engine.memory(given), stop = new AbortController(), told = [];
            const waiting = engine.wait(id, 100_000_000, { signal: stop.signal, onProgress: (done, per) => { told.push([done, per]); if (told.length === 3) stop.abort(); } });
            const done = await waiting, { tokens } = await engine.inside(id);
            await engine.free(id);
            return { done, tokens, told: told.length }""", next(iter(self.loaded.values()))["model"])
        self.assertEqual(done["done"], done["tokens"])
        self.assertLess(done["done"], 1_000_000)

    def test_a_wrong_call_is_a_sentence(self):
        model = next(iter(self.loaded.values()))["model"]
        self.assertIn("There is no memory", self.fails("await engine.ask(12345, 0)"))
        self.assertIn("There is no model", self.fails("await engine.memory('x')"))
        self.assertIn("numbered from 0 to 7", self.fails("await engine.write(await engine.memory(given), 8, 0)", model))
        self.assertIn("whole number", self.fails("await engine.wait(await engine.memory(given), -1)", model))
        self.assertIn("retention", self.fails("await engine.scenario(given, 'retentio', 0, 96)", model))
        self.assertIn("floor", self.fails("await engine.floor(await engine.memory(given), 2)", model))
        self.assertIn("no more are kept", self.fails("for (let i = 0; i < 100; ++i) await engine.memory(given)", model))
        self.browser.call("for (let i = 0; i < 200; ++i) await engine.free(i).catch(() => 0)")

    def test_memory_is_flat(self):
        rows = int(os.environ.get("SCHEMAMEM_EXPLORER_ROWS", "100000"))
        for name, about in self.loaded.items():
            sizes = self.browser.call("""
                const id = await engine.memory(given.model), sizes = [];
                for (let i = 0; i < 10; ++i) {
                  await engine.wait(id, given.rows / 10); await engine.inside(id); await engine.askAll(id);
                  const copy = await engine.restore(given.model, await engine.state(id)); await engine.free(copy);
                  sizes.push((await engine.statistics()).bytes);
                }
                await engine.free(id);
                return sizes""", {"model": about["model"], "rows": rows})
            self.assertEqual(len(set(sizes)), 1, f"{name}: {sizes}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
