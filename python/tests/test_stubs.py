"""The stubs: they match the package, and strict type checking of code that uses it succeeds."""

import importlib.util
import subprocess
import sys

USER = '''
import numpy
from affinor import (
    Condition, Diff, Error, Expr, IndexMap, Layout, Module, Session, Tile, Undecided, Verdict, analyze, ceildiv, maximum, minimum,
)


def halves(i: Expr, j: Expr) -> Expr:
    return minimum(i // 2, 3) + maximum(j, 0) * (i < j) + ceildiv(i, 4) + (i if i < 3 else j)


def limits(i: Expr, j: Expr) -> list[Condition]:
    return [i <= j, j < 8]


there: IndexMap = IndexMap.of(halves, limits, i=8, j=range(8))
point: tuple[int, ...] = there(1, 2)
values = there(numpy.arange(3), 1)
shapes: list[tuple[int, ...]] = [one.shape for one in values]
verdict: Verdict = there.equal(there.simplify())
if not verdict and verdict.counterexample is not None:
    print(verdict.counterexample["point"])
ends = there.range()[0]["hi"]
tile: Tile | None = there.tile(2, 2)
layout: Layout = Layout((4, (2, 2)), (1, (4, 8))).divide((2, None), "zipped") @ "4:1"
layout = Layout("(160,n):(1,160)").at(n=4).product(Layout(8), how="raked").inverse("right")
banked: str = layout.draw(banks=8)
conflicts = layout.banks(there, bytes=4)["conflicts"]
module: Module = analyze("p = f32[4] parameter(0)\\n n = f32[4] negate(p)")
diff: Diff = module.diff(module)
names: tuple[str, ...] = Session().names
try:
    IndexMap("i //")
except (Error, Undecided) as error:
    print(error)
'''

WRONG = '''
from affinor import IndexMap, Layout

IndexMap(3)
Layout("4:1").divide(2, how="sideways")
IndexMap("i").simplify(effort="high")
Layout((4, 8), stride=2.5)
there: int = Layout("4:1").at(n=2)
'''


def run(module, *words):
    return subprocess.run([sys.executable, "-m", module, *words], capture_output=True, text=True)


def checked(tmp_path, text):
    path = tmp_path / "user.py"
    path.write_text(text)
    return run("mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(path))


def test_users_are_checked_strictly(tmp_path):
    found = checked(tmp_path, USER)
    assert found.returncode == 0, found.stdout
    wrong = checked(tmp_path, WRONG)
    assert wrong.stdout.count("user.py:") == 5 and "Found 5 errors" in wrong.stdout, wrong.stdout


def test_stubs_say_what_is_there(tmp_path):
    (tmp_path / "mypy.ini").write_text(f"[mypy]\ncache_dir = {tmp_path / 'cache'}\n")
    found = run("mypy.stubtest", "affinor", "--concise", "--mypy-config-file", str(tmp_path / "mypy.ini"))
    lines = [line for line in found.stdout.splitlines() if line.strip()]
    if importlib.util.find_spec("ray") is None:
        # Importing the module for Ray without Ray is an error that says so.
        lines = [line for line in lines if not line.startswith("affinor.ray failed to import")]
        assert all(line.startswith("Found 1 error") for line in lines), found.stdout
    else:
        assert found.returncode == 0, found.stdout
