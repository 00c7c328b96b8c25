"""Expressions of PyTorch's Inductor, converted to maps over ranges, and simplified maps converted back.

Classes are recognized by name, and the answer uses the classes of the input, so torch is not imported. An integer part that a map
cannot express becomes a variable.

Quotients round down everywhere. Inductor's ModularIndexing and Mod are printed as C's remainder, which differs for a negative
numerator. So they are written only if the numerator is known to be nonnegative, or if the input has the same remainder.
"""
# mypy: ignore-errors

import functools
import itertools
import operator
import sys
from functools import reduce
from typing import NamedTuple

from ._affinor import _values
from ._errors import Error
from ._convert import _fold, _integer
from ._function import maximum, minimum, trace

# For each class, the number of operands that may have index variables; the others are named sizes.
OPERANDS = {"FloorDiv": 1, "CleanDiv": 1, "CeilDiv": 1, "ModularIndexing": 1, "Mod": 1, "PythonMod": 1}
OTHERS = ("floor", "ceiling", "Min", "Max", "Abs")
COMPARISONS = {"==": operator.eq, "<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}

# Maximum number of operations of all facts together, taken smallest first. Guards of views of views have several hundred: they take
# long, and the larger ones follow from the smaller ones.
MOST_OF_FACTS = 64


class Measure(NamedTuple):
    """The size of an expression."""

    operations: int
    divisions: int


class Kept(Exception):
    """The reason why an expression is kept, as a word."""


def _parts(expr):
    pending = [expr]
    while pending:
        expr = pending.pop()
        pending.extend(expr.args)
        yield expr


def measure(expr):
    """See affinor.torch.measure."""
    operations = divisions = 0
    for expr in _parts(expr):
        word, count = expr.func.__name__, len(expr.args)
        if expr.is_Pow and expr.exp.is_Integer:
            operations += abs(int(expr.exp)) - (int(expr.exp) > 0)
        elif expr.is_Mul:
            operations += count - 1 - (expr.args[0] == -1)
        elif word == "ModularIndexing":
            operations, divisions = operations + 1 + (expr.args[1] != 1), divisions + 1 + (expr.args[1] != 1)
        elif expr.args:
            operations += max(count - 1, 1)
            divisions += word in OPERANDS or word in ("floor", "ceiling")
    return Measure(operations, divisions)


def is_at_most(one, other):
    return one.operations <= other.operations and one.divisions <= other.divisions


def _of_fact(fact):
    """Returns the symbols of a fact, and its number of operations, which is None if it is not a comparison."""
    if getattr(fact, "rel_op", None) not in COMPARISONS:
        return frozenset(), None
    return frozenset(fact.free_symbols), measure(fact.lhs).operations + measure(fact.rhs).operations


# An expression is simplified under hundreds of facts, and the same ones again and again.
of_fact = functools.lru_cache(maxsize=1 << 14)(_of_fact)


def has_more_than_sums(expr):
    """Whether the expression has operations other than sums, products and powers."""
    return any(part.func.__name__ in OPERANDS or part.func.__name__ in OTHERS for part in _parts(expr))


def simplified(expr, var_ranges, sizes, facts):
    """Returns the simplified expression, which is not larger; raises Kept if there is none."""
    import sympy

    reading = Reading({symbol: sympy.sympify(size) for symbol, size in var_ranges.items()}, sizes)
    reading.visit(expr)
    for symbol in list(reading.atoms):
        if symbol in reading.ranges:
            reading.visit(reading.ranges[symbol])
    try:
        map = reading.map(expr, reading.known(facts))
    except Error:
        # A map may not be able to express a fact.
        try:
            map = reading.map(expr, [])
        except Error as error:
            raise Kept(error.kind) from error
    found = Writing(reading, expr, map.simplify()).result
    before, after = measure(expr), measure(found)
    if after == before:
        return expr
    if not is_at_most(after, before):
        raise Kept("larger")
    return found


class Reading:
    """The classes and divisors of an expression, and the parts that become variables of a map."""

    def __init__(self, ranges, sizes):
        self.ranges, self.sizes = ranges, sizes
        # For each variable: whether it is a named size, and its bounds.
        self.atoms = {}
        self.classes = {}
        self.divisors = {}
        # Quotients that are known to be exact.
        self.exact = {}

    def visit(self, expr):
        if expr.is_Rational:
            return
        if not self.is_said(expr):
            self.atoms.setdefault(expr, (self.is_size(expr), *self.bounds(expr)))
            return
        word = expr.func.__name__
        self.classes.setdefault(word, expr.func)
        for operand in expr.args:
            self.visit(operand)
        if word == "CleanDiv":
            self.exact[expr] = None
        for divisor in expr.args[OPERANDS.get(word, len(expr.args)) :]:
            if not divisor.is_Integer:
                self.divisors[divisor] = None

    def is_size(self, expr):
        return expr.free_symbols.isdisjoint(self.ranges)

    def is_said(self, expr):
        """Whether a map can express this operation."""
        word, operands = expr.func.__name__, expr.args
        if expr.is_Mul:
            return sum(not self.is_size(x) for x in operands) <= 1
        if expr.is_Pow:
            return expr.exp.is_Integer and self.is_size(expr.base)
        if word in OPERANDS:
            return all(self.is_size(x) for x in operands[OPERANDS[word] :])
        return expr.is_Add or word in OTHERS

    def bounds(self, expr):
        if expr in self.ranges:
            size = self.ranges[expr]
            if size.is_Integer and size < 1:
                raise Kept("empty")
            return 0, int(size) - 1 if size.is_Integer else None
        if expr in self.sizes:
            return tuple(self.sizes[expr])
        if getattr(expr, "is_integer", None) is not True:
            raise Kept("unsupported")
        return 1 if expr.is_positive else 0 if expr.is_nonnegative else None, 0 if expr.is_nonpositive else None

    def known(self, facts):
        """Returns the comparisons among the facts that have only symbols of the expression, up to `MOST_OF_FACTS` operations."""
        sizes = {}
        for fact in facts:
            symbols, size = of_fact(fact)
            if size is not None and symbols <= self.atoms.keys():
                sizes[fact] = size
        smallest = sorted(sizes, key=sizes.get)
        within = itertools.accumulate(sizes[fact] for fact in smallest)
        return [fact for fact, so_far in zip(smallest, within) if so_far <= MOST_OF_FACTS and self.knows(fact)]

    def knows(self, fact):
        """Whether a map can express a fact; records its parts as those of the expression."""
        before, exact = dict(self.atoms), dict(self.exact)
        try:
            self.visit(fact.lhs)
            self.visit(fact.rhs)
        except Kept:
            self.atoms, self.exact = before, exact
            return False
        return True

    def map(self, expr, facts):
        atoms = list(self.atoms)
        variables = [(f"{'s' if own[0] else 'd'}{number}", *own) for number, own in enumerate(self.atoms.values())]

        def where(*values):
            known = dict(zip(atoms, values))
            within = [
                known[symbol] < _integer(size, known)
                for symbol, size in self.ranges.items()
                if symbol in known and not size.is_Integer
            ]
            compared = [COMPARISONS[fact.rel_op](_integer(fact.lhs, known), _integer(fact.rhs, known)) for fact in facts]
            exact = [_integer(x, known) % _integer(divisor, known) == 0 for x, divisor in (quotient.args for quotient in self.exact)]
            return [*self.positive(known), *exact, *within, *compared]

        return trace(variables, lambda *values: _integer(expr, dict(zip(atoms, values))), where)


    def positive(self, known):
        """Yields conditions that make divisors positive: a nonnegative divisor is not 0, or else the expression has no value."""
        for divisor in self.divisors:
            value = _integer(divisor, known)
            if divisor.is_nonnegative or is_natural(value):
                yield value >= 1
                if divisor.func.__name__ in ("FloorDiv", "CleanDiv"):
                    x, y = (_integer(part, known) for part in divisor.args)
                    yield x >= y


def is_natural(value):
    """Whether a value of a map is known to be at least 0."""
    return value >= 0 if isinstance(value, int) else value._is_natural()


class Writing:
    """Writes the only result of a map as an expression with the classes of the given one."""

    def __init__(self, reading, given, map):
        import sympy

        self.sympy, self.given = sympy, given
        own = {word: one for word, one in reading.classes.items() if not (one.__module__ or "").startswith("sympy.")}
        self.is_plain = not own and any(word in OPERANDS or word in OTHERS[:2] for word in reading.classes)
        self.classes = reading.classes if self.is_plain else own
        homes = [one.__module__ for word, one in own.items() if word in OPERANDS]
        self.home = None if self.is_plain else sys.modules.get((homes or ["torch.utils._sympy.functions"])[0])
        by_number = list(reading.atoms)
        # Each part is also computed as a value of the map, to find its sign.
        names = {name: (by_number[int(name[1:])], value) for name, value in zip(map.variables, _values(map))}
        (tree,) = map.tree()["results"]
        self.result, _ = _fold(tree, names, self.apply)

    def kind(self, word):
        """Returns the class with this name: that of the input, or else of the module that defines its other classes."""
        return self.classes.get(word) or getattr(self.home, word, None)

    def apply(self, word, operands):
        sympy = self.sympy
        if word == "constant":
            return sympy.Integer(operands[0]), operands[0]
        exprs, values = zip(*operands)
        if word in ("add", "mul"):
            build = sympy.Add if word == "add" else sympy.Mul
            return build(*exprs), reduce(operator.add if word == "add" else operator.mul, values)
        if word in ("min", "max"):
            build = self.kind(word.capitalize()) or getattr(sympy, word.capitalize())
            return build(*exprs), (minimum if word == "min" else maximum)(*values)
        x, divisor = exprs
        if word == "floordiv":
            return self.quotient(x, divisor), values[0] // values[1]
        if word == "ceildiv":
            return self.quotient(x + divisor - 1, divisor), (values[0] + values[1] - 1) // values[1]
        return self.remainder(x, divisor, is_natural(values[0])), values[0] % values[1]

    def quotient(self, x, divisor):
        build = self.kind("FloorDiv")
        if build is None and self.classes and not self.is_plain:
            raise Kept("class")
        return build(x, divisor) if build else self.sympy.floor(x / divisor)

    def remainder(self, x, divisor, is_natural):
        if self.is_plain or not (self.classes or self.home):
            return self.sympy.Mod(x, divisor)
        modular, python, other = (self.kind(word) for word in ("ModularIndexing", "PythonMod", "Mod"))
        if modular and ("ModularIndexing" in self.classes or not {"Mod", "PythonMod"} & self.classes.keys()):
            base, inner = x.args if x.func.__name__ == "FloorDiv" else (x, self.sympy.Integer(1))
            if is_natural or (base, inner, divisor) in [one.args for one in self.given.atoms(modular)]:
                return modular(base, inner, divisor)
        # PythonMod calls sympy's Mod, which does not terminate on q + n - 1 and n + 1: each step adds terms of the other.
        is_safe = not divisor.is_Add or "PythonMod" in self.classes
        if python and is_safe and not (is_natural and "Mod" in self.classes):
            return python(x, divisor)
        if other and is_natural:
            return other(x, divisor)
        raise Kept("class" if is_natural else "sign")
