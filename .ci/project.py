"""What the jobs in this folder share: the project's root, its program, packages of Debian, and checks that name what failed."""

import functools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def install(packages):
    """Installs Debian's packages for the tools that are missing: `{tool: package}`."""
    missing = [tool for tool in packages if not shutil.which(tool)]
    if not missing:
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        sys.exit(f"not on the path: {', '.join(missing)}; install {', '.join(packages[tool] for tool in missing)}")
    subprocess.run(["apt-get", "update", "-qq"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", *(packages[tool] for tool in missing)], check=True, stdout=subprocess.DEVNULL
    )


@functools.cache
def program():
    """The path of the program, which is built if it has to be."""
    command = ["cargo", "build", "--quiet", "-p", "affinor-repl", "--message-format", "json"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    messages = map(json.loads, built.stdout.splitlines())
    return next(message["executable"] for message in messages if message.get("executable"))


def affinor(*words, check=False, stderr=None, **environment):
    """What the program prints to standard output. Its environment is not that of the build, which depends on it."""
    command = [program(), *map(str, words)]
    run = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True, check=check, env={**os.environ, **environment}
    )
    return run.stdout


def is_true(found, claim):
    if not found:
        sys.exit(f"failed: {claim}")


def equal(found, expected, claim):
    is_true(found == expected, f"{claim}: found {found!r}, expected {expected!r}")


def spent():
    """Seconds of CPU of the processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system
