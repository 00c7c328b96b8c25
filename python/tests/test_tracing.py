"""Maps of functions with branches and comparisons, and of texts of code: their results, and rejected functions."""

import itertools
import math
import random

import numpy
import pytest

from affinor import Error, IndexMap, ceildiv, minimum


def points(map):
    return itertools.product(*(range(lo, hi + 1) for lo, hi in map.bounds.values()))


def halvings(i):
    count = 0
    while i > 0:
        i //= 2
        count += 1
    return count


def skewed(i, j):
    if i < j:
        return j, i
    if i == 2 * j or not j % 3:
        return i - j, 7
    return i, j


@pytest.mark.parametrize(
    "function",
    [
        lambda i, j: i * 2 if i < 4 else j,
        lambda i, j: min(i, j, 4) + max(i - 3, j),
        lambda i, j: 1 if 2 <= i < 5 else 0,
        lambda i, j: 5 if i else 7,
        lambda i, j: 5 if not i % 2 else i,
        lambda i, j: (i < 3) * 2 + j,
        lambda i, j: (i < 3) + (j != 2) - (i == j) // 2 - (-(i > j)),
        lambda i, j: ((i < 3) & (j < 2)) | (i == 5),
        lambda i, j: (i < 3) == (j < 3),
        lambda i, j: 1 if i in (1, 5) else 0,
        lambda i, j: sorted([i, j]),
        lambda i, j: i and j,
        lambda i, j: i or 9,
        lambda i, j: halvings(i),
        lambda i, j: i * j - j**2 + (i < 3) * j + (i + 2) // (i + 1) - j % (i + 5),
        lambda i, j: i // -3 + j % -4 + sum(divmod(i - j, -5)) + ceildiv(j, -2) + 7 // -2,
        lambda i, j: ((i - 4) ^ j) + ((i - 4) & j) * 100 + ((i - 4) | j) * 10000,
        lambda i, j: (j ^ j) + (j & j) + (j | j),
        lambda i, j: numpy.minimum(i, 3) * 10 + numpy.maximum(j, numpy.int64(2)) + numpy.abs(j) * 100 + numpy.clip(j, 0, 4),
        lambda i, j: numpy.where(i < 3, i, 0) + numpy.where(numpy.logical_and(i > 1, numpy.logical_not(j > 2)), 7, j),
        lambda i, j: numpy.mod(j, 3) + numpy.floor_divide(i, 2) * numpy.int32(4) + numpy.sign(j) + (numpy.int64(5) > i),
        lambda i, j: abs(i < 3) + (j > 1) ** 2 + round(i < j) + math.floor(i == j),
        lambda i, j: math.floor(i) + round(j) + numpy.int64(3) * i + (numpy.int64(2) - i) * numpy.int64(5),
        skewed,
    ],
)
def test_branches_and_comparisons(function):
    map = IndexMap.of(function, i=range(8), j=range(-2, 6))
    for point in points(map):
        expected = function(*point)
        assert map(*point) == tuple(map_ for map_ in (expected if isinstance(expected, (tuple, list)) else [expected])), point


def test_minima_stay_minima():
    assert IndexMap.of(lambda i: min(i, 4), i=8).results == ("min(i, 4)",)
    assert IndexMap.of(lambda i, j: i if i > j else j, i=8, j=8).results == ("max(i, j)",)
    assert IndexMap.of(lambda i: i if i < 100 else 0, i=8).results == ("i",)
    assert IndexMap.of(lambda i, *, n: i if i < n else n, i=8, n=(1, None)).results == ("min(i, n)",)


def condition(draw, depth):
    x, y, kind = term(draw, depth - 1), term(draw, depth - 1), draw.random()
    compared = f"{x} {draw.choice(['<', '<=', '>', '>=', '==', '!='])} {y}"
    if kind < 0.6:
        return compared
    if kind < 0.75:
        return f"{draw.randrange(-3, 4)} <= {x} < {draw.randrange(3, 9)}"
    word = draw.choice(["and", "or"])
    return f"({compared} {word} {term(draw, 0)} > 2)" if kind < 0.93 else f"not ({compared})"


def term(draw, depth):
    if depth <= 0:
        return draw.choice(["i", "j", str(draw.randrange(-5, 40))])
    x, y, c = term(draw, depth - 1), term(draw, depth - 1), draw.choice([1, 2, 3, 8, 12])
    if draw.random() < 0.25:
        return f"({x} if {condition(draw, depth - 1)} else {y})"
    return draw.choice(
        [f"({x} + {y})", f"({x} - {y})", f"({x}) // {c}", f"({x}) % {c}", f"(({x}) % 32 ^ ({y}) % 16)", f"(({x}) & {c})", f"(({x}) | {c})",
         f"(~({x}))", f"(({x}) << 2)", f"(({x}) >> 1)", f"abs({x})", f"min({x}, {y})", f"minimum({x}, {y})", f"({x} < {y}) * {c}",
         f"({c} + ({x} != {y}))", f"divmod({x}, {c})[1]", f"ceildiv({x}, {c})", f"({x})**1", f"({x} if j else {y})"]
    )


def test_random_functions_with_branches():
    draw = random.Random(53)
    for _ in range(300):
        text = term(draw, draw.choice([1, 2, 3]))
        function = eval(f"lambda i, j: {text}", {"minimum": minimum, "ceildiv": ceildiv})
        map = IndexMap.of(function, i=9, j=range(-3, 8))
        for _ in range(20):
            i, j = draw.randrange(9), draw.randrange(-3, 8)
            assert map(i, j) == (int(function(i, j)),), (text, i, j)


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda i: {i: 1}, "no lookups in sets and dicts"),
        (lambda i: [1, 2][i], "no lookups"),
        (lambda i: sum(range(i)), "no loops"),
        (lambda i: 3 << i, "constant number of bits"),
        (lambda i: 3 >> i, "constant number of bits"),
        (lambda i: i << -1, "0 to 62 bits"),
        (lambda i: divmod(7, i), "not known to be positive"),
        (lambda i: i @ i, "product of matrices"),
        (lambda i: len(i), "no length"),
        (lambda i: list(i), "no elements"),
        (lambda i: i[0], "no elements"),
        (lambda i: 3 in i, "no elements"),
        (lambda i: i(), "no call"),
        (lambda i: f"{i:d}", "without a form"),
        (lambda i: math.sqrt(i), "integers only"),
        (lambda i: complex(i), "integers only"),
        (lambda i: i + None, "no NoneType"),
        (lambda i: i < "a", "no str"),
        (lambda i: numpy.arange(3) + i, "no ndarray"),
        (lambda i: i + numpy.arange(3), "no ndarray"),
        (lambda i: numpy.sin(i), "no numpy.sin"),
        (lambda i: numpy.add.accumulate(i), "no numpy.add.accumulate"),
        (lambda i: numpy.where(i < 3), "numpy.where of 1 values"),
        (lambda i: numpy.clip(i, 0, 3, out=numpy.zeros(3)), "no numpy.clip with `out`"),
        (lambda i: None, "no NoneType"),
        (lambda i: ~(i < 3), "no bits"),
        (lambda i: {i < 3: 1}, "no number"),
        (lambda i: [1, 2][i < 3], "no number"),
        (lambda i: (i < 3) / 2, "no fraction"),
        (lambda i: (1, 2) if i < 2 else 1, "2 results on one way, and 1 on another"),
        (lambda i: halvings(i * 10**18), "at most 64 branches|more than 64 cases"),
        (lambda i: sum(i % 2**k > 2 ** (k - 1) and 1 for k in range(1, 20)), "more than 64 cases"),
    ],
)
def test_what_no_map_says(function, words):
    with pytest.raises(Error, match=words):
        IndexMap.of(function, i=(0, None))


def test_an_error_in_a_branch_ends_it():
    with pytest.raises(ZeroDivisionError):
        IndexMap.of(lambda i: 1 // 0 if i < 3 else i, i=8)
    assert IndexMap.of(lambda i: min(i, 4), i=8)(7) == (4,)
    outer = IndexMap.of(lambda i: IndexMap.of(lambda j: min(j, 2), j=4)(3)[0] + max(i, 2), i=8)
    assert [outer(i)[0] for i in range(8)] == [2 + max(i, 2) for i in range(8)]
    seen = []
    IndexMap.of(lambda i: seen.append(i < 3) or i, i=8)
    with pytest.raises(Error, match="no truth value here"):
        bool(seen[0])


@pytest.mark.parametrize(
    "where, words",
    [
        (lambda i, j: i != 3, "cannot express `!=`"),
        (lambda i, j: i <= j and j < 3, "list of comparisons"),
        (lambda i, j: i + j, "not a comparison"),
    ],
)
def test_what_no_domain_says(where, words):
    with pytest.raises(Error, match=words):
        IndexMap.of(lambda i, j: i, where, i=8, j=8)


@pytest.mark.parametrize(
    "text, function, bounds",
    [
        ("i // 4", lambda i: i // 4, {"i": range(-9, 9)}),
        ("lambda i, j: (i * 4 + j) // 8", lambda i, j: (i * 4 + j) // 8, {"i": range(9), "j": range(5)}),
        ("i // 4 for i in range(8)", lambda i: i // 4, {"i": range(8)}),
        ("i * 2 if i < 4 else i for i in range(8)", lambda i: i * 2 if i < 4 else i, {"i": range(8)}),
        ("i ^ (i >> 1) for i in range(16)", lambda i: i ^ (i >> 1), {"i": range(16)}),
        ("a = i // 2; a + 1 for i in range(4)", lambda i: i // 2 + 1, {"i": range(4)}),
        ("def f(i):\n  return i // 2\n", lambda i: i // 2, {"i": range(9)}),
        ("int f(int i) { return i / 2; }", lambda i: int(i / 2), {"i": range(-9, 9)}),
        ("quit", lambda i: i, {"quit": range(3)}),
        ("show - i", lambda show, i: show - i, {"show": range(3), "i": range(3)}),
        ("hlo - x", lambda hlo, x: hlo - x, {"hlo": range(3), "x": range(3)}),
    ],
)
def test_texts_of_code(text, function, bounds):
    map = IndexMap(text)
    assert list(map.variables) == list(bounds)
    for point in itertools.product(*bounds.values()):
        assert map(*point) == (function(*point),)


@pytest.mark.parametrize(
    "text, kind, position",
    [
        ("i < 3", "unsupported", (0, 5)),
        ("x[i] + y[j]", "unsupported", (0, 4)),
        ("i +", "syntax", (3, 3)),
        ("i // 0", "division", (5, 6)),
        ("", "syntax", (0, 0)),
        ("(i) -> (i + x)", "name", (12, 13)),
        ("quit(3)", "name", (0, 7)),
        ("simplify (i) -> (i), domain: i in [0, 3]", "syntax", (0, 8)),
        ("layout f32[3,5] --svg /nowhere/a.svg", "syntax", (7, 10)),
        ("let x = 3", "syntax", (4, 5)),
        ("(4,8):(8,1)", "syntax", (2, 3)),
    ],
)
def test_texts_that_are_no_maps(text, kind, position):
    with pytest.raises(Error) as raised:
        IndexMap(text)
    assert (raised.value.kind, raised.value.position) == (kind, position), str(raised.value)


def test_functions_without_a_signature():
    with pytest.raises(Error, match="arguments of `max` are unknown.*lambda i, j: max"):
        IndexMap.of(max, i=3, j=3)


def test_values_by_name():
    map = IndexMap.of(lambda i, j, *, n: i * n + j, i=8, j=4, n=(1, None))
    assert map(i=2, j=3, n=10) == map(2, 3, n=10) == map(2, n=10, j=3) == map(2, 3, 10) == (23,)
    assert (map(i=numpy.arange(3), j=0, n=2)[0] == [0, 2, 4]).all()
    for call, words in [
        (lambda: map(1, n=1, i=1, j=1), "`i` is given by place and by name"),
        (lambda: map(i=1, j=1, k=1, n=1), "no variable `k`: it has i, j, n"),
        (lambda: map(i=1, n=1), "2 values for 3 variables"),
    ]:
        with pytest.raises(Error, match=words):
            call()
