"""The explorer played for long: three models at full speed, written to, scrubbed, parted and begun again, in one window.

SCHEMAMEM_EXPLORER_SECONDS of play in six turns (`make explorer-soak`: an hour); memory is that after a turn's garbage is gone."""

import os
import pathlib
import re
import sys
import unittest

from explorer_page import OpenedPage

SECONDS = float(os.environ.get("SCHEMAMEM_EXPLORER_SECONDS", "12"))
TURNS = 6


class ExplorerPlay(OpenedPage):
    def memory(self):
        """Megabytes: of the page's objects, and of the process that runs the page and its worker."""
        self.devtools.send("HeapProfiler.collectGarbage")
        heap = self.devtools.send("Runtime.getHeapUsage")["usedSize"]
        processes = self.browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
        shares = []
        for process in processes:
            if process["type"] == "renderer":
                text = pathlib.Path(f"/proc/{process['id']}/smaps_rollup").read_text()
                shares.append(int(re.search(r"^Pss:\s+(\d+) kB", text, re.M).group(1)))
        return heap / 1e6, max(shares) / 1e3

    def play(self, seconds):
        self.page.locator(".play").click()
        self.page.wait_for_timeout(1000 * seconds)
        self.page.locator(".play").click()
        self.settle()

    def test_memory_does_not_grow_while_it_is_played(self):
        page = self.open()
        self.devtools = self.context.new_cdp_session(page)
        for card in (1, 2):
            page.locator(f'.card[data-model="{card}"] input').check()
            self.settle()
        page.select_option('select[aria-label="Speed of playing"]', "Infinity")
        used, rows = [], 0
        for turn in range(TURNS):
            page.locator('[data-go="reset"]').click()
            self.settle()
            self.run_script(f"write 5 {turn}; write 2 7; ask all")
            self.play(SECONDS / TURNS / 2)
            page.locator('[data-go="back"]').click()
            self.settle()
            page.locator('[data-go="fork"]').click()
            self.settle()
            self.run_script("write 1 6; zero 2; noise 0.1")
            self.play(SECONDS / TURNS / 2)
            rows += int(re.search(r"row ([\d,]+)", self.facts()).group(1).replace(",", ""))
            used.append(self.memory())
            print(f"turn {turn + 1}: {rows:,} rows, objects {used[-1][0]:.1f} MB, process {used[-1][1]:.0f} MB", file=sys.stderr, flush=True)
        # The first turns fill what is kept; a leak adds to every turn.
        for kind, room in ((0, 2), (1, 25)):
            self.assertLess(used[-1][kind], max(turn[kind] for turn in used[:TURNS // 2]) + room, used)


if __name__ == "__main__":
    unittest.main(verbosity=2)
