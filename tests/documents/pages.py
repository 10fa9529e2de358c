#!/usr/bin/env python3
"""Runs the examples of pages as a reader would paste them: pages.py [options] PAGE...

A page's blocks run in order, in one empty folder, and what they show is compared with what comes; `…` stands for anything.

    ```console       `$ command` lines with what they print; `> ` lines (`fork-1> `) are typed at a prompt, on a terminal
    ```python        a session (`>>>`) or plain statements; one interpreter a page
    ```cpp           a program with a `main`; it must compile without a warning and end with 0
    ```text prints   what the program before it printed

A word more, as in ```console slow, leaves a block to callers that say --slow. Any other block is not run, nor is one of a language
that --languages does not name."""

import argparse
import contextlib
import doctest
import io
import os
import pathlib
import pty
import re
import select
import shlex
import subprocess
import sys
import tempfile
import termios
import time

ANYTHING = "…"
PROMPT = re.compile(r"^[\w-]*> ", re.MULTILINE)  # "> ", or "fork-1> "
LONGEST_SILENCE = 60  # seconds


class Wrong(Exception):
    """What a page shows is not what happened."""


def blocks_of(text):
    """(info string, content, line) of each fenced block."""
    found, lines, inside = [], text.split("\n"), None
    for number, line in enumerate(lines, 1):
        if inside is None and line.startswith("```"):
            inside = (line[3:].strip(), [], number)
        elif inside is not None and line.startswith("```"):
            found.append((inside[0], "".join(one + "\n" for one in inside[1]), inside[2]))
            inside = None
        elif inside is not None:
            inside[1].append(line)
    return found


def agrees(shown, came):
    """Line ends aside, and `…` for anything."""
    clean = ["\n".join(line.rstrip() for line in text.strip("\n").split("\n")) for text in (shown, came)]
    pattern = ".*".join(re.escape(part) for part in clean[0].split(ANYTHING))
    return re.fullmatch(pattern, clean[1], re.DOTALL) is not None


def compare(what, shown, came):
    if not agrees(shown, came):
        raise Wrong(f"{what}\n--- the page shows\n{shown.rstrip()}\n--- it printed\n{came.rstrip()}")


def commands_of(block):
    """(command, typed lines, what is shown) of each `$ ` line; what is typed is a part of what is shown."""
    found = []
    for line in block.split("\n"):
        if line.startswith("$ "):
            found.append([line[2:], [], ""])
        elif found and found[-1][0].endswith("\\"):
            found[-1][0] = found[-1][0][:-1] + line.strip()
        elif found:
            if prompt := PROMPT.match(line):
                found[-1][1].append(line[prompt.end():])
            found[-1][2] += line + "\n"
    return found


def as_seen(data):
    """The text that is left on a terminal: lines that were written over are gone."""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode("utf-8", "replace")).replace("\r\n", "\n")
    return "\n".join(line.rsplit("\r", 1)[-1] for line in text.split("\n"))


def wait_for_editor(terminal, longest=1.0):
    """A line editor shows its prompt before it has the terminal to itself; what is typed in between would be seen twice. A
    program without one never takes it."""
    end = time.monotonic() + longest
    while termios.tcgetattr(terminal)[3] & termios.ICANON and time.monotonic() < end:
        time.sleep(0.005)


def on_a_terminal(command, typed, folder, environment):
    """Types each line when the prompt is there, as a person does; then ends the input."""
    master, slave = pty.openpty()
    process = subprocess.Popen(["bash", "-c", command], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=environment,
                               start_new_session=True)
    os.close(slave)
    seen, waiting = b"", list(typed) + ["quit"]
    prompts = 0
    while True:
        if not select.select([master], [], [], LONGEST_SILENCE)[0]:
            process.kill()
            raise Wrong(f"$ {command}\nwas silent for {LONGEST_SILENCE} s after:\n{as_seen(seen)}")
        try:
            data = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        seen += data
        if PROMPT.fullmatch(as_seen(seen).rsplit("\n", 1)[-1]) and seen.count(b"\n") >= prompts and waiting:
            prompts = seen.count(b"\n") + 1  # its own echo ends a line
            wait_for_editor(master)
            os.write(master, waiting.pop(0).encode() + b"\n")
    os.close(master)
    process.wait()
    return re.sub(r"[\w-]*> quit\n$", "", as_seen(seen))


def run_console(block, place):
    for command, typed, shown in commands_of(block):
        if typed:
            came = on_a_terminal(command, typed, place.folder, place.environment)
        else:
            done = subprocess.run(["bash", "-c", command], cwd=place.folder, env=place.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
            came = as_seen(done.stdout)
            if done.returncode != 0 and not shown.strip():
                raise Wrong(f"$ {command}\nended with {done.returncode}:\n{came}")
        if shown.strip():
            compare(f"$ {command}", shown, came)


def run_python(block, place):
    if ">>>" not in block:
        exec(compile(block, place.name, "exec"), place.world)
        return
    test = doctest.DocTestParser().get_doctest(block.replace(ANYTHING, "..."), place.world, place.name, place.name, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    report = io.StringIO()
    runner.run(test, clear_globs=False, out=report.write)
    place.world.update(test.globs)
    if runner.failures:
        raise Wrong(report.getvalue())


def run_cpp(block, place):
    if "int main(" not in block:
        return
    source = place.folder / "program.cpp"
    source.write_text(block)
    built = subprocess.run([*place.compiler[:1], "-std=c++20", "-Wall", "-Wextra", "-Wconversion", "-Werror", source, "-o",
                            place.folder / "program", *place.compiler[1:]], capture_output=True, text=True)
    if built.returncode != 0:
        raise Wrong(built.stderr)
    done = subprocess.run([place.folder / "program"], cwd=place.folder, env=place.environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong(f"the program ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    place.printed = done.stdout


RUN = {"console": run_console, "python": run_python, "cpp": run_cpp}


@contextlib.contextmanager
def inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class Place:
    """Where the blocks of one page run."""

    def __init__(self, name, folder, programs, compiler):
        self.name, self.folder, self.compiler = name, folder, compiler
        self.world, self.printed = {"__name__": "__main__"}, None
        self.environment = dict(os.environ, TERM="dumb", COLUMNS="80")
        if programs:
            self.environment["PATH"] = f"{programs}:{self.environment['PATH']}"
            # Where a page calls the program of a clone.
            (folder / "build").mkdir()
            (folder / "build" / "schemamem").symlink_to(pathlib.Path(programs) / "schemamem")


def run_page(path, languages, programs="", compiler=(), slow=False):
    """Runs a page; how many blocks were run and what was wrong."""
    ran, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder, inside(folder):
        place = Place(str(path), pathlib.Path(folder), programs, compiler)
        for info, content, line in blocks_of(pathlib.Path(path).read_text(encoding="utf-8")):
            language, *words = info.split() or [""]
            try:
                if language == "text" and words == ["prints"]:
                    if place.printed is not None:
                        compare("the program above", content, place.printed)
                elif language in languages and (slow or "slow" not in words):
                    ran += 1
                    place.printed = None
                    RUN[language](content, place)
            except Exception as error:  # a page goes on: its reader would
                wrong.append(f"{path}:{line}: {error if isinstance(error, Wrong) else repr(error)}")
    return ran, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="+", type=pathlib.Path)
    parser.add_argument("--languages", default="console,python,cpp", type=lambda text: text.split(","))
    parser.add_argument("--programs", default="", help="the folder of the program `schemamem`")
    parser.add_argument("--compiler", default="", type=shlex.split, help="the C++ compiler, and how to link the library")
    parser.add_argument("--slow", action="store_true", help="also blocks that take more than a few seconds")
    options = parser.parse_args()
    failed = False
    for page in options.pages:
        ran, wrong = run_page(page.resolve(), options.languages, options.programs and os.path.abspath(options.programs),
                              options.compiler, options.slow)
        print(f"{page}: {ran} blocks", *wrong, sep="\n")
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
