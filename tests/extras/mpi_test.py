"""One run on several processes, as its user sees it: who speaks, what a dying rank, an error and a signal do, and which exit codes follow.

The program with MPI stands beside the tests of SCHEMAMEM_PROGRAM; the bits are compared by tests/campaigns/ranks.cpp."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SKIPPED = 77
PROGRAM = pathlib.Path(os.environ["SCHEMAMEM_PROGRAM"]).resolve()
WITH_MPI = PROGRAM.parent / "tests" / "extras" / "schemamem_mpi"
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
# Runs that go on until they are stopped.
MODEL = ["--model", "schemamem", "--setting", "A2V2"]
LONG = ["train", *MODEL, "--set", "batch.episodes=16", "--set", "transactions.history_thresholds=[100,100,100]",
        "--set", "transactions.limit=100000", "--set", "validation.every=10", "--set", "validation.episodes=4",
        "--set", "validation.passes=100", "--threads", "1"]


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="schemamem-mpi-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def start(self, ranks, arguments):
        job = subprocess.Popen([*MPIRUN, "-np", str(ranks), str(WITH_MPI), *arguments], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(job.communicate)
        self.addCleanup(job.kill)
        return job

    def end(self, job, longest=60):
        """Exit code, standard output and error."""
        out, err = job.communicate(timeout=longest)
        return job.returncode, out, err

    def start_training(self, ranks):
        """A run that has its first checkpoint, in a folder of its own."""
        self.run_folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "run"
        job = self.start(ranks, [*LONG, "--out", str(self.run_folder)])
        until = time.monotonic() + 60
        while not list(self.run_folder.glob("checkpoints/*/complete.json")):
            self.assertLess(time.monotonic(), until, "no checkpoint within a minute")
            self.assertIsNone(job.poll(), "the job has ended")
            time.sleep(0.02)
        return job

    @staticmethod
    def ranks_of(job):
        children = pathlib.Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
        found = {}
        for child in children:
            for variable in pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
                if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(variable.split(b"=")[1])] = int(child)
        return found

    def events(self):
        return [json.loads(line) for line in (self.run_folder / "events.jsonl").read_text().splitlines()]

    def test_a_mistake_is_told_once(self):
        for arguments, code, message in [
                (["train", "--sed", "1"], 64, "Unknown option"),
                (["train", *MODEL, "--recipe", "nosuch"], 64, "Unknown recipe"),
                (["train", *MODEL, "--set", "batch.shards=5000"], 64, "batch.shards must be"),
                (["resume", str(self.folder / "nowhere")], 66, "is not a run"),
                (["train", *MODEL, "--out", "/proc/nowhere"], 73, "/proc/nowhere")]:
            with self.subTest(arguments):
                found, _, err = self.end(self.start(3, arguments))
                self.assertEqual(found, code, err)
                self.assertEqual(err.count(message), 1, err)

    def test_other_commands_are_rank_0s(self):
        code, out, err = self.end(self.start(2, ["inspect", *MODEL, "--color", "never"]))
        self.assertEqual(code, 0, err)
        self.assertEqual(out, subprocess.run([str(PROGRAM), "inspect", *MODEL], capture_output=True, text=True).stdout)

    def test_without_a_launcher_it_is_the_program_without_mpi(self):
        version = subprocess.run([str(WITH_MPI), "--version"], capture_output=True, text=True)
        self.assertIn("mpi ", version.stdout)
        self.assertNotIn("mpi ", subprocess.run([str(PROGRAM), "--version"], capture_output=True, text=True).stdout)
        libraries = subprocess.run(["ldd", str(PROGRAM)], capture_output=True, text=True).stdout
        self.assertNotIn("mpi", libraries)

    def test_an_error_of_rank_0_while_it_trains_ends_all_ranks_with_one_message(self):
        job = self.start_training(3)
        self.run_folder.rename(self.folder / "moved")  # nothing is written to a folder that is another
        code, _, err = self.end(job)
        self.assertEqual(code, 74, err)
        self.assertEqual(err.count("error:"), 1, err)

    def test_a_signal_saves_the_run_and_ends_with_75(self):
        job = self.start_training(3)
        job.send_signal(signal.SIGUSR1)
        code, _, err = self.end(job)
        self.assertEqual(code, 75, err)
        self.assertEqual(err.count("stopped on request"), 1, err)
        stopped = self.events()[-1]
        self.assertEqual(stopped["event"], "stopped")
        self.assertTrue(list(self.run_folder.glob(f"checkpoints/step-{stopped['step']:09}/complete.json")))

    def test_a_signal_to_any_rank_stops_all_of_them(self):
        job = self.start_training(3)
        os.kill(self.ranks_of(job)[2], signal.SIGTERM)
        code, _, err = self.end(job)
        self.assertEqual(code, 75, err)
        self.assertEqual(self.events()[-1]["event"], "stopped")

    def test_a_rank_that_dies_ends_the_job_within_10_seconds(self):
        for rank in range(3):
            with self.subTest(rank=rank):
                job = self.start_training(3)
                killed = time.monotonic()
                os.kill(self.ranks_of(job)[rank], signal.SIGKILL)
                code, _, err = self.end(job)
                self.assertLess(time.monotonic() - killed, 10)
                self.assertEqual(code, 128 + signal.SIGKILL, err)
                self.assertIn(f"rank {rank} ", err)
                if rank != 0:
                    self.assertIn(f"schemamem resume {self.run_folder}", err)


if __name__ == "__main__":
    if shutil.which("mpirun") is None or not WITH_MPI.exists():
        print("mpi: no mpirun, or nothing was built with MPI; `make test-extras` installs it", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main()
