"""The parts specific to Python: types of answers, exceptions, arrays, pickles, threads, signals, examples, stubs.

That the answers are right is tested where they are made, in the library.
"""

import _thread
import ast
import doctest
import itertools
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

import affinor
from affinor import Error, IndexMap, Layout, Undecided, replay

GRID = "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]"
LINE = "(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 31]"
# Only the solver proves that both are equal.
LAW = [
    IndexMap(f"(d0, d1) -> ({result}), domain: d0 in [0, 99999], d1 in [0, 99999]")
    for result in ("min(d0 floordiv 3, d1 floordiv 5)", "min(d0 * 5, d1 * 3) floordiv 15")
]
BY_SIZE = IndexMap("<n>(d0) -> (d0 floordiv n), domain: n in [1, inf], d0 in [0, inf]")


def test_objects_are_values():
    m = IndexMap(GRID)
    assert str(m) == GRID and repr(m) == f"IndexMap({GRID!r})"
    assert m == IndexMap(GRID) and hash(m) == hash(IndexMap(GRID)) and m != IndexMap(LINE)
    assert m != GRID and len({m, IndexMap(GRID), IndexMap(LINE)}) == 2
    layout = Layout("f32[3,5]{1,0:T(2,2)}")
    assert eval(repr(layout)) == layout and str(layout) == "f32[3,5]{1,0:T(2,2)}"
    for value in (m, layout):
        assert pickle.loads(pickle.dumps(value)) == value
        with pytest.raises(AttributeError):
            value.sizes = value.results = ()
    assert m.variables == ("d0", "d1") and m.results == ("d0 * 8 + d1",) and m.operations == 2
    assert IndexMap("(d0)[s0] -> (d0), domain: d0 in [0, inf], s0 in [-3, 4]").bounds == {"d0": (0, None), "s0": (-3, 4)}


def test_layouts_of_cute():
    rows = Layout("(6,2):(8,2)")
    assert str(rows @ Layout("(4,3):(3,1)")) == "((2,2),3):((24,2),8)" == str(rows.compose("(4,3):(3,1)"))
    assert rows.sizes == (6, 2) and rows.positions == 43 and rows.position(5, 1) == (42,)
    assert str(Layout("(2,2):(1,6)").complement(24)) == "(3,2):(2,12)"
    assert str(Layout("(8,6):(6,1)").divide("(4,3)", how="tiled")) == "((4,3),2,2):((6,1),24,3)"
    assert str(Layout("(2,5):(5,1)").product(Layout("(3,4):(1,3)"), how="raked")) == "((3,2),(4,5)):((10,5),(30,1))"
    assert str(Layout("(4,8):(8,1)").inverse()) == "(8,4):(4,1)" == str(Layout("(4,8):(8,1)").inverse("right"))
    assert str(Layout("((2,2),3):((1,2),4)").coalesce()) == "12:1"
    assert str(Layout("((2,2),3):((1,2),4)").flatten()) == "(2,2,3):(1,2,4)"
    swizzled = Layout("Sw<3,0,3> o 0 o (8,8):(8,1)")
    assert Layout.of(swizzled.position) == swizzled == eval(repr(swizzled)) == pickle.loads(pickle.dumps(swizzled))
    assert "svg" in swizzled._repr_svg_()
    assert str(Layout("bf16[16,128]{1,0:T(8,128)(2,1)}").divide("<8:1,128:1>", how="zipped")).startswith("(((2,4),128)")


@pytest.mark.parametrize(
    "make, kind, position",
    [
        (lambda: Layout("(4,8):(8,1,2)"), "syntax", (6, 13)),
        (lambda: Layout("(4,8):(8,1)").element, "unsupported", None),
        (lambda: Layout("(2,2):(2,5)").complement(24), "shape", None),
        (lambda: Layout("(4,6,8):(2,3,5)") @ "6:3", "shape", None),
        (lambda: Layout("8:1").divide("4:1", how="sideways"), "usage", None),
        (lambda: Layout("f32[3,5]{1,0:T(2,2)}").coalesce(), "unsupported", None),
        (lambda: IndexMap("(d0) -> (d0 + x)"), "name", (14, 15)),
        (lambda: IndexMap("(é) -> (é + x)"), "name", (12, 13)),  # characters, not bytes
        (lambda: IndexMap("(d0) -> (d0 floordiv 0)"), "division", (21, 22)),
        (lambda: IndexMap(""), "syntax", (0, 0)),
        (lambda: Layout("f32[3,5]{1,1}"), "shape", (8, 12)),
        (lambda: Layout("(f32[3], s32[])"), "unsupported", (0, 15)),
        (lambda: IndexMap(GRID)(1), "arity", None),
        (lambda: IndexMap(GRID)(4, 0), "domain", None),
        (lambda: IndexMap("(d0) -> (d0 * 2), domain: d0 in [0, inf]")(2**62), "overflow", None),
        (lambda: IndexMap(GRID) @ IndexMap(GRID), "arity", None),
        (lambda: IndexMap(GRID).equal(IndexMap(LINE)), "arity", None),
        (lambda: IndexMap("affine_map<(d0) -> (d0 floordiv 2)>").inverse(), "domain", None),
        (lambda: replay("{"), "encoding", None),
        (lambda: IndexMap(GRID).simplify(effort=3), "usage", None),
    ],
)
def test_errors(make, kind, position):
    with pytest.raises(Error) as raised:
        make()
    error = raised.value
    assert isinstance(error, ValueError) and error.message in str(error)
    assert error.kind == kind
    if position is not None:
        assert error.position == position
    assert error.hint is None or error.hint in str(error)


def test_verdicts():
    there, back = IndexMap(GRID), IndexMap(LINE)
    proved = there.inverse().equal(back)
    assert proved and proved.word == "proved" and proved.counterexample is None and str(proved) == "proved"
    refuted = back.equal(IndexMap("(i) -> (i floordiv 8, i), domain: i in [0, 32]"))
    point = {"d0": 32}
    assert not refuted and refuted.word == "refuted" and refuted.reason is None
    found = refuted.counterexample
    assert found["left"] != found["right"] and list(found["point"]) == ["d0"]
    assert back.equal(IndexMap("(i) -> (i floordiv 8, i mod 8), domain: i in [0, 32]")).counterexample == {
        "point": point, "left": None, "right": (4, 0),
    }
    large = "(d0) -> (d0 * 4{}), domain: d0 in [4611686018427387904, 4611686018427387990]"
    unknown = IndexMap(large.format("")).equal(IndexMap(large.format(" + d0 mod 2")))
    assert not unknown and unknown.word == "unknown" and "64 bits" in unknown.reason


def test_the_solver_of_the_package_is_found():
    assert LAW[0].equal(LAW[1])
    script = f"import affinor; print(affinor.IndexMap({str(LAW[0])!r}).equal(affinor.IndexMap({str(LAW[1])!r})))"
    run = lambda **own: subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **own}, capture_output=True, text=True, check=True
    ).stdout
    assert run(HOME="/nowhere", XDG_DATA_HOME="/nowhere", PATH="") == "proved\n"
    assert run(Z3_LIBRARY_PATH_OVERRIDE="/nowhere").startswith("unknown: only a solver could decide it, and no libz3")
    assert BY_SIZE(7, 2) == (3,)


def test_composition_is_that_of_functions():
    there, back = IndexMap(GRID), IndexMap(LINE)
    assert (back @ there).simplify().results == ("d0", "d1")
    assert all((there @ back)(i) == there(*back(i)) == (i,) for i in range(32))
    with pytest.raises(TypeError):
        there @ 3


def test_calls_over_arrays():
    m = IndexMap("(d0, d1) -> (d0 floordiv 3 - d1, d0 mod 3, 7), domain: d0 in [-50, 50], d1 in [0, 9]")
    rows, columns = numpy.arange(-50, 51)[:, None], numpy.arange(10)
    found = m(rows, columns)
    assert [values.shape for values in found] == [(101, 10)] * 3
    for i, j in itertools.product(range(101), range(10)):
        expected = ((i - 50) // 3 - j, (i - 50) % 3, 7)
        assert tuple(values[i, j] for values in found) == expected == m(i - 50, j)
    assert found[0].dtype == numpy.int64 and found[0].flags.writeable
    for values in (numpy.int64(5), numpy.array(5), [5, 6], numpy.array([5, 6], numpy.uint8), numpy.arange(20)[::3]):
        own = numpy.asarray(values)
        assert (numpy.asarray(m(values, 1)[0]) == own // 3 - 1).all()
    assert m(numpy.zeros((0, 4), int), 1)[0].shape == (0, 4)
    for wrong in (2.5, numpy.array([2.5]), "3", numpy.array([2], numpy.uint64), None):
        with pytest.raises(TypeError):
            m(wrong, 1)
    with pytest.raises(Error, match="point 2 is not in the domain"):
        m(numpy.array([0, 50, 51]), 1)
    with pytest.raises(ValueError):
        m(numpy.arange(2), numpy.arange(3))
    assert IndexMap("() -> (5)")() == (5,)


def test_certificates_are_checked():
    m = IndexMap("(d0, d1) -> ((d0 * 4 + d1) floordiv 4), domain: d0 in [0, 9], d1 in [0, 3]")
    certificate = m.certificate()
    assert replay(certificate) == (m, m.simplify())
    wrong = certificate.replace('(d0), domain', '(d1), domain')
    assert wrong != certificate
    with pytest.raises(Error):
        replay(wrong)
    assert [step["rule"] for step in m.why()] == ["div-strip"]


def test_counts_and_images():
    assert IndexMap(GRID).count() == 32
    assert IndexMap("(i) -> (i), domain: i in [0, 3000000000]").count() == 3000000001
    both = IndexMap("(i, j) -> (i + j * 3), domain: i in [0, 1], j in [0, 2]").image()
    assert both == {"box": [(0, 7)], "steps": [1], "size": 8, "exact": False}
    with pytest.raises(Undecided):
        IndexMap("(i) -> (i), domain: i in [0, inf]").count()


# This many points take at least some tenths of a second.
MANY = numpy.zeros(10_000_000, int)


def test_threads_run_beside_work():
    done = threading.Event()

    def work():
        IndexMap(GRID)(MANY, 1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    beside = 0
    while not done.is_set():
        beside += 1
        time.sleep(0.001)
    thread.join()
    assert beside > 10


def test_control_c_ends_work(interrupts):
    m = IndexMap(GRID)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(100):  # on a busy machine the timer may come late
            m(MANY, 1)
        pytest.fail("the work was not ended")
    timer.join()
    assert m(1, 2) == (10,)


def test_examples():
    public = {name: getattr(affinor, name) for name in affinor.__all__}
    runner, finder = doctest.DocTestRunner(), doctest.DocTestFinder()
    for name, item in [("affinor", affinor), *public.items()]:
        for test in finder.find(item, name, module=False, globs=dict(public)):
            runner.run(test)
    assert runner.failures == 0 and runner.tries > 20


def test_stubs_and_docstrings_are_complete():
    text = Path(affinor.__file__).with_suffix(".pyi").read_text()
    stubs = {item.name: item for item in ast.parse(text).body if isinstance(item, (ast.ClassDef, ast.FunctionDef))}
    for name in affinor.__all__:
        if name == "__version__":
            continue
        own = getattr(affinor, name)
        assert own.__doc__, name
        if isinstance(own, type) and not issubclass(own, Exception):
            public = {member for member in vars(own) if not member.startswith("_")}
            stubbed = {item.name for item in stubs[name].body if isinstance(item, ast.FunctionDef)}
            assert public == {member for member in stubbed if not member.startswith("_")}, name
            assert all(getattr(own, member).__doc__ for member in public), name
    assert Path(affinor.__file__).with_name("py.typed").exists()
