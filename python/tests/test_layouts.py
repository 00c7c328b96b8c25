"""Layouts: their forms, rejected inputs, and each operation against its definition at all elements."""

import copy
import itertools
import pickle
import random
import re
import weakref
from functools import partial

import numpy
import pytest
from layout_definitions import (
    composed, is_complement, is_layout_by_modes, leaves, offset, offsets, random_layout, size,
)

from affinor import Error, IndexMap, Layout, Undecided

BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}> : 16x32"
SHARED = "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}> : 16x32"


def attempt(operation):
    """Returns the answer, None if unknown, or False if there is none."""
    try:
        return operation()
    except Undecided:
        return None
    except Error as error:
        assert error.kind in ("shape", "unsupported"), error
        return False


def flat(layout):
    return leaves(layout.shape, layout.stride)


def check_forms(a):
    """Checks forms with other modes: the same function of the number of an element."""
    own = offsets(a)
    assert [a(number) for number in range(a.size)] == own and a.size == len(own) and a.cosize == max(own) + 1
    assert Layout(a.shape, a.stride) == Layout(str(a)) == a
    short = a.coalesce()
    assert offsets(short) == own and all(extent > 1 for extent, _ in flat(short)) or str(short) == "1:0"
    assert all(extent * apart != after for (extent, apart), (_, after) in itertools.pairwise(flat(short)))
    plain = a.flatten()
    assert offsets(plain) == own and len(plain.sizes) == len(flat(plain))
    rank = len(a.sizes)
    for start, stop in itertools.combinations(range(rank + 1), 2):
        grouped = a.group(start, stop)
        assert offsets(grouped) == own and len(grouped.sizes) == rank - (stop - start) + 1


def check_inverses(a):
    own = offsets(a)
    left = attempt(a.inverse)
    if left:
        assert [offset(flat(left), at) for at in own] == list(range(a.size))
    assert (left is False) == (len(set(own)) < len(own))
    closed = attempt(a.inverse_map)
    if closed:
        assert [closed(at)[0] for at in own] == list(range(a.size))
    assert closed or not left
    right = a.inverse("right")
    assert [offset(flat(a), at) for at in offsets(right)] == list(range(right.size))


def check_pair(a, b):
    want = composed(a, b)
    both = attempt(lambda: a @ b)
    if both:
        assert offsets(both) == want and (both.sizes == b.sizes or isinstance(b.shape, int))
    else:
        assert both is False and not is_layout_by_modes(want, [extent for extent, _ in flat(b)])
    tiled = attempt(lambda: a.divide(b))
    if tiled:
        rest = b.complement(a.size)
        want = [offset(flat(a), x + y) for y in offsets(rest) for x in offsets(b)]
        assert offsets(tiled) == want and tiled.sizes == (b.size, rest.size)
        for how in ("zipped", "tiled", "flat"):
            assert offsets(a.divide(b, how)) == want
    copies = attempt(lambda: a.product(b))
    if copies:
        found = offsets(copies)
        starts = found[:: a.size]
        assert found == [start + x for start in starts for x in offsets(a)] and copies.sizes == (a.size, b.size)
        assert len({start + x for start in starts for x in offsets(a)}) == len(set(starts)) * len(set(offsets(a)))
        assert len(set(starts)) == len(set(offsets(b)))
        for how in ("zipped", "tiled", "flat"):
            assert offsets(a.product(b, how)) == found
        for how in ("blocked", "raked"):
            assert sorted(offsets(a.product(b, how))) == sorted(found)
    common = a.common(b)
    for layout in (a, b):
        assert [offset(flat(layout), at) for at in offsets(common)] == list(range(common.size))


def check_widths(a):
    own = offsets(a)
    wide = attempt(lambda: a.recast(16, 32))
    if wide:
        assert set(offsets(wide)) == {at // 2 for at in own}
    parts = 4 if any(apart == 1 for _, apart in flat(a)) else 1
    narrow = attempt(lambda: a.recast(32, 8))
    if narrow:
        assert set(offsets(narrow)) == {at * 4 + part for at in own for part in range(parts)}
    target = a.cosize * 2
    rest = attempt(lambda: a.complement(target))
    if rest:
        assert is_complement(a, rest, target)


def test_operations_are_those_of_their_definitions():
    draw = random.Random(51)
    for _ in range(150):
        a, b = Layout(*random_layout(draw, 48)), Layout(*random_layout(draw, 12, 1))
        for check, given in ((check_forms, [a]), (check_inverses, [a]), (check_widths, [a]), (check_pair, [a, b])):
            check(*given)


def random_named(draw):
    """Draws a layout with names and nested strides."""
    parts, reached = [], "1"
    for _ in range(draw.choice([1, 2, 2, 3])):
        extent = draw.choice(["n", "m", "2*n", "4", "8", "3"])
        reached = f"{reached} * {draw.choice(['1', '1', '1', '2', 'm'])}"
        parts.append((extent, reached))
        reached = f"{reached} * {extent}"
    if not any(name in extent for extent, _ in parts for name in "nm"):
        parts[-1] = ("n", parts[-1][1])
    if draw.random() < 0.5:
        draw.shuffle(parts)
    shape, stride = zip(*parts)
    if len(shape) > 2 and draw.random() < 0.5:
        shape, stride = ((shape[0], shape[1:]), (stride[0], stride[1:]))
    return Layout(shape, stride)


def check_named(a, draw):
    """The answers that there are, and how each must be at values."""
    tile = Layout(draw.choice(["2:1", "4:2", "n:1", "(2,2):(1,4)", "(2,n):(n,1)"]))
    yield a.coalesce(), lambda a, _: offsets(a), False
    yield a.flatten(), lambda a, _: offsets(a), False
    yield attempt(lambda: a @ tile), lambda a, tile: composed(a, tile), tile
    yield attempt(lambda: a.divide(tile)), lambda a, tile: offsets(a.divide(tile)), tile
    how = draw.choice(["logical", "zipped", "flat", "blocked", "raked"])
    yield attempt(lambda: a.product(tile, how)), lambda a, tile: offsets(a.product(tile, how)), tile
    modes = tuple(draw.choice([2, 4, "n", "2*m", None]) for _ in range(draw.randrange(1, len(a.sizes) + 1)))
    some = {"how": draw.choice(["logical", "zipped", "tiled", "flat"])}
    for operation, options in ((Layout.compose, {}), (Layout.divide, some), (Layout.product, some)):
        apply = partial(by_modes, operation, options)
        yield attempt(lambda: apply(a, modes)), lambda a, modes: offsets(apply(a, modes)), modes
    yield attempt(a.inverse), lambda a, _: None, False


def by_modes(operation, options, a, modes):
    return operation(a, modes, **options)


def at(given, values):
    """Substitutes values for the names of a layout or a tiler; raises if they violate the conditions of a layout."""
    if isinstance(given, tuple):
        return tuple(eval(mode, dict(values)) if isinstance(mode, str) else mode for mode in given)
    return given.at(**{name: values[name] for name in given.names})


def test_operations_with_named_sizes_hold_at_values():
    draw = random.Random(512)
    answered = with_conditions = compared = 0
    for _ in range(40):
        a = random_named(draw)
        for found, expected, tile in check_named(a, draw):
            with_conditions += bool(found and found.where)
            for _ in range(20 if found else 0):
                values = {name: draw.choice([1, 2, 3, 4, 5, 6, 8]) for name in "nm"}
                here, made = at(a, values), attempt(lambda: at(found, values))
                if not made:
                    assert found.where
                    continue
                want = expected(here, at(tile, values) if tile else None)
                if want is None:  # the inverse
                    assert [offset(flat(made), x) for x in offsets(here)] == list(range(here.size))
                else:
                    assert offsets(made) == want, (a, tile, found, values)
                compared += 1
            answered += bool(found)
    assert answered > 240 and with_conditions > 20 and compared > 4000


def test_answers_under_conditions():
    rows = Layout("(n,m):(m,1)")
    found = rows.compose("8:1")
    assert (str(found), found.where, found.names) == ("8:m", ("n >= 8",), ("m", "n"))
    assert found.otherwise.startswith("at m = 3, n = 3: not a layout")
    assert repr(found) == "Layout('8:m', where=('n >= 8',))"
    for again in (eval(repr(found)), pickle.loads(pickle.dumps(found)), Layout(found), copy.copy(found)):
        assert again == found and hash(again) == hash(found) and again.where == found.where
    assert pickle.loads(pickle.dumps(found)).otherwise == found.otherwise
    assert found != Layout("8:m") and found.position.range() is not None
    # Values must satisfy the conditions; with all values given, no condition is left.
    assert found.at(n=8, m=3) == Layout("8:3") and found.at(n=9) == Layout("8:m") and found.at(m=3).where == ("n >= 8",)
    with pytest.raises(Error, match="only where n >= 8"):
        found.at(n=7)
    # Later operations assume the conditions, and keep them.
    tiles = rows.divide("4:1")
    assert tiles.where == ("4 divides n",) and str(tiles) == "(4,(ceil_div(n,4),m)):(m,(4*m,1))"
    assert tiles.flatten().where == tiles.where and (tiles @ "4:1").where == tiles.where
    assert (tiles @ "4:1").otherwise is None and str(tiles @ "4:1") == "4:m"
    assert Layout(rows, where="4 divides n").divide("4:1").where == ("4 divides n",)
    assert Layout(rows, where=["4 divides n"]).divide("4:1").otherwise is None
    # Equal if the conditions hold, and different otherwise.
    digits = "(4,ceil_div(n,4)):(1,4)"
    assert Layout(digits, where="4 divides n").equal("n:1") and not Layout(digits).equal("n:1")
    assert not Layout("(2,n):(1,3)", where="n >= 3").equal("2*n:1")


def test_tilers_swizzles_and_interleavings_with_names():
    rows = Layout("(n,m):(m,1)")
    expected = "((4,ceil_div(n,4)),(8,ceil_div(m,8))):((m,4*m),(1,8))"
    assert str(rows.divide((4, 8))) == str(rows.divide("<4:1,8:1>")) == expected
    assert str(rows.divide((None, Layout("k:1")), how="flat")) == "(1,k,n,ceil_div(m,k)):(0,1,m,k)"
    assert str(rows.compose((2, None))) == "(2,m):(m,1)"
    assert str(Layout("(4,8):(8,1)").product("(n,m):(m,1)", how="blocked")) == "((4,n),(8,m)):((8,32*m),(1,32))"
    assert str(Layout("(n,8):(8,1)").product("(3,4):(1,3)", how="raked")) == "((3,n),(4,8)):((8*n,8),(24*n,1))"
    swizzled = Layout("Swizzle<3,3,3> o (n,64):(64,1)")
    assert (swizzled.kind, swizzled.swizzle, swizzled.shape) == ("named", (3, 3, 3), ("n", 64))
    tiled = swizzled.divide((8, 8), how="zipped")
    assert str(tiled) == "Swizzle<3,3,3> o ((8,8),(ceil_div(n,8),8)):((64,1),(512,8))"
    assert offsets(tiled.at(n=16)) == offsets(Layout("Swizzle<3,3,3> o (16,64):(64,1)").divide((8, 8), how="zipped"))
    assert pickle.loads(pickle.dumps(tiled)) == tiled and swizzled.equal("Swizzle<3,3,3> o (n,64):(64,1)")
    with pytest.raises(Undecided, match="swizzle"):
        assert swizzled.cosize


@pytest.mark.parametrize(
    "layout, text",
    [
        (Layout((4, 8), (8, 1)), "(4,8):(8,1)"),
        (Layout((4, (2, 2))), "(4,(2,2)):(1,(4,8))"),
        (Layout([4, [2, 2]], [1, [4, 8]]), "(4,(2,2)):(1,(4,8))"),
        (Layout((4,), (2,)), "(4):(2)"),
        (Layout(8), "8:1"),
        (Layout((160, "n"), (1, 160)), "(160,n):(1,160)"),
        (Layout(("2*n", 4)), "(2*n,4):(1,2*n)"),
        (Layout("(_4,_8):(_8,_1)"), "(4,8):(8,1)"),
        (Layout(Layout("(4,8):(8,1)")), "(4,8):(8,1)"),
        (Layout(IndexMap("(i, j) -> (i * 8 + j), domain: i in [0, 3], j in [0, 7]")), "(4,8):(8,1)"),
        (Layout("Sw<3,0,3> o 0 o (8,8):(8,1)"), "Swizzle<3,0,3> o (8,8):(8,1)"),
        (Layout(BLOCKED), BLOCKED),
        (Layout("f32[8,128]{1,0:T(8,128)}"), "f32[8,128]{1,0:T(8,128)}"),
    ],
)
def test_forms_of_layouts(layout, text):
    assert str(layout) == text and Layout(text) == layout and hash(Layout(text)) == hash(layout)
    assert eval(repr(layout)) == layout == pickle.loads(pickle.dumps(layout))
    assert weakref.ref(layout)() is layout and layout.to_map() == layout.position
    html = layout._repr_html_()
    assert ("<svg" in html) == (layout.kind != "named") and text.replace("<", "&lt;") in html


def test_parts_of_layouts():
    swizzled = Layout("Swizzle<2,0,3> o 5 o ((2,4),8):((1,2),8)")
    assert (swizzled.shape, swizzled.stride) == (((2, 4), 8), ((1, 2), 8))
    assert (swizzled.swizzle, swizzled.offset, swizzled.sizes, swizzled.kind) == ((2, 0, 3), 5, (8, 8), "cute")
    assert Layout("(4,8):(8,1)").swizzle is None and Layout("(4,8):(8,1)").names == ()
    named = Layout("(160,(2*n,m)):(1,(160,320*n))")
    assert named.kind == "named" and named.names == ("m", "n") and named.shape == (160, ("2*n", "m"))
    assert named.sizes == (160, "2*m*n") and named.swizzle is None and named.offset == 0
    assert named.size(3, 2) == (160 * 12,) == named.cosize(3, 2)
    assert named.at(n=2) == Layout("(160,(4,m)):(1,(160,640))") and named.at(n=2, m=3).size == 160 * 12
    assert named.position.kinds["n"] == "parameter"
    memory = Layout("f32[3,5]{1,0:T(2,2)}")
    assert (memory.kind, memory.size, memory.cosize, memory.bytes) == ("array", 15, 24, 96) and memory(2, 3) == 17
    assert Layout("bf16[16,128]{1,0:T(8,128)(2,1)}").shape == ((2, 8), 128)


class Foreign:
    """A layout of another package."""

    def __init__(self, shape, stride):
        self.shape, self.stride = shape, stride


class Tensor:
    shape = (3, 5)

    def stride(self):
        return (5, 1)


def test_layouts_of_other_packages():
    assert str(Layout(Foreign((4, (2, 2)), (1, (4, 8))))) == "(4,(2,2)):(1,(4,8))"
    assert str(Layout("8:1") @ Foreign((2, 2), (4, 1))) == "(2,2):(4,1)"
    assert str(Layout(Tensor())) == "(3,5):(5,1)"


@pytest.mark.parametrize(
    "tiler, expected",
    [
        ((4, 2), "((4,2),(2,4)):((8,1),(32,2))"),
        ("(4,2)", "((4,2),(2,4)):((8,1),(32,2))"),
        ("<4:1,2:1>", "((4,2),(2,4)):((8,1),(32,2))"),
        ((Layout("4:2"), None), "((4,1),(2,8)):((16,0),(8,1))"),
        ((4, "2:4"), "((4,2),(2,4)):((8,4),(32,1))"),
        (4, "(4,(2,8)):(8,(32,1))"),
        (Layout("4:1"), "(4,(2,8)):(8,(32,1))"),
        (IndexMap("(i) -> (i), domain: i in [0, 3]"), "(4,(2,8)):(8,(32,1))"),
    ],
)
def test_tilers(tiler, expected):
    is_by_modes = isinstance(tiler, (tuple, str))
    found = Layout("(8,8):(8,1)").divide(tiler, "zipped" if is_by_modes else "logical")
    assert str(found) == expected
    assert sorted(offsets(found)) == list(range(64))


def test_linear_layouts():
    threads, memory = Layout(BLOCKED), Layout(SHARED)
    assert (threads.kind, threads.sizes, threads.size, threads.cosize) == ("threads", (4, 32, 4, 1), 512, 512)
    assert (memory.kind, memory.sizes, memory.size, memory.cosize) == ("memory", (16, 32), 512, 512)
    assert threads(1, 9, 1, 0) == (5, 5)
    assert threads.holders(5, 5) == [{"register": 1, "lane": 9, "warp": 1, "block": 0}]
    at = memory @ threads
    for place in itertools.product(range(4), range(0, 32, 5), range(4), [0]):
        assert at(*place) == memory(*threads(*place))
    back = threads.inverse()
    assert back.kind == "linear" and all(back(*threads(3, lane, 2, 0)) == (3, lane, 2, 0) for lane in range(32))
    assert pickle.loads(pickle.dumps(back)) == back == threads.inverse("right") and back != at
    assert back.inverse().equal(threads) and Layout(threads.position).equal(threads)
    assert memory.inverse().inverse().equal(memory)
    twice = Layout(BLOCKED.replace("16x32", "8x32"))
    assert len(twice.holders(3, 4)) == 2
    with pytest.raises(Error, match="several places"):
        twice.inverse()
    nearest = twice.inverse("pseudo")
    assert all(twice(*nearest(*twice(1, lane, 3, 0))) == twice(1, lane, 3, 0) for lane in range(32))
    assert threads.convert(threads)["answer"] == "nothing"
    turned = Layout(BLOCKED.replace("order = [1, 0]", "order = [0, 1]"))
    assert threads.convert(turned)["answer"] == "shuffles"
    assert (memory.banks(threads)["passes"], memory.banks(threads)["ideal"]) == (64, 16)
    small = Layout("#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}> : 8x8")
    assert small.equal("Swizzle<2,1,2> o (8,8):(8,1)") and not small.equal("(8,8):(8,1)")


def test_banks_and_pictures():
    access = IndexMap("(thread)[c] -> (thread, c), domain: thread in [0, 7], c in [0, 7]")
    assert Layout("(8,8):(8,1)").banks(access, banks=8, warp=8)["conflicts"] == 56
    assert Layout("Swizzle<3,0,3> o (8,8):(8,1)").banks(access, banks=8, warp=8)["conflicts"] == 0
    assert access.banks("(8,8):(8,1)", banks=8, warp=8)["conflicts"] == 56
    assert "┃ 0   1   2   3 ┃" in Layout("(4,4):(4,1)").draw(banks=4) and "#  4    5    6    7 #" in Layout("(4,4):(4,1)").draw(ascii=True)
    assert "T31V3" in Layout("((4,8),(2,2)):((32,1),(16,8))").draw(tile=(16, 8))
    for layout in (Layout(BLOCKED), Layout(SHARED), Layout(BLOCKED).inverse(), Layout("f32[3,5]{1,0:T(2,2)}")):
        assert layout.svg().startswith("<svg") and layout.draw().count("\n") > 3


@pytest.mark.parametrize(
    "one, other, word",
    [
        ("((2,2),3):((1,2),4)", "12:1", "proved"),
        ("4:1", "4:2", "refuted"),
        ("4:1", "2:1", "refuted"),
        ("(4,n):(1,4)", "4*n:1", "proved"),
        ("(4,n):(1,4)", "4*n:2", "refuted"),
        ("bf16[16,128]{1,0:T(8,128)(2,1)}", "((2,8),128):((1,256),2)", "proved"),
    ],
)
def test_equal_functions(one, other, word):
    verdict = Layout(one).equal(other)
    assert verdict.word == word and bool(verdict) == (word == "proved")
    assert pickle.loads(pickle.dumps(verdict)) == verdict and Layout(one) != Layout(other)


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda: Layout(True), "usage", "no bool"),
        (lambda: Layout(2.5), "usage", "no float"),
        (lambda: Layout(None), "usage", "no NoneType"),
        (lambda: Layout((4, "n + 1"), (1, 1)), "usage", "no str"),
        (lambda: Layout((4, 8), (1,)), "syntax", "structure of the shape"),
        (lambda: Layout((0, 8), (1, 1)), "syntax", "at least 1"),
        (lambda: Layout("(4,n):(1,"), "syntax", "expected"),
        (lambda: Layout(BLOCKED.replace("[1, 4]", "[1, 3]")), "shape", "power of two"),
        (lambda: Layout(IndexMap("(i) -> (i mod 3), domain: i in [0, 7]")), "shape", "not a layout"),
        (lambda: Layout(IndexMap("(i) -> (i, i mod 3), domain: i in [0, 7]")), "shape", "sum of bits"),
        (lambda: Layout(BLOCKED).shape, "unsupported", "no strides"),
        (lambda: Layout(BLOCKED).element, "unsupported", "inverse"),
        (lambda: Layout(SHARED).holders(1, 1), "unsupported", "threads"),
        (lambda: Layout(BLOCKED).holders(16, 0), "shape", "not an index"),
        (lambda: Layout(BLOCKED) @ "4:1", "shape", "sizes differ"),
        (lambda: Layout(BLOCKED).divide("4:1"), "unsupported", "division"),
        (lambda: Layout(BLOCKED).convert(SHARED), "unsupported", "not about memory"),
        (lambda: Layout(BLOCKED).draw(banks=4), "unsupported", "banks"),
        (lambda: Layout("(4,4):(4,1)").draw(banks=0), "usage", "at least 1"),
        (lambda: Layout("(4,4):(4,1)").draw(banks=4, tile=(2, 2)), "usage", "threads or banks"),
        (lambda: Layout("((4,8),(2,2)):((32,1),(16,8))").draw(tile=(8, 8)), "shape", "outside the tile"),
        (lambda: Layout("(4,n):(4,1)").draw(), "unsupported", "`at`"),
        (lambda: Layout("(4,n):(1,4)").at(m=2), "name", "no size `m`"),
        (lambda: Layout("(4,n):(1,4)").at(n=0), "shape", "at least 1"),
        (lambda: Layout("4:1").at(n=2), "name", "are numbers"),
        (lambda: Layout("(4,n):(1,4)").divide("(4,(n,2))"), "syntax", "needs strides"),
        (lambda: Layout("(4,n):(1,4)").complement(), "usage", "needs the size"),
        (lambda: Layout("(4,n):(1,4)").product((2, 1), how="raked"), "shape", "one layout"),
        (lambda: Layout("n:1").compose((4, 4)), "shape", "2 modes"),
        (lambda: Layout("n:1", where="n > 3"), "syntax", "divides"),
        (lambda: Layout("n:1", where="0 divides n"), "syntax", "at least 1"),
        (lambda: Layout("n:1", where=3), "usage", "a text"),
        (lambda: Layout("f32[8]", where="n >= 3"), "unsupported", "conditions"),
        (lambda: Layout("(4,n):(1,4)").common("2:1"), "unsupported", "names"),
        (lambda: Layout("8:1").divide("4:1", how="sideways"), "usage", "sideways"),
        (lambda: Layout("8:1").inverse("up"), "usage", "left"),
        (lambda: Layout("8:1").inverse("pseudo"), "unsupported", "linear"),
        (lambda: Layout("(2,4):(0,1)").inverse(), "shape", "both lie at 0"),
        (lambda: Layout("8:1").group(1, 3), "shape", "no modes"),
        (lambda: Layout("8:1").group(-1, 1), "shape", "negative"),
        (lambda: Layout(BLOCKED).holders(-1, 0), "shape", "not an index"),
        (lambda: Layout("8:1").recast(16, 24), "shape", "multiple"),
        (lambda: Layout("8:1").divide(((2, 2), 4)), "syntax", "needs strides"),
        (lambda: Layout("8:1").complement(0), "syntax", "at least 1"),
        (lambda: Layout("8:1").equal("f32[3,5]"), "shape", "different sizes"),
        (lambda: Layout("(4,8):(8,1)")(4, 0), "domain", "domain"),
        (lambda: Layout("(4,8):(8,1)").banks(no_such=3), "usage", "no_such"),
        (lambda: Layout("(4,8):(8,1)").banks(bytes=2.5), "usage", "bytes"),
    ],
)
def test_what_is_refused(make, kind, words):
    with pytest.raises(Error) as raised:
        make()
    error = raised.value
    assert (error.kind, words in str(error)) == (kind, True), str(error)
    assert not re.search(r"--[a-z]", str(error)), str(error)


def test_what_is_not_found():
    with pytest.raises(Undecided, match="do not divide each other"):
        Layout("(2,8):(3,16)").inverse()
    assert str(Layout("(2,8):(3,16)").inverse_map()(3 + 16 * 5)) == "(11,)"
    with pytest.raises(Undecided, match="without the others"):
        Layout("(9,8,7,6):(1901,1607,1409,1103)").inverse_map()
    with pytest.raises(Error, match="there is no one layout for all sizes: 16 and 6 do not divide each other"):
        Layout("(6,n):(n,1)").compose("16:1")
    with pytest.raises(Undecided):
        Layout("(n+1,2):(2,1)").compose("n+1:n+2")


def test_sums_of_names():
    made = Layout("(6,n):(n,1)") @ "6:8"
    assert (str(made), made.stride, made.names) == ("(3,2):(2*n+1,4)", ("2*n+1", 4), ("n",))
    assert str(made.at(n=5)) == "(3,2):(11,4)"
    assert str(Layout("(12,8*m):(16*m,1)").product("8:3")) == "((12,8*m),(2,4)):((16*m,1),(200*m,576*m))"
    assert str(Layout("(n+1,8):(8,1)").inverse()) == "(8,n+1):(n+1,1)"


def test_arrays_of_numpy():
    array = numpy.zeros((4, 6, 8), dtype=numpy.float32)
    assert Layout(array) == Layout((4, 6, 8), (48, 8, 1))
    assert Layout(array[:, ::2].transpose(2, 0, 1)) == Layout((8, 4, 3), (1, 48, 16))
    assert (Layout((4, 8)) @ Layout(numpy.zeros((4, 2), order="F")))(5) == 5
    records = numpy.zeros(4, dtype=[("a", numpy.int8), ("b", numpy.int32)])
    with pytest.raises(Error, match="not multiples of the 4 bytes"):
        Layout(records["b"])
