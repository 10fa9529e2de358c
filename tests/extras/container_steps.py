"""Runs a Dockerfile's or an Apptainer definition's steps in folders that hold a bare Debian, where no container engine is to be had.

Needs root, debootstrap and a mirror of Debian. Understands what these two files use, and refuses the rest:
  Dockerfile: FROM ARG COPY RUN USER WORKDIR ENTRYPOINT CMD;   definition: Bootstrap From Stage %files %post %runscript"""

import pathlib
import re
import shlex
import shutil
import subprocess

MIRROR = "http://deb.debian.org/debian"


class Root:
    """A file system of its own. Commands run in it with its own mounts, which end with them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, command, user=None, where="/", environment=(), check=True, **more):
        inside = f"mount -t proc proc {self.folder}/proc; mount --bind /dev {self.folder}/dev; cp /etc/resolv.conf {self.folder}/etc/; exec chroot"
        as_user = ["--userspec", user] if user else []
        settings = [f"{name}={value}" for name, value in {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/tmp", **dict(environment)}.items()]
        return subprocess.run(["unshare", "--mount", "sh", "-ec", f'{inside} "$@"', "sh", *as_user, str(self.folder), "env", "-i", *settings,
                               "sh", "-c", f'cd {shlex.quote(where)} && exec "$@"', "sh", *command], check=check, **more)

    def copy_in(self, source, target):
        """As COPY does: the contents of a folder, or a file."""
        place = self.folder / target.lstrip("/")
        if source.is_dir():
            shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)


class Image:
    """A root that was built, and how its program is started."""

    def __init__(self, root):
        self.root, self.user, self.where, self.entry, self.arguments, self.environment = root, None, "/", [], [], {}

    def start(self, *arguments, **more):
        return self.root.run([*self.entry, *(arguments or self.arguments)], user=self.user, where=self.where, **more)


class Builder:
    """`context`: the folder that is copied from. `given`: folders of stages that are there already, stage -> path inside -> folder."""

    def __init__(self, work, context, given):
        self.work, self.context, self.given, self.stages = pathlib.Path(work), pathlib.Path(context), given, {}
        self.bare = self.work.parent / "bare"
        self.work.mkdir()

    def fresh(self, name, image):
        release = {"debian:12-slim": "bookworm"}[image]
        if not self.bare.exists():
            subprocess.run(["debootstrap", "--variant=minbase", release, str(self.bare), MIRROR], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cp", "-a", str(self.bare), str(self.work / name)], check=True)
        self.stages[name] = Image(Root(self.work / name))
        return self.stages[name]

    def copy(self, image, source, target, stage=None):
        if stage in self.given:
            image.root.copy_in(self.given[stage][source], target)
        elif stage:
            image.root.copy_in(self.stages[stage].root.folder / source.lstrip("/"), target)
        elif source == ".":
            self.copy_tracked(image, target)
        else:
            image.root.copy_in(self.context / source, target)

    def copy_tracked(self, image, target):
        """The repository, as a clean clone has it."""
        subprocess.run(["git", "clone", "--quiet", str(self.context), str(image.root.folder / target.lstrip("/"))], check=True)

    def dockerfile(self, text):
        image, arguments, skipping = None, {}, False
        for line in re.sub(r"\\\n", " ", text).splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            word, rest = line.split(maxsplit=1)
            if word == "FROM":
                base, _, stage = rest.partition(" AS ")
                skipping = stage in self.given
                image = None if skipping else self.fresh(stage or "final", base)
            elif skipping:
                continue
            elif word == "ARG":
                name, _, value = rest.partition("=")
                arguments[name] = value.strip('"')
            elif word == "COPY":
                *flags, source, target = rest.split()
                self.copy(image, source, target, flags[0].removeprefix("--from=") if flags else None)
            elif word == "RUN":
                image.root.run(["sh", "-ec", rest], environment=arguments, stdout=subprocess.DEVNULL)
            elif word == "USER":
                image.user = rest
            elif word == "WORKDIR":
                image.where = rest
            elif word in ("ENTRYPOINT", "CMD"):
                setattr(image, {"ENTRYPOINT": "entry", "CMD": "arguments"}[word], [str(one) for one in re.findall(r'"([^"]*)"', rest)])
            else:
                raise ValueError(f"Dockerfile: {word} is not understood here")
        return image

    def definition(self, text):
        image, section, lines = None, "", {}
        for part in re.split(r"^Bootstrap: docker\n", text, flags=re.M)[1:]:
            head, *sections = re.split(r"^(?=%)", part, flags=re.M)
            fields = dict(line.split(": ", 1) for line in head.splitlines() if ": " in line)
            if fields["Stage"] in self.given:
                continue
            image = self.fresh(fields["Stage"], fields["From"])
            for one in sections:
                section, lines = one.split("\n", 1)
                if section.startswith("%files"):
                    for line in filter(None, map(str.strip, lines.splitlines())):
                        self.copy(image, *line.split(), section.partition(" from ")[2] or None)
                elif section == "%post":
                    image.root.run(["sh", "-ec", lines], stdout=subprocess.DEVNULL)
                elif section == "%runscript":
                    image.entry = ["sh", "-ec", lines, "sh"]
                elif section not in ("%help", "%labels"):
                    raise ValueError(f"definition: {section} is not understood here")
        return image
