"""Queries about one map, operators on bits, and pickling and comparison of objects."""

import gc
import itertools
import pickle
import random
import weakref

import pytest

from affinor import AffinorError, Answer, Error, IndexMap, Layout, Session, Undecided, Verdict, analyze

MODULE = "p = f32[8] parameter(0)\n s = f32[2] slice(p), slice={[1:3]}"


def points(map):
    return itertools.product(*(range(lo, hi + 1) for lo, hi in map.bounds.values()))


@pytest.mark.parametrize(
    "function",
    [
        lambda i, j: i ^ j,
        lambda i, j: i | j,
        lambda i, j: i & j,
        lambda i, j: ~i + j,
        lambda i, j: (i ^ (i >> 1)) & 0b1011,
        lambda i, j: 5 ^ i | 9 & j,
        lambda i, j: 12 | (i - 9),
        lambda i, j: -1 ^ (i * 2 + j),
        lambda i, j: i**1 + j**0 + 3**2,
    ],
)
def test_bits_are_those_of_python(function):
    map = IndexMap.of(function, i=range(-9, 13) if "i - 9" in str(function) else 23, j=14)
    for point in points(map):
        assert map(*point) == (function(*point),), point


def test_random_functions_have_the_values_of_python():
    draw = random.Random(41)

    def term(depth):
        if depth == 0:
            return draw.choice(["i", "j", str(draw.randrange(40))])
        x, y = term(depth - 1), term(depth - 1)
        c = draw.choice([1, 2, 3, 8, 12])
        return draw.choice(
            [f"({x} + {y})", f"({x} - {y})", f"({x}) // {c}", f"({x}) % {c}", f"(({x}) % 32 ^ ({y}) % 16)", f"(({x}) & {c})", f"(({x}) | {c})",
             f"(~({x}))", f"(({x}) << 2)", f"(({x}) >> 1)", f"abs({x})"]
        )

    for _ in range(300):
        text = term(3)
        function = eval(f"lambda i, j: {text}")
        map = IndexMap.of(function, i=9, j=range(-3, 8))
        for _ in range(10):
            i, j = draw.randrange(9), draw.randrange(-3, 8)
            assert map(i, j) == (function(i, j),), (text, i, j)


@pytest.mark.parametrize(
    "function, message",
    [
        (lambda i: i ** -1, "no power with the exponent"),
        (lambda i: i**i, "no power with the exponent"),
        (lambda i: 2**i, "no power of 2"),
        (lambda i: i + "a", "integers only, no str"),
        (lambda i: [1] * i, "integers only, no list"),
        (lambda i: i ^ 1.5, "integers only"),
        (lambda i: i & (i - 100000000), "is known to be nonnegative"),
    ],
)
def test_what_no_map_says_is_an_error(function, message):
    with pytest.raises(Error, match=message):
        IndexMap.of(function, i=(0, None))


def test_ranges_are_those_of_all_points():
    draw = random.Random(5)
    for _ in range(40):
        a, b, c = draw.randrange(1, 9), draw.randrange(1, 9), draw.randrange(-4, 5)
        map = IndexMap(f"(i, j) -> (i - i mod {a} + j floordiv {b} * {c}), domain: i in [0, 17], j in [-3, 12]")
        values = [map(*point)[0] for point in points(map)]
        (range_,) = map.range()
        assert (range_["lo"], range_["hi"], range_["tight"]) == (min(values), max(values), True)
        assert [map(*point.values())[0] for point in range_["at"]] == [min(values), max(values)]


def test_ranges_by_size_are_maps():
    map = IndexMap("<n>(i) -> (i * 2, -i), domain: n in [1, inf], i in [0, n - 1]")
    first, second = map.range()
    assert first["lo"] == 0 and first["hi"](7) == (12,) and second["lo"](3) == (-2,)
    assert map.kinds == {"n": "parameter", "i": "dimension"}
    assert IndexMap("(i) -> (i), domain: i in [0, inf]").range()[0]["hi"] is None


def test_verdicts_of_questions():
    map = IndexMap("(i) -> (i floordiv 2), domain: i in [0, 9]")
    found = map.injective()
    assert not found and map(*found.counterexample["first"].values()) == map(*found.counterexample["second"].values())
    assert IndexMap("(i, j) -> (i * 4 + j), domain: i in [0, 2], j in [0, 3]").injective()
    outside = map.inside([4])
    assert outside.word == "refuted" and map(*outside.counterexample["point"].values()) == (4,)
    assert map.inside((5,)) and map.inside("f32[5]")
    assert map.fits()["parts_fit"] and not IndexMap("(i) -> (i * 3), domain: i in [0, 100]").fits(bits=8)["results_fit"]
    assert IndexMap("(i) -> (i * 2), domain: i in [0, 100]").fits(bits=8, unsigned=True)["results_fit"]


def test_code_and_memory():
    map = IndexMap("(lane) -> (lane * 2), domain: lane in [0, 31]")
    assert map.coalesce()["transactions"] == 8 and map.coalesce(bytes=2)["transactions"] == 4
    assert map.banks()["conflicts"] == 1 and map.banks(bytes=8)["element_bits"] == 64
    assert "2" in map.emit("python", name="twice") and "def twice" in map.emit("python", name="twice")
    assert "\u2503 1" in map.draw()
    with pytest.raises(Error, match="no language `fortran`.*python"):
        map.emit("fortran")
    with pytest.raises(Error):
        map.banks(no_such_option=3)


def test_a_text_is_no_further_option():
    map = IndexMap("(lane) -> (lane * 2), domain: lane in [0, 31]")
    for ask in [
        lambda: map.banks(bytes="4 --warp 8"),
        lambda: map.banks(bytes=""),
        lambda: map.coalesce("f32[64] --warp 8"),
        lambda: map.inside("[64] --no-z3"),
        lambda: map.inside([64, "1] --no-z3"]),
        lambda: map.vector(lane="lane\n--bytes 4"),
    ]:
        with pytest.raises(Error, match="keywords") as raised:
            ask()
        assert raised.value.kind == "usage"


def test_objects_are_pickled_and_compared():
    map = IndexMap("(i) -> (i mod 3), domain: i in [0, 3]")
    verdict = map.equal(IndexMap("(i) -> (i), domain: i in [0, 3]"))
    (answer,) = Session().run("range (d0) -> (d0), domain: d0 in [0, 4]")
    for one in [verdict, Verdict("proved"), Verdict("unknown", reason="no time"), answer, map, analyze(MODULE)]:
        again = pickle.loads(pickle.dumps(one))
        assert again == one and type(again) is type(one) and str(again) == str(one)
    assert verdict != Verdict("proved") and answer != Answer("", None, 0, False)
    with pytest.raises(Error, match="a verdict is"):
        Verdict("perhaps")
    module, other = analyze(MODULE), analyze(MODULE.replace("1:3", "2:4"))
    assert module == analyze(MODULE) and module != other and hash(module) == hash(analyze(MODULE))
    assert module.diff(other) == module.diff(other) != module.diff(module)
    assert module.report() == module.report()
    for one in [map, module, Session()]:
        gone = weakref.ref(one)
        assert gone() is one
    del one, map, module
    gc.collect()


def test_exceptions_have_one_base():
    for kind in (Error, Undecided):
        assert issubclass(kind, AffinorError)
    with pytest.raises(AffinorError) as raised:
        IndexMap("(i")
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is Error and again.message == raised.value.message


def test_instructions_are_values():
    text = "p = f32[8,16] parameter(0)\n t = f32[16,8] transpose(p), dimensions={1,0}\n i = s32[] parameter(1)\n"
    text += " d = f32[16,1] dynamic-slice(t, i, i), dynamic_slice_sizes={16,1}"
    module = analyze(text)
    for one in module.instructions():
        again = pickle.loads(pickle.dumps(one))
        assert again == one and hash(again) == hash(one) and repr(again) == repr(one)
        assert again.reads == one.reads and again.utilisation == one.utilisation
        assert (again == module["t"]) == (one.name == "t")
    assert weakref.ref(module["t"]) is not None and {module["t"], module["t"], module["p"]} == {module["p"], module["t"]}
    with pytest.raises(Error):
        type(module["t"])("c", "n", "o", "s", [], [], "{")


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda map: map(4, 0), "the point is not in the domain: d0 = 4 is not in [0, 3]"),
        (lambda map: map(0, -1), "the point is not in the domain: d1 = -1 is not in [0, 7]"),
        (lambda map: map(3, 7), "at d0 = 3, d1 = 7, `d0 + d1` is 10 and not in [0, 8]"),
        (lambda map: map([0, 3], 7), "point 1 is not in the domain: at d0 = 3, d1 = 7"),
    ],
)
def test_errors_name_what_is_outside(call, words):
    map = IndexMap("(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7], d0 + d1 in [0, 8]")
    with pytest.raises(Error) as raised:
        call(map)
    assert raised.value.kind == "domain" and words in str(raised.value)
    assert map.tree()["results"] == [["add", ["mul", 8, "d0"], "d1"]]
    assert map.tree()["constraints"] == [{"expr": ["add", "d0", "d1"], "bounds": [0, 8]}]


def test_bitcasts():
    turned = Layout("f32[3,5]{0,1}").bitcast("f32[5,3]")
    assert turned["reshape"]["verdict"] == "refuted" and turned["transposes"] == [{"verdict": "proved", "dimensions": [1, 0]}]
    assert Layout("f32[3,5]").bitcast(Layout("f32[15]"))["reshape"]["verdict"] == "proved"
    for other in ("(4,8):(8,1)", "f32[5,3] --check", "f32[5,"):
        with pytest.raises(Error):
            Layout("f32[3,5]").bitcast(other)
