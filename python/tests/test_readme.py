"""The code of the README runs."""

import re
from glob import glob
from pathlib import Path

import islpy
import jax
import jax.numpy as jnp
import sympy
from jaxlib.mlir import ir

README = Path(__file__).parents[1] / "README.md"


def test_the_code_of_the_readme(tmp_path, monkeypatch, capsys):
    blocks = re.findall("```python\n(.*?)```", README.read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "one.txt").write_text("p = f32[4] parameter(0)\nr = f32[4] reverse(p), dimensions={0}\n")
    names = {"islpy": islpy, "sympy": sympy, "jax": jax, "glob": glob, "texts": ["(i) -> (i mod 2), domain: i in [0, 1]"] * 99}
    given = [{}, {"x": sympy.Symbol("x")}, {"x": jnp.ones((16, 16)), "f": lambda x: x @ x.T}, {}]
    assert len(blocks) == len(given)
    with ir.Context():
        names["affine_map"] = ir.AffineMap.get(1, 0, [ir.AffineExpr.get_floor_div(ir.AffineDimExpr.get(0), 8)])
        for block, more in zip(blocks, given):
            names.update(more)
            exec(compile(block, str(README), "exec"), names)
    assert "99 99" in capsys.readouterr().out
    assert (tmp_path / "report.html").exists() and len((tmp_path / "out.jsonl").read_text().splitlines()) == 1
