"""Maps from and to Python functions, sympy, islpy and MLIR: values are compared with those of the other side."""

import random

import islpy
import pytest
import sympy
from jaxlib.mlir import ir

from affinor import Error, IndexMap, ceildiv, maximum, minimum

FUNCTIONS = [
    lambda i, j: (i * 4 + j) // 8,
    lambda i, j: (i // 3, j % 5, i - j),
    lambda i, j: [(3 - i) // 2, (i - 2 * j) % 7, -i, +j, 12],
    lambda i, j: minimum(i, j, 5) + maximum(-3, j - i),
    lambda i, j: ceildiv(i - 7, 4) * 2 + 1,
    lambda i, j: divmod(i * 5 - j, 6),
    lambda i, j: ((i >> 2) + (j << 3), i & 7, 3 & j, abs(i - j)),
    lambda i, j: ((i + j) * (2 + 3) // 4 % 3) * 7 - (i % 4 + j // 2) // 3,
    lambda i, j: 0,
]
BY_SIZE = lambda i, *, n: (i // n, i % n, i * n + n * n, ceildiv(i, n))


def points(map, count=60):
    chosen = random.Random(7)
    ends = [(-9 if lo is None else lo, 9 if hi is None else hi) for lo, hi in map.bounds.values()]
    for _ in range(count):
        yield tuple(chosen.randint(*own) for own in ends)


def listed(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions(function):
    m = IndexMap.of(function, i=range(-20, 20), j=(0, 15))
    assert m.variables == ("i", "j") and m.bounds == {"i": (-20, 19), "j": (0, 15)}
    assert all(m(*point) == listed(function(*point)) for point in points(m))


def test_functions_of_named_sizes():
    m = IndexMap.of(BY_SIZE, i=(0, None), n=(1, 9))
    assert m.variables == ("i", "n") and m.bounds["i"] == (0, None)
    assert all(m(i, n) == BY_SIZE(i, n=n) for i, n in points(m))
    limited = IndexMap.of(BY_SIZE, lambda i, *, n: n >= 2, i=9, n=9)
    assert limited.bounds["n"] == (2, 8)
    mixed = IndexMap.of(lambda i, /, j=2, *, n: i + j * n, i=4, n=(1, 9))
    assert mixed.variables == ("i", "n") and mixed(3, 5) == (13,)


def test_conditions():
    where = lambda i, j: [i <= j, i + j < 12, 2 * i > 3, j >= 1, i * 3 - j == 2, True]
    m = IndexMap.of(lambda i, j: i, where, i=10, j=10)
    inside = set()
    for i in range(10):
        for j in range(10):
            try:
                m(i, j)
                inside.add((i, j))
            except Error:
                pass
    assert inside == {(i, j) for i in range(10) for j in range(10) if all(where(i, j))} != set()
    assert m.constraints
    assert IndexMap.of(lambda i: i, lambda i: False, i=10).count() == 0
    assert IndexMap.of(lambda: (1, 2))() == (1, 2)


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda: IndexMap.of(lambda i: i // 0, i=4), "division", "not positive"),
        (lambda: IndexMap.of(lambda i: i / 2, i=4), "unsupported", "`//`"),
        (lambda: IndexMap.of(lambda i: i + 0.5, i=4), "unsupported", "not 0.5"),
        (lambda: IndexMap.of(lambda i: [3, 1, 2, 0][i], i=4), "unsupported", "lookups"),
        (lambda: IndexMap.of(lambda i: i & (i - 100000), i=(0, None)), "unsupported", "is known to be nonnegative"),
        (lambda: IndexMap.of(lambda i: i << 63, i=4), "unsupported", "shifts"),
        (lambda: IndexMap.of(lambda i: i << i, i=4), "unsupported", "shifts"),
        (lambda: IndexMap.of(lambda i: i * 2**62 * 2, i=4), "overflow", "64 bits"),
        (lambda: IndexMap.of(lambda i: i + 2**63, i=4), "overflow", "64 bits"),
        (lambda: IndexMap.of(lambda i, j: i, i=4), "arity", "`j` has no bounds"),
        (lambda: IndexMap.of(lambda i: i, i=4, j=4), "name", "no argument `j`"),
        (lambda: IndexMap.of(lambda i: i, i=range(0, 8, 2)), "domain", "`i=4`"),
        (lambda: IndexMap.of(lambda i: i, i="8"), "domain", "range"),
        (lambda: IndexMap.of(lambda *i: 0, i=8), "usage", "name each"),
        (lambda: IndexMap.of(lambda i, *, n: i // n, i=8, n=8), "division", "positive"),
        (lambda: IndexMap.of(lambda i: i, lambda i: 0 <= i <= 3, i=8), "unsupported", "list of comparisons"),
        (lambda: IndexMap.of(lambda i: i, lambda i: i != 3, i=8), "unsupported", "!="),
        (lambda: IndexMap.of(lambda i: i, lambda i: "i", i=8), "usage", "not a comparison"),
        (lambda: IndexMap.of(lambda mod: mod, mod=8), "name", "mod"),
        (lambda: IndexMap.from_sympy(sympy.Symbol("x"), {}), "name", "`x` has no bounds"),
        (lambda: IndexMap.from_sympy(sympy.Symbol("x") / 2, {"x": 8}), "unsupported", "floor"),
        (lambda: IndexMap.from_sympy(sympy.sin(sympy.Symbol("x")), {"x": 8}), "unsupported", "`sin`"),
        (lambda: IndexMap.from_sympy(sympy.floor(1 / sympy.Symbol("x")), {"x": (0, 8)}), "division", "not known to be positive"),
        (lambda: IndexMap.of(lambda i: 8 // i, i=4), "division", "not known to be positive"),
        (lambda: IndexMap.from_islpy(islpy.Map("{ [i] -> [j] : 0 <= i, j <= 3 }")), "unsupported", "not a function"),
        (lambda: IndexMap.of(lambda i, *, n: i, lambda i, n: i % n == 0, i=8, n=(-2, 8)), "division", "`n >= 1`"),
        (lambda: IndexMap.of(lambda i: minimum(i, 2), i=4).to_mlir(), "unsupported", "min"),
        (lambda: IndexMap("(d0){rt0} -> (rt0), domain: d0 in [0, 3], rt0 in [0, 3]").to_mlir(), "unsupported", "runtime"),
    ],
)
def test_what_no_map_says(make, kind, words):
    with ir.Context(), pytest.raises(Error) as raised:
        make()
    assert (raised.value.kind, words in str(raised.value)) == (kind, True), str(raised.value)


def test_products_and_quotients_of_variables():
    assert str(IndexMap.of(lambda i: i * i, i=4)) == "<>(i) -> (i * i), domain: i in [0, 3]"
    found = IndexMap.of(lambda i, j: (8 // i, j % (i + 1)), i=(1, 4), j=9)
    assert [found(i, j) for i, j in points(found)] == [(8 // i, j % (i + 1)) for i, j in points(found)]
    assert IndexMap.from_sympy(sympy.floor(9 / sympy.Symbol("x")), {"x": (1, 8)})(4) == (2,)


def test_values_of_other_maps_are_refused():
    kept = []
    IndexMap.of(lambda i: kept.append(i) or i, i=4)
    with pytest.raises(Error, match="another map"):
        IndexMap.of(lambda i: i + kept[0], i=4)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sympy_of_maps_and_back(function):
    m = IndexMap.of(function, i=range(-20, 20), j=(0, 15))
    exprs = m.to_sympy()
    back = IndexMap.from_sympy(exprs, m.bounds)
    for i, j in points(m):
        values = tuple(int(expr.subs({"i": i, "j": j})) for expr in named(exprs))
        assert m(i, j) == back(i, j) == values


def named(exprs):
    """Returns the expressions over symbols without assumptions, so that values can be substituted by name."""
    return [expr.xreplace({symbol: sympy.Symbol(symbol.name) for symbol in expr.free_symbols}) for expr in exprs]


I, J, N = sympy.symbols("i j n", integer=True)
FLOOR_DIV, MODULAR = sympy.Function("FloorDiv"), sympy.Function("ModularIndexing")


@pytest.mark.parametrize(
    "expr",
    [
        sympy.floor(I / 4 + J / 6 + sympy.Rational(1, 2)),
        sympy.ceiling((2 * I - J) / 3) - sympy.Mod(I * 3 + J, 8),
        sympy.Mod(I / 2, 3) * 2 + sympy.Mod(-I, 5),
        sympy.Min(I, J, 4) * 3 + sympy.Max(0, sympy.floor((I - J) / 7)),
        sympy.Abs(I - 2 * J) + sympy.floor(sympy.floor(I / 3) / 4),
        sympy.floor((I - J) * 2 / 4) * (J - J + 2),
    ],
)
def test_maps_of_sympy(expr):
    m = IndexMap.from_sympy(expr, {I: (-30, 30), "j": (0, 11)})
    for i, j in points(m):
        assert m(i, j) == (int(expr.subs({I: i, J: j})),), (i, j)


def test_maps_of_inductor():
    m = IndexMap.from_sympy([FLOOR_DIV(I, 4), MODULAR(I + 3, 4, 5), FLOOR_DIV(I, N), sympy.floor(I / N)], {I: 50}, {N: (1, 9)})
    assert all(m(i, n) == (i // 4, (i + 3) // 4 % 5, i // n, i // n) for i, n in points(m))


def isl_value(relation, inputs, parameters=()):
    """Returns the output for these inputs according to isl."""
    for number, value in enumerate(parameters):
        relation = relation.fix_val(islpy.dim_type.param, number, value)
    for number, value in enumerate(inputs):
        relation = relation.fix_val(islpy.dim_type.in_, number, value)
    point = relation.range().sample_point()
    return tuple(
        point.get_coordinate_val(islpy.dim_type.set, number).to_python() for number in range(relation.dim(islpy.dim_type.out))
    )


# isl prints min and max of several variables as cases.
@pytest.mark.parametrize("number", [n for n in range(len(FUNCTIONS)) if n not in (3, 6)])
def test_isl_of_maps_and_back(number):
    m = IndexMap.of(FUNCTIONS[number], lambda i, j: i + j <= 20, i=range(-20, 20), j=(0, 15))
    relation = m.to_islpy()
    back = IndexMap.from_islpy(relation)
    assert m.equal(back)
    inside = [point for point in points(m, 20) if sum(point) <= 20]
    assert all(isl_value(relation, point) == m(*point) for point in inside) and inside


def test_isl_of_other_maps():
    reads = IndexMap("(d0)[s0] -> (d0 * 4 + s0), domain: d0 in [0, 3], s0 in [0, 2]").to_islpy()
    assert reads == islpy.Map("{ [d0] -> [o] : 0 <= d0 <= 3 and 4d0 <= o <= 4d0 + 2 }")
    least = IndexMap.of(lambda i, j: minimum(i, j), i=9, j=9)
    assert least.to_islpy() == islpy.Map("{ [i, j] -> [min(i, j)] : 0 <= i, j <= 8 }")
    assert IndexMap.from_islpy(least.to_islpy()).to_islpy() == least.to_islpy()
    sized = IndexMap.from_islpy(islpy.Map("[n] -> { [i] -> [i + 2n] : 0 <= i < n }"))
    assert sized.variables == ("i", "n") and sized(3, 5) == (13,)
    assert isl_value(sized.to_islpy(), (3,), (5,)) == (13,)
    function = islpy.PwMultiAff("{ S[i] -> A[(floor((i)/4)), ((i) mod 4)] : 0 <= i <= 63 }")
    found = IndexMap.from_islpy(function)
    assert all(found(i) == (i // 4, i % 4) for i in range(64))
    with pytest.raises(Error, match="nor quotients by names"):
        IndexMap.of(BY_SIZE, i=(0, None), n=(1, 9)).to_islpy()


AFFINE = [n for n in range(len(FUNCTIONS)) if n not in (3, 6)]


def affine_value(expr, dimensions, symbols):
    """Evaluates an expression of MLIR by its kinds."""
    of = lambda x: affine_value(x, dimensions, symbols)
    word = type(expr).__name__
    if word == "AffineConstantExpr":
        return expr.value
    if word in ("AffineDimExpr", "AffineSymbolExpr"):
        return (dimensions if word == "AffineDimExpr" else symbols)[expr.position]
    apply = {
        "AffineAddExpr": lambda x, y: x + y,
        "AffineMulExpr": lambda x, y: x * y,
        "AffineModExpr": lambda x, y: x % y,
        "AffineFloorDivExpr": lambda x, y: x // y,
        "AffineCeilDivExpr": lambda x, y: -(-x // y),
    }[word]
    return apply(of(expr.lhs), of(expr.rhs))


@pytest.mark.parametrize("number", AFFINE)
def test_mlir_of_maps_and_back(number):
    m = IndexMap.of(FUNCTIONS[number], i=range(-20, 20), j=(0, 15))
    with ir.Context() as context:
        affine = m.to_mlir()
        assert affine == m.to_mlir(context) and (affine.n_dims, affine.n_symbols) == (2, 0)
        back = IndexMap.from_mlir(affine, d0=range(-20, 20), d1=(0, 15))
        assert m.equal(back)
        for point in points(m):
            assert tuple(affine_value(expr, point, ()) for expr in affine.results) == m(*point)


def test_mlir_with_symbols():
    with ir.Context():
        affine = IndexMap("<n>(d0)[s0] -> (d0 * n + s0), domain: n in [1, 9], d0 in [0, 3], s0 in [0, 2]").to_mlir()
        assert (affine.n_dims, affine.n_symbols) == (1, 2)
        back = IndexMap.from_mlir(affine, d0=4, s0=(0, 2))
        assert back.bounds == {"d0": (0, 3), "s0": (0, 2), "s1": (None, None)}
        assert back(3, 2, 7) == (affine_value(affine.results[0], (3,), (2, 7)),) == (23,)
        with pytest.raises(Error, match="no variable `d7`"):
            IndexMap.from_mlir(affine, d7=4)
