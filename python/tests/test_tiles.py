"""Tiles, boxes and numbers of read elements, compared with all points."""

import itertools

import pytest
import sympy

from affinor import Error, IndexMap, Undecided

DOT = (
    "<n, m, k>(d0, d1)[s0] -> (d0, s0), domain: n in [1, inf], m in [1, inf], k in [1, inf], d0 in [0, n - 1], d1 in [0, m - 1], "
    "s0 in [0, k - 1]"
)
SUM = "<n, m>(d0, d1) -> (d0 + d1{}), domain: n in [1, inf], m in [1, inf], d0 in [0, n - 1], d1 in [0, m - 1]"


def at(value, sizes):
    """Evaluates a number at values of the named sizes."""
    return value(*[sizes[name] for name in value.variables])[0] if isinstance(value, IndexMap) else value


def points(map, sizes):
    """All points of a map with their results, for these values of its named sizes, which come last."""
    own = [name for name in map.variables if name not in sizes]
    ranges = [range(map.bounds[name][0], (20 if map.bounds[name][1] is None else map.bounds[name][1]) + 1) for name in own]
    for point in itertools.product(*ranges):
        try:
            yield point, map(*point, *[sizes[name] for name in map.variables[len(own) :]])
        except Error:
            pass  # not in the domain


def elements(tile, numbers, sizes):
    """The elements of a tile; None if it is said to read nothing."""
    ends = [*numbers, *[sizes[name] for name in tile["offset"].variables[len(numbers) :]]]
    try:
        first = tile["offset"](*ends)
    except Error:
        return None
    sides = []
    for side, offset in enumerate(first):
        size, stride = at(tile["size"][side], sizes), at(tile["stride"][side], sizes)
        last, within = tile["last"][side], tile["within"][side]
        lo, hi = (None if end is None else at(end, sizes) for end in within)
        run = [offset + number * stride for number in range(size)]
        sides.append([
            x for x in run
            if (last is None or x <= last(*ends)[0]) and (lo is None or x >= lo) and (hi is None or x <= hi)
        ])
    return set(itertools.product(*sides))


@pytest.mark.parametrize(
    "text, sizes, options, named",
    [
        ("(d0, d1) -> (d0 * 2 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 3], d1 in [0, 31]", (1, 32), {}, {}),
        ("(d0, d1) -> (d0 * 2 + d1 floordiv 16, d1 mod 16), domain: d0 in [0, 3], d1 in [0, 31]", (..., 8), {}, {}),
        ("(d0, d1)[s0] -> (d0 + s0, d1), domain: d0 in [0, 29], d1 in [0, 9], s0 in [0, 2]", (8, 5), {}, {}),
        ("(d0, d1)[s0] -> (d0, s0), domain: d0 in [0, 9], d1 in [0, 5], s0 in [0, 15]", (4, 3), {"along": [8]}, {}),
        ("(d0) -> (d0 * 2 + d0 floordiv 5), domain: d0 in [0, 29]", (4,), {}, {}),
        ("(d0) -> (d0 * 3), domain: d0 in [0, 29]", (4,), {"stride": [2]}, {}),
        ("(d0) -> (17 - d0), domain: d0 in [5, 17]", (4,), {}, {}),
        (DOT, ("bm", "bn"), {"along": ("bk",)}, {"n": 7, "m": 5, "k": 6, "bm": 3, "bn": 2, "bk": 4}),
        (DOT, (2, "m"), {"along": ["k"]}, {"n": 7, "m": 5, "k": 6}),
        ("(d0)[s0] -> (d0 + s0), domain: d0 in [0, 21], s0 in [0, 2]", ("2 * b",), {}, {"b": 3}),
    ],
)
def test_tiles_have_what_is_read(text, sizes, options, named):
    map = IndexMap(text)
    tile = map.tile(*sizes, **options)
    given = [size for size in sizes if size is not ...]
    given = [1] * (len(map.results) - len(given)) + given if ... in sizes else given
    given += list(options.get("along", ()))
    given = [eval(size, {}, named) if isinstance(size, str) else size for size in given]
    stride = options.get("stride", [1] * len(given))
    read = {}
    for point, result in points(map, named):
        # With strides, tile number t has the elements from (t floordiv stride) * size * stride + t mod stride on.
        numbers = tuple(x // (size * step) * step + x % step for x, size, step in zip(point, given, stride))
        read.setdefault(numbers, set()).add(result)
    assert tile["exact"] or "floordiv 5" in text
    most = 0
    for numbers, expected in read.items():
        found = elements(tile, numbers, named)
        assert found == expected if tile["exact"] else found >= expected, numbers
        most = max(most, len(found))
    assert most <= at(tile["elements"], named)
    # A tile that reads nothing.
    assert elements(tile, [1 + max(x) for x in zip(*read)], named) is None


def test_suggested_tiles_read_tiles():
    turned = IndexMap("(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 63]")
    found = turned.suggest_tiles(most=256)
    assert found and all(turned.tile(*one["sizes"])["exact"] and one["elements"] <= 256 for one in found)


@pytest.mark.parametrize(
    "text, named",
    [
        (SUM.format(""), {"n": 4, "m": 3}),
        (SUM.format(" * n"), {"n": 4, "m": 3}),
        ("<n>(d0) -> (d0 * n, d0 mod 2), domain: n in [1, 9], d0 in [0, 3]", {"n": 5}),
        ("<n>(d0) -> (d0 * 2, 7), domain: n in [0, inf], d0 in [0, n - 1]", {"n": 4}),
        ("<n>(d0) -> (d0 mod n), domain: n in [1, inf], d0 in [0, n * n]", {"n": 3}),
        ("<n>(d0) -> (d0), domain: n in [-5, inf], d0 in [0, n - 1]", {"n": -3}),
        ("<n>(d0) -> (d0), domain: n in [-5, inf], d0 in [0, n - 1]", {"n": 3}),
        ("<n>(d0) -> (d0 floordiv 2), domain: n in [1, 9], d0 in [0, 7]", {"n": 3}),
    ],
)
def test_boxes_and_counts_by_size(text, named):
    map = IndexMap(text)
    read = {result for _, result in points(map, named)}
    assert at(map.count(), named) == len(read)
    image = map.image()
    sides = [
        range(at(lo, named), at(hi, named) + 1, at(step, named)) for (lo, hi), step in zip(image["box"], image["steps"])
    ]
    box = set(itertools.product(*sides))
    assert box == read if image["exact"] else box >= read
    assert len(box) == at(image["size"], named)


def test_counts_are_maps_of_sizes():
    count = IndexMap(SUM.format("")).count()
    assert count.variables == ("n", "m") and count(4, 3) == (6,)
    n, m = (sympy.Symbol(name, integer=True) for name in "nm")
    assert count.to_sympy() == (n + m - 1,)
    with pytest.raises(Undecided, match="the same result"):
        IndexMap(SUM.format(" * 3")).count()
    with pytest.raises(Undecided, match="in terms of its sizes"):
        IndexMap("<n>(d0) -> (d0 * n), domain: n in [1, inf], d0 in [0, inf]").image()


LINE = IndexMap("(d0) -> (d0 * 2), domain: d0 in [0, 9]")


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda: LINE.tile(), "arity", "0 size"),
        (lambda: LINE.tile(2, 2), "arity", "1 dimension"),
        (lambda: LINE.tile(..., 2, 2), "arity", "1 dimension"),
        (lambda: LINE.tile("a", "b"), "arity", "1 dimension"),
        (lambda: LINE.tile(0), "arity", "at least 1"),
        (lambda: LINE.tile(2, stride=[0]), "arity", "at least 1"),
        (lambda: LINE.tile(2, stride=[1, 1]), "arity", "one stride per size"),
        (lambda: LINE.tile(2, along=[2]), "arity", "0 range variables"),
        (lambda: LINE.tile("b", stride=[2]), "usage", "numbers"),
        (lambda: LINE.tile("d0"), "name", "same for all points"),
        (lambda: LINE.tile("b - 2"), "division", "at least 1"),
        (lambda: LINE.tile("b +"), "syntax", "expected"),
        (lambda: IndexMap("(d0) -> (d0), domain: d0 in [0, inf]").tile(2), "too-large", "bound"),
        (lambda: IndexMap(DOT).suggest_tiles(), "unsupported", "without named sizes"),
        (lambda: IndexMap("<n>(d0){rt0} -> (d0 + rt0), domain: n in [1, 9], d0 in [0, n - 1], rt0 in [0, 3]").count(), "unsupported", "runtime"),
    ],
)
def test_what_makes_no_tiles(make, kind, words):
    with pytest.raises(Error) as raised:
        make()
    assert (raised.value.kind, words in str(raised.value)) == (kind, True), str(raised.value)


def test_sizes_are_integers_or_text():
    with pytest.raises(TypeError):
        LINE.tile(2.5)
    with pytest.raises(TypeError):
        LINE.tile("b", along=None)
    nothing = IndexMap("(d0) -> (d0), domain: d0 in [3, 2]")
    assert nothing.tile(2) is None and nothing.tile("b") is None
