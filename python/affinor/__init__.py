"""Index maps: which elements of its operands does each element of an op's output read?

>>> from affinor import IndexMap
>>> there = IndexMap("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]")
>>> back = IndexMap("(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]")
>>> (back @ there).simplify()
IndexMap('(d0, d1) -> (d0, d1), domain: d0 in [0, 3], d1 in [0, 7]')
>>> bool(there.inverse().equal(back))
True

Values at many points are computed at once, for arrays of NumPy:

>>> import numpy
>>> back(numpy.arange(30, 32))
(array([3, 3]), array([6, 7]))

Modules of HLO, or lowered by JAX, answer which elements they read, and a session runs the commands of the program:

>>> analyze("p = f32[4] parameter(0)\\n r = f32[4] reverse(p), dimensions={0}").maps()[0]["map"]
IndexMap('(d0) -> (-d0 + 3), domain: d0 in [0, 3]')
>>> print(Session().run("range (d0) -> (d0 floordiv 2), domain: d0 in [0, 9]")[0])
[0, 4]

Errors have positions:

>>> try:
...     IndexMap("(d0) -> (d0 + x)")
... except Error as error:
...     print(error.message, error.position)
unknown variable `x` (14, 15)
"""

import importlib.util
import os

from . import _affinor
from ._affinor import (
    Answer, Condition, Expr, IndexMap, Instruction, Layout, Session, Verdict, __version__, replay,
)
from ._analyze import analyze
from ._corpus import analyze_many
from ._errors import AffinorError, Error, Undecided
from ._function import ceildiv, maximum, minimum
from ._many import simplify_many
from ._module import Diff, Module, Report
from ._notebook import load_ipython_extension
from ._types import Image, Range, Read, Suggestion, Tile

__all__ = [
    "AffinorError", "Answer", "Condition", "Diff", "Error", "Expr", "IndexMap", "Instruction", "Layout", "Module", "Report", "Session",
    "Undecided", "Verdict", "__version__", "analyze", "analyze_many", "ceildiv", "maximum", "minimum", "replay", "simplify_many",
]


def _find_solver():
    """Makes the search for libz3 include the package z3-solver, which is not imported."""
    package = importlib.util.find_spec("z3")
    for folder in (package and package.submodule_search_locations) or ():
        _affinor._look_in(os.path.join(folder, "lib"))


_find_solver()
