"""The code of the README runs."""

import re
from glob import glob
from importlib.util import find_spec
from pathlib import Path

import islpy
import jax
import jax.numpy as jnp
import sympy
from jaxlib.mlir import ir
from test_torch import FloorDiv

README = Path(__file__).parents[1] / "README.md"


def test_the_code_of_the_readme(tmp_path, monkeypatch, capsys):
    blocks = re.findall("```python\n(.*?)```", README.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "one.txt").write_text("p = f32[4] parameter(0)\nr = f32[4] reverse(p), dimensions={0}\n")
    names = {"islpy": islpy, "sympy": sympy, "jax": jax, "glob": glob, "texts": ["(i) -> (i mod 2), domain: i in [0, 1]"] * 99}
    x, n = sympy.Symbol("x", integer=True, nonnegative=True), sympy.Symbol("n", integer=True, positive=True)
    given = [
        {},
        {"x": sympy.Symbol("x")},
        {},
        {},
        {},
        {"x": jnp.ones((16, 16)), "f": lambda x: x @ x.T},
        {},
        {"x": x, "n": n, "y": sympy.Symbol("y", integer=True, nonnegative=True), "FloorDiv": FloorDiv},
    ]
    assert len(blocks) == len(given)
    with ir.Context():
        names["affine_map"] = ir.AffineMap.get(1, 0, [ir.AffineExpr.get_floor_div(ir.AffineDimExpr.get(0), 8)])
        for block, more in zip(blocks, given):
            names.update(more)
            if find_spec("torch") is None:
                block = re.sub(r"^affinor\.torch\.install\(\).*$", "", block, flags=re.MULTILINE)
            exec(compile(block, str(README), "exec"), names)
    assert "99 99" in capsys.readouterr().out
    assert (tmp_path / "report.html").exists() and len((tmp_path / "out.jsonl").read_text().splitlines()) == 1
