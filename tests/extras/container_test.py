"""The container recipes: linted, and their steps run on a bare Debian, where an ordinary user then trains and sweeps.

The package comes from the build tree; with SCHEMAMEM_CONTAINER=whole (`make container-test`) the recipes build it themselves."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import container_steps

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(os.environ["SCHEMAMEM_PROGRAM"]).resolve()
WHOLE = os.environ.get("SCHEMAMEM_CONTAINER") == "whole"
SHORT = ["--set", "transactions.limit=250"]  # a second of training, which ends at its step limit
TINY = ["--model", "gdn", "--setting", "A2V2", "--recipe", "fast", *SHORT]


def weights(folder):
    """The weights of every run below a folder, by their hashes."""
    return sorted(hashlib.sha256((file.parent / "model.safetensors").read_bytes()).hexdigest() for file in folder.glob("**/result.json"))


class Containers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.work = pathlib.Path(cls.folder.name)
        cls.given = {}
        if not WHOLE:
            subprocess.run(["cpack", "-G", "DEB", "-B", str(cls.work / "package")], cwd=PROGRAM.parent, check=True, stdout=subprocess.DEVNULL)
            shutil.rmtree(cls.work / "package" / "_CPack_Packages")
            cls.given = {"build": {"/package": cls.work / "package"}}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_linters_have_nothing_to_say(self):
        tools = pathlib.Path(sys.executable).parent
        subprocess.run([tools / "hadolint", ROOT / "container/Dockerfile"], check=True)
        subprocess.run([tools / "shellcheck", *(ROOT / "container").glob("*.sh")], check=True)

    def test_the_image_trains_and_sweeps_as_an_ordinary_user(self):
        image = container_steps.Builder(self.work / "docker", ROOT, self.given).dockerfile((ROOT / "container/Dockerfile").read_text())
        self.assertEqual(image.user, "1000:1000")
        self.assertIn("Usage", image.start(capture_output=True, text=True).stdout)
        train = ["train", *TINY, "--seed", "42", "--out"]
        code = self.quietly(image.start, *train, "one")
        self.quietly(image.start, "sweep", "plan", "--models", "gdn", "--settings", "A2V2", "--seeds", "42,43", *SHORT, "--no-estimate", "--out", "grid")
        self.quietly(image.start, "sweep", "run", "grid")
        inside = image.root.folder / "work"
        self.assertEqual({file.stat().st_uid for file in inside.glob("**/*")}, {1000})
        here = self.quietly(lambda *command, **more: subprocess.run([PROGRAM, *command], **more), *train, self.work / "here")
        self.assertEqual(code, here)
        self.assertEqual(weights(inside / "one"), weights(self.work / "here"))
        grid = weights(inside / "grid")
        self.assertEqual(len(grid), 2)
        self.assertIn(*weights(inside / "one"), grid)

    def quietly(self, start, *command):
        return start(*command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def test_the_definition_has_the_same_steps(self):
        docker, definition = ((ROOT / "container" / name).read_text() for name in ("Dockerfile", "schemamem.def"))
        posts = [" && ".join(filter(None, map(str.strip, post.splitlines()))) for post in re.findall(r"^%post\n((?:    .*\n)+)", definition, re.M)]
        self.assertEqual(posts, [run.removesuffix(" ${OPTIONS}") for run in re.findall(r"^RUN (.*)", docker, re.M)])
        self.assertEqual(re.findall(r"^From: (.*)", definition, re.M), re.findall(r"^FROM (\S+)", docker, re.M))

    @unittest.skipUnless(WHOLE, "make container-test")
    def test_the_definition_gives_the_same_program(self):
        image = container_steps.Builder(self.work / "apptainer", ROOT, self.given).definition((ROOT / "container/schemamem.def").read_text())
        image.user = "1000:1000"  # Apptainer runs as whoever starts it
        said = image.start("version", capture_output=True, text=True).stdout
        ours = subprocess.run([PROGRAM, "version"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(said.splitlines()[0], ours.splitlines()[0])


if __name__ == "__main__":
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        print("a bare Debian takes root and debootstrap; `make test-extras` installs it", file=sys.stderr)
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
