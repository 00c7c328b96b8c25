"""Index expressions of PyTorch's Inductor. Without torch, classes with the same names replace its classes."""

import ast
import doctest
import json
import random
import re
from pathlib import Path

import numpy
import pytest
import sympy

import affinor.torch
from affinor.torch import measure, simplify_with_ranges, statistics

# Their remainders by s0 + 1 would have numerators that may be negative: see test_remainders_by_sums_are_not_written_anew.
BY_SUMS = {"ind-1423", "ind-1425", "ind-1427", "ind-1667", "ind-1669"}
RECORDED = Path(__file__).parents[2] / "benches" / "data" / "inductor.jsonl"


def stand_in(name, **own):
    return type(name, (sympy.Function,), {"is_integer": True, "__module__": __name__, **own})


FloorDiv, ModularIndexing, CleanDiv, CeilDiv, Mod = map(stand_in, ("FloorDiv", "ModularIndexing", "CleanDiv", "CeilDiv", "Mod"))
PythonMod, Min, Opaque = map(stand_in, ("PythonMod", "Min", "Opaque"))
STAND_INS = (FloorDiv, ModularIndexing)
OPERATIONS = {
    "Add": lambda *parts: sum(parts),
    "Mul": lambda x, *rest: x * OPERATIONS["Mul"](*rest) if rest else x,
    "Pow": lambda x, power: x**power,
    "FloorDiv": lambda x, y: x // y,
    "CleanDiv": lambda x, y: x // y,
    "CeilDiv": lambda x, y: -(-x // y),
    "ModularIndexing": lambda x, y, m: x // y % m,
    "Mod": lambda x, y: x % y,
    "PythonMod": lambda x, y: x % y,
    "Min": lambda *parts: numpy.minimum.reduce(numpy.broadcast_arrays(*parts)),
    "Max": lambda *parts: numpy.maximum.reduce(numpy.broadcast_arrays(*parts)),
    "Opaque": lambda x: x * x - 3,
}
# As in C, with the sign of the numerator. Quotients round down in Inductor's code as well.
IN_C = {**OPERATIONS, "ModularIndexing": lambda x, y, m: numpy.fmod(x // y, m), "Mod": numpy.fmod}


def value(expr, point, operations=OPERATIONS):
    if expr.is_Integer:
        return int(expr)
    if expr.is_Symbol:
        return point[expr.name]
    return operations[expr.func.__name__](*[value(x, point, operations) for x in expr.args])


def check(given, found, points):
    """Checks that both have the same values, also in C if the given expression is right there."""
    before, after = measure(given), measure(found)
    assert after.operations <= before.operations and after.divisions <= before.divisions
    for point in points:
        expected = value(given, point)
        assert numpy.all(expected == value(found, point)), (given, found, point)
        is_right = numpy.broadcast_to(expected == value(given, point, IN_C), numpy.shape(expected))
        assert numpy.all((expected == value(found, point, IN_C)) | ~is_right), (given, found, point)


def counted():
    """Returns the nonzero counters."""
    return {word: count for word, count in statistics().items() if count}


def in_python(text):
    return re.sub(r"\bmod\b", "%", text.replace("floordiv", "//"))


def expression(text, symbols, classes=STAND_INS):
    """Parses the recorded text of an expression or comparison."""
    floor_div, modular = classes

    def of(node):
        if isinstance(node, ast.Constant):
            return sympy.Integer(node.value)
        if isinstance(node, ast.Name):
            return symbols[node.id]
        if isinstance(node, ast.UnaryOp):
            return -of(node.operand)
        if isinstance(node, ast.Call):
            return getattr(sympy, node.func.id.capitalize())(*map(of, node.args))
        if isinstance(node, ast.Compare):
            word = {"Eq": "Eq", "NotEq": "Ne", "Lt": "Lt", "LtE": "Le", "Gt": "Gt", "GtE": "Ge"}[type(node.ops[0]).__name__]
            return getattr(sympy, word)(of(node.left), of(node.comparators[0]), evaluate=False)
        x, y, word = of(node.left), of(node.right), type(node.op).__name__
        if word == "Mod":
            return modular(*x.args, y) if isinstance(x, floor_div) else modular(x, sympy.Integer(1), y)
        return floor_div(x, y) if word == "FloorDiv" else x * y if word == "Mult" else x + y if word == "Add" else x - y

    return of(ast.parse(in_python(text), mode="eval").body)


def settings(case, chosen, count=3, tries=3000):
    """Draws values of the sizes that satisfy bounds and facts, with points of the variables."""
    multiples = case.get("multiple_of") or {}
    facts = [compile(in_python(fact), "fact", "eval") for fact in case.get("facts", [])]
    for _ in range(tries):
        sizes = {}
        for name, (lo, _) in case["params"].items():
            lo, multiple = -20 if lo is None else lo, multiples.get(name, 1)
            known = [x * factor for x in sizes.values() for factor in (1, 2, 3, 4)]
            drawn = chosen.choice([lo, lo + 1, 7, 8, 16, 64, chosen.randint(lo, lo + 20), chosen.randint(lo, lo + 200), *known])
            sizes[name] = max(-(-lo // multiple), drawn // multiple) * multiple
        try:
            if not all(eval(fact, {}, sizes) for fact in facts):
                continue
            ends = {
                name: (lo, 2**20 if hi is None else eval(in_python(hi), {}, sizes) if isinstance(hi, str) else hi)
                for name, (lo, hi) in case["vars"].items()
            }
        except ZeroDivisionError:
            continue
        if all(lo <= hi for lo, hi in ends.values()):
            drawn = {name: [lo, hi, *[chosen.randint(lo, hi) for _ in range(60)]] for name, (lo, hi) in ends.items()}
            yield {**sizes, **{name: numpy.array(chosen.sample(values, len(values))) for name, values in drawn.items()}}
            count -= 1
            if count == 0:
                return


def compare(cases, classes):
    """Compares the recorded expressions with the answers; returns the numbers of operations of both."""
    operations = [0, 0]
    for case in cases:
        symbols = {name: sympy.Symbol(name, integer=True, nonnegative=True) for name in case["vars"]}
        symbols.update({
            name: sympy.Symbol(name, integer=True, positive=None if lo is None else True) for name, (lo, _) in case["params"].items()
        })
        of = lambda text: expression(text, symbols, classes)
        given = of(case["expr"])
        ranges = {
            symbols[name]: of(hi) + 1 if isinstance(hi, str) else hi + 1
            for name, (_, hi) in case["vars"].items()
            if hi is not None
        }
        sizes = {symbols[name]: bounds for name, bounds in case["params"].items()}
        facts = [of(fact) for fact in case.get("facts", [])]
        facts += [sympy.Eq(Mod(symbols[name], n), 0) for name, n in (case.get("multiple_of") or {}).items()]
        found = simplify_with_ranges(given, ranges, sizes=sizes, facts=facts)
        points = list(settings(case, random.Random(case["id"])))
        assert points, case["id"]
        check(given, found, points)
        for number, expr in enumerate((given, found)):
            operations[number] += measure(expr).operations
    return operations


@pytest.mark.parametrize("part", range(8))
def test_what_inductor_met(part):
    cases = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    assert len(cases) == 838
    statistics(clear=True)
    given, found = compare(cases[part::8], STAND_INS)
    counted = statistics()
    kept = counted.get("fallback: sign", 0)
    assert counted["calls"] == len(cases[part::8]) == counted["smaller"] + counted["same"] + kept
    assert kept == sum(case["id"] in BY_SUMS for case in cases[part::8])
    assert found < 0.7 * given


X, Y, Z = sympy.symbols("x y z", integer=True, nonnegative=True)
N, M = sympy.symbols("n m", integer=True, positive=True)
U = sympy.Symbol("u", integer=True)


@pytest.mark.parametrize(
    "given, ranges, expected",
    [
        (FloorDiv(X * N + Y, N), {X: 8, Y: N}, X),
        (ModularIndexing(X * N + Y, 1, N), {X: 8, Y: N}, Y),
        (ModularIndexing(X * 4 + Y, 4, 8), {X: 64, Y: 4}, ModularIndexing(X, 1, 8)),
        (FloorDiv(X, 4) * 4 + ModularIndexing(X, 1, 4), {X: 64}, X),
        (CleanDiv(X * 8, 8) + FloorDiv(Y, 4), {X: 3, Y: 4}, X),
        (CeilDiv(X * 8 + 8, 8), {X: 3}, X + 1),
        (Mod(Mod(X, 12), 4), {X: 64}, Mod(X, 4)),
        (PythonMod(Mod(X, 12), 4), {X: 64}, Mod(X, 4)),
        (PythonMod(PythonMod(U, 12), 4), {}, PythonMod(U, 4)),
        (sympy.Mod(sympy.Mod(X, 12), 4) + sympy.floor(Y / 8), {X: 64, Y: 8}, sympy.Mod(X, 4)),
        (sympy.ceiling((X * 8 + 1) / 8), {X: 64}, X + 1),
        (sympy.Min(X, 9) + sympy.Max(Y, 3), {X: 8, Y: 3}, X + 3),
        # The numerator may be negative, so the remainder may differ in C.
        (ModularIndexing(X - Y + 8 * Z + 8, 1, 8), {X: 8, Y: 8, Z: 8}, PythonMod(X - Y, 8)),
        # A part that a map cannot express becomes a variable.
        (FloorDiv(Opaque(X) * 4 + Y, 4), {X: 8, Y: 4}, Opaque(X)),
        (ModularIndexing(ModularIndexing(X * Y, 1, 8), 1, 4), {X: 8, Y: 8}, ModularIndexing(X * Y, 1, 4)),
        (FloorDiv(FloorDiv(X, Y + 1) * 4 + Z, 4), {X: 8, Y: 8, Z: 4}, FloorDiv(X, Y + 1)),
        # Symbols without a range have the bounds of their assumptions.
        (ModularIndexing(Z * N + Y, N, M) * N + Y, {Y: N}, ModularIndexing(Z, 1, M) * N + Y),
        # A nonnegative divisor is assumed not to be 0.
        (FloorDiv(X * FloorDiv(N, 4) + Y, FloorDiv(N, 4)), {X: 8, Y: FloorDiv(N, 4)}, X),
    ],
)
def test_what_is_smaller(given, ranges, expected):
    found = simplify_with_ranges(given, ranges)
    assert found == expected and [type(x) for x in found.args] == [type(x) for x in expected.args]


def test_sizes_and_facts():
    given = FloorDiv(X, N)
    assert simplify_with_ranges(given, {X: 8}) == given
    assert simplify_with_ranges(given, {X: 8}, sizes={N: (8, None)}) == 0
    assert simplify_with_ranges(given, {X: M}, facts=[M <= N]) == 0
    assert simplify_with_ranges(given, {X: M}, facts=[sympy.Ne(M, N), sympy.Or(M < N, M > 2), M < Opaque(Z), M < N]) == 0
    assert simplify_with_ranges(ModularIndexing(X * M * 8 + Y, 1, M * 8), {Y: M * N}, facts=[N < 9]) == Y
    even = ModularIndexing(N, 1, 2) + X
    assert simplify_with_ranges(even, {X: 8}) == even
    assert simplify_with_ranges(even, {X: 8}, facts=[sympy.Eq(Mod(N, 4), 0)]) == X


def test_large_facts():
    """The smallest facts are used, up to 64 operations."""
    sizes = sympy.symbols("s:66", integer=True, positive=True)
    volumes = {count: sympy.prod(sizes[:count]) for count in (5, 25, 40, 66)}
    given, facts = FloorDiv(X, N), {count: sympy.Le(volume, N, evaluate=False) for count, volume in volumes.items()}
    for counts, of, expected in [
        ([5], 5, 0),
        ([25], 25, 0),
        ([66], 66, given),
        ([66, 25], 25, 0),
        ([25] * 9, 25, 0),
        ([40, 25], 40, 0),
        ([40, 25, 5], 40, given),
        ([40, 25, 5], 25, 0),
    ]:
        assert simplify_with_ranges(given, {X: volumes[of]}, facts=[facts[count] for count in counts]) == expected


@pytest.mark.parametrize(
    "given, ranges, reason",
    [
        (FloorDiv(sympy.Symbol("t") * 2, 2), {}, "unsupported"),
        (sympy.Lt(FloorDiv(X, 8), 1), {X: 8}, "unsupported"),
        (FloorDiv(X * 8, U), {X: 8}, "division"),
        (FloorDiv(X, 8), {X: 0}, "empty"),
        (FloorDiv(X * 2**70 + Y, 2**70), {X: 8, Y: 8}, "overflow"),
        (FloorDiv(X, 0), {X: 8}, "division"),
    ],
)
def test_what_stays(given, ranges, reason):
    statistics(clear=True)
    assert simplify_with_ranges(given, ranges) is given
    assert simplify_with_ranges(given, ranges, otherwise=lambda expr, own: (expr, own)) == (given, ranges)
    assert counted() == {"calls": 2, f"fallback: {reason}": 2}


def test_answers_without_a_class_stay():
    # No class has the meaning of the remainder in the answer: there are only these two, of no module.
    floor_div, modular = sympy.Function("FloorDiv"), sympy.Function("ModularIndexing")
    statistics(clear=True)
    for given in (modular(X - Y + 8 * Z + 8, 1, 8), X * 2 - floor_div(X, 4) * 8):
        assert simplify_with_ranges(given, {X: 8, Y: 8, Z: 8}) is given
    assert counted() == {"calls": 2, "fallback: sign": 1, "fallback: class": 1}


def test_remainders_by_sums_are_not_written_anew():
    # sympy's Mod, which PythonMod calls on substitution, does not terminate for some of them.
    given = ModularIndexing(X - Y + 8 * (N + 1), 1, N + 1)
    statistics(clear=True)
    assert simplify_with_ranges(given, {X: N, Y: 8}) is given
    assert counted() == {"calls": 1, "fallback: sign": 1}
    by_name = ModularIndexing(X - Y + 8 * N, 1, N)
    assert simplify_with_ranges(by_name, {X: N, Y: 8}) == PythonMod(X - Y, N)


def test_exceptions_of_classes_are_fallbacks():
    class Broken(sympy.Function):
        is_integer = True

        def _eval_is_nonnegative(self):
            raise RuntimeError

    given = FloorDiv(Broken(X) * 4, 4)
    statistics(clear=True)
    assert simplify_with_ranges(given, {X: 8}) is given
    assert counted() == {"calls": 1, "fallback: RuntimeError": 1}


def test_random_expressions():
    chosen = random.Random(5)

    def drawn(depth):
        if depth == 0 or chosen.random() < 0.15:
            return chosen.choice([X, Y, Z, X * 8 + Y, sympy.Integer(chosen.randint(-3, 20))])
        x, y, number = drawn(depth - 1), drawn(depth - 1), chosen.choice([1, 2, 3, 4, 8, 12, N, N * 2])
        return chosen.choice([
            lambda: x + y, lambda: x - y, lambda: x * number, lambda: FloorDiv(x, number), lambda: PythonMod(x, number),
            lambda: ModularIndexing(x, number, chosen.choice([2, 4, N])), lambda: Min(x, y), lambda: CeilDiv(x, number),
        ])()

    smaller = 0
    for _ in range(300):
        given = drawn(4)
        found = simplify_with_ranges(given, {X: 12, Y: 8, Z: N})
        smaller += found != given
        points = []
        for n in (1, 2, 5):
            own = {"x": range(12), "y": range(8), "z": range(n)}
            points.append({"n": n, **{name: numpy.array(chosen.choices(values, k=60)) for name, values in own.items()}})
        check(given, found, points)
    assert smaller > 100


def test_measure():
    assert measure(X) == (0, 0) and measure(X - Y) == (1, 0) and measure(-X) == (0, 0)
    assert measure(3 * X + Y - 2) == (3, 0) and measure(N**3) == (2, 0)
    assert measure(FloorDiv(X, 4) + ModularIndexing(X, 1, 4) + ModularIndexing(X, 2, 4)) == (6, 4)
    assert measure(sympy.Max(X, Y, 3)) == (2, 0) and measure(Opaque(X)) == (1, 0)


def test_examples():
    assert affinor.torch.__doc__ and all(getattr(affinor.torch, name).__doc__ for name in affinor.torch.__all__)
    found = doctest.testmod(affinor.torch)
    assert found.failed == 0 and found.attempted >= 4


def test_recorded_expressions_in_classes_of_torch():
    functions = pytest.importorskip("torch.utils._sympy.functions")
    cases = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    statistics(clear=True)
    given, found = compare(cases, (functions.FloorDiv, functions.ModularIndexing))
    assert found < 0.8 * given and not any("fallback" in word and word.split()[1] not in ("larger", "sign") for word in counted())
    assert statistics()["fallback: sign"] == len(BY_SUMS)
