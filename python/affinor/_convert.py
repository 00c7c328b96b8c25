"""Maps to and from sympy, islpy and MLIR's affine maps. These packages are imported on first use."""
# mypy: ignore-errors

from functools import reduce
from math import gcd, lcm, prod

from ._affinor import IndexMap
from ._function import ceildiv, ends, maximum, minimum, trace, wrong


def _fold(tree, names, apply):
    """Folds an expression of a map's tree bottom-up with `apply(word, operands)`."""
    if isinstance(tree, list):
        return apply(tree[0], [_fold(operand, names, apply) for operand in tree[1:]])
    return names[tree] if isinstance(tree, str) else apply("constant", [tree])


def from_sympy(results, bounds, sizes=None):
    """See IndexMap.from_sympy."""
    import sympy

    results = results if isinstance(results, (tuple, list)) else [results]
    results = [sympy.sympify(one) for one in results]
    given = [(str(key), False, one) for key, one in bounds.items()]
    given += [(str(key), True, one) for key, one in (sizes or {}).items()]
    names = [name for name, _, _ in given]

    def function(*values):
        known = dict(zip(names, values))
        return [_integer(one, known) for one in results]

    return trace([(name, is_size, *ends(name, one)) for name, is_size, one in given], function)


def _integer(expr, known):
    numerator, denominator = _ratio(expr, known)
    if not (isinstance(denominator, int) and denominator == 1):
        raise wrong("unsupported", f"`{expr}` is not known to be an integer", "round it, as in `floor(x/4)`")
    return numerator


def _ratio(expr, known):
    """Returns a numerator and a denominator of at least 1: integers or values of the map. `known` has values by name or expression."""
    if expr.is_Rational:
        return int(expr.p), int(expr.q)
    value = known.get(expr.name if expr.is_Symbol and expr.name in known else expr)
    if value is not None:
        return value, 1
    if expr.is_Symbol:
        raise wrong("name", f"`{expr}` has no bounds", "give them to `bounds`, or to `sizes` if it is a named size")
    if expr.is_Add:
        return reduce(_add, [_ratio(x, known) for x in expr.args])
    if expr.is_Mul:
        return _product([_ratio(x, known) for x in expr.args])
    if expr.is_Pow and expr.exp.is_Integer:
        power = int(expr.exp)
        base = _ratio(expr.base, known)
        return _product([base if power > 0 else _inverse(base)] * abs(power))
    word = expr.func.__name__
    if word in ("floor", "ceiling") and len(expr.args) == 1:
        numerator, denominator = _ratio(expr.args[0], known)
        return (numerator // denominator if word == "floor" else ceildiv(numerator, denominator)), 1
    if word in ("FloorDiv", "CleanDiv", "CeilDiv") and len(expr.args) == 2:
        quotient = _quotient(expr.args, known)
        return (ceildiv(*quotient) if word == "CeilDiv" else quotient[0] // quotient[1]), 1
    if word == "ModularIndexing" and len(expr.args) == 3:
        numerator, denominator = _quotient(expr.args[:2], known)
        return numerator // denominator % _integer(expr.args[2], known), 1
    if word in ("Mod", "PythonMod") and len(expr.args) == 2:
        (x, below), (y, under) = (_ratio(one, known) for one in expr.args)
        return (x * under) % (y * below), below * under
    if word in ("Min", "Max"):
        return (minimum if word == "Min" else maximum)(*[_integer(x, known) for x in expr.args]), 1
    if word == "Abs":
        return abs(_integer(expr.args[0], known)), 1
    hint = "a map has sums, multiples, floor, ceiling, Mod, Min, Max and Abs"
    raise wrong("unsupported", f"a map has no `{word}`, as in `{expr}`", hint)


def _add(first, second):
    (x, below), (y, under) = first, second
    common = lcm(below, under) if isinstance(below, int) and isinstance(under, int) else None
    if common is None:
        return x * under + y * below, below * under
    return x * (common // below) + y * (common // under), common


def _product(ratios):
    """Returns the product of ratios; their integers are reduced to lowest terms."""
    sides = []
    for side in zip(*ratios):
        integers = prod(one for one in side if isinstance(one, int))
        sides.append((integers, [one for one in side if not isinstance(one, int)]))
    (above, numerators), (below, denominators) = sides
    common = gcd(above, below)
    return prod(numerators, start=above // common), prod(denominators, start=below // common)


def _inverse(ratio):
    numerator, denominator = ratio
    if not isinstance(numerator, int):
        return denominator, numerator
    if numerator == 0:
        raise wrong("division", "division by zero")
    return (denominator, numerator) if numerator > 0 else (-denominator, -numerator)


def _quotient(args, known):
    """The quotient of two expressions."""
    return _product([_ratio(args[0], known), _inverse(_ratio(args[1], known))])


def to_sympy(map):
    """See IndexMap.to_sympy."""
    import sympy

    def apply(word, operands):
        if word in ("floordiv", "ceildiv"):
            x, divisor = operands
            return (sympy.floor if word == "floordiv" else sympy.ceiling)(x / divisor)
        operations = {
            "constant": sympy.Integer, "add": sympy.Add, "mul": sympy.Mul, "mod": sympy.Mod, "min": sympy.Min, "max": sympy.Max,
        }
        return operations[word](*operands)

    names = {name: sympy.Symbol(name, integer=True) for name in map.variables}
    return tuple(_fold(result, names, apply) for result in map.tree()["results"])


def from_islpy(map):
    """See IndexMap.from_islpy."""
    import islpy

    if isinstance(map, islpy.BasicMap):
        map = islpy.Map.from_basic_map(map)
    if isinstance(map, islpy.Map):
        if not map.is_single_valued():
            hint = "read elements are range variables: give them as further inputs"
            raise wrong("unsupported", f"this relation is not a function: {map}", hint)
        map = islpy.PwMultiAff.from_map(map.coalesce())
    # A new space has no names; isl then prints i0, i1, ..
    return IndexMap(str(map))


def to_islpy(map):
    """See IndexMap.to_islpy."""
    import islpy

    return islpy.Map(map._isl())


def from_mlir(map, /, **bounds):
    """See IndexMap.from_mlir."""
    found = IndexMap(f"affine_map<{map}>")
    for name in bounds:
        if name not in found.variables:
            raise wrong("name", f"the map has no variable `{name}`", f"its variables are {', '.join(found.variables)}")
    return found._bounded([(name, *ends(name, one)) for name, one in bounds.items()])


def to_mlir(map, context=None):
    """See IndexMap.to_mlir."""
    from jaxlib.mlir import ir

    affine = ir.AffineExpr

    def apply(word, operands):
        if word == "constant":
            return affine.get_constant(operands[0], context)
        if word in ("min", "max"):
            raise wrong("unsupported", f"an affine map has no `{word}`")
        build = {
            "add": affine.get_add, "mul": affine.get_mul, "mod": affine.get_mod, "floordiv": affine.get_floor_div,
            "ceildiv": affine.get_ceil_div,
        }[word]
        return reduce(build, operands)

    tree = map.tree()
    kinds = [variable["kind"] for variable in tree["variables"]]
    if "runtime" in kinds:
        raise wrong("unsupported", "an affine map has no runtime variables")
    dimensions = kinds.count("dimension")
    names = {}
    for number, variable in enumerate(tree["variables"]):
        is_symbol = number >= dimensions
        get = affine.get_symbol if is_symbol else affine.get_dim
        names[variable["name"]] = get(number - dimensions if is_symbol else number, context)
    results = [_fold(result, names, apply) for result in tree["results"]]
    return ir.AffineMap.get(dimensions, len(kinds) - dimensions, results, context)
