"""The program installed by the package: it gives the same answers and statuses as the native one."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

import affinor

NATIVE = os.environ.get("AFFINOR")
SCRIPT = os.path.join(sysconfig.get_path("scripts"), "affinor")
ROADS = {"script": [SCRIPT], "module": [sys.executable, "-m", "affinor"]}

MODULE = os.path.join(os.path.dirname(__file__), "m.hlo")


def run(road, *words, text=""):
    done = subprocess.run([*road, *words], input=text, capture_output=True, text=True, timeout=120)
    return done.stdout, done.stderr, done.returncode


@pytest.mark.skipif(not NATIVE, reason="AFFINOR names the native program")
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize(
    "words, text",
    [
        (["-e", "(d0) -> ((d0 * 8 + 3) floordiv 8), domain: d0 in [0, 9]"], ""),
        (["simplify", "(d0) -> (d0 mod 16), domain: d0 in [0, 15]", "--json"], ""),
        (["equal", "<n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, n - 1]", ";", "<n>(d0) -> (d0), domain: n in [1, inf], d0 in [0, n - 1]"], ""),
        (["prove", "x // 4 * 4 <= x"], ""),
        (["prove", "x // 4 * 4 == x"], ""),
        (["hlo", MODULE], ""),
        (["help", "tile"], ""),
        (["simplify", "(d0) -> (d0 +"], ""),
        (["no-such-command"], ""),
        (["--no-such-option"], ""),
        (["--version"], ""),
        (["--help"], ""),
        ([], "let a = (d0) -> (d0 * 2), domain: d0 in [0, 4]\ncompose a ; a\n"),
        (["--keep-going"], "simplify (d0) -> (d1)\nrange (d0) -> (d0 * 3), domain: d0 in [0, 4]\n"),
    ],
)
def test_answers_are_those_of_the_native_program(road, words, text):
    assert run(ROADS[road], *words, text=text) == run([NATIVE], *words, text=text)


def test_its_version_is_that_of_the_package():
    assert run(ROADS["script"], "--version") == (f"affinor {affinor.__version__}\n", "", 0)


def nest(depth):
    inner = "d0"
    for level in range(depth):
        inner = f"min((3 * {inner} + d{level % 3}) mod {7 + level * 5 % 31}, d{(level + 1) % 3})"
    return f"(d0, d1, d2) -> ({inner}), domain: d0 in [0, 100], d1 in [0, 30], d2 in [0, 20]"


ENDLESS = nest(40)


class Terminal:
    """The program on a pseudo-terminal, with its output since the last match."""

    def __init__(self):
        self.child, self.file = pty.fork()
        if self.child == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a background process of a shell ignores it
            os.environ.update(TERM="xterm", AFFINOR_HISTORY=os.devnull)
            os.execv(SCRIPT, [SCRIPT])
        self.shown = ""

    def type(self, text):
        os.write(self.file, text.encode())

    def shows(self, pattern, seconds=120):
        """Waits for a match of the pattern, and drops the output up to its end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.shown)
            if found:
                self.shown = self.shown[found.end() :]
                return
            if select.select([self.file], [], [], 0.2)[0]:
                text = os.read(self.file, 4096).decode(errors="replace")
                self.shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.shown + text)
        raise AssertionError(f"no {pattern!r} in {self.shown!r}")

    def end(self):
        """Returns the exit status."""
        child, self.child = self.child, None
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.child:
            os.kill(self.child, signal.SIGKILL)
            self.end()
        os.close(self.file)


def test_its_prompt_answers_and_ctrl_c_stops_a_command():
    with Terminal() as terminal:
        terminal.shows("affinor> ")
        terminal.type("(d0) -> (d0 mod 16), domain: d0 in [0, 7]\r")
        terminal.shows(r"\n.*\(d0\) -> \(d0\), domain: d0 in \[0, 7\]")
        terminal.shows("affinor> ")
        terminal.type(f"simplify {ENDLESS} --steps 1000000000000\r")
        terminal.shows("working, 1 s")
        terminal.type("\x03")
        terminal.shows("affinor> ")
        terminal.type("range (d0) -> (d0 * 3), domain: d0 in [0, 7]\r")
        terminal.shows(r"\n.*\[0, 21\]")
        terminal.type("quit\r")
        assert terminal.end() == 0
