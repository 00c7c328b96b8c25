"""Decides linear arithmetic over the integers exactly, as the ends of proofs are: a product of variables is a name, and so is a quotient.

Terms and formulas are those of affinor_rules.py. What is not decided within the limits counts as not shown.
"""
from fractions import Fraction
from functools import reduce
from math import gcd

# How often a branch may be tried before a question counts as not decided; the proofs of the rules need far fewer.
BRANCHES = 400


class Bounds:
    """Sums of names between integers, by the simplex method on rationals; what a sum is bounded by can be taken back."""

    def __init__(self):
        self.columns = {}
        self.lower, self.upper, self.value = [], [], []
        self.rows = {}
        self.changed = []

    def column(self, key):
        """The number of a name."""
        if key not in self.columns:
            self.columns[key] = self.fresh(Fraction(0))
        return self.columns[key]

    def fresh(self, value):
        self.lower.append(None)
        self.upper.append(None)
        self.value.append(value)
        return len(self.value) - 1

    def sum(self, parts):
        """The number of a sum of factors and names, whose factors have no common divisor."""
        if len(parts) == 1 and parts[0][1] == 1:
            return self.column(parts[0][0])
        if parts not in self.columns:
            row = {}
            for key, factor in parts:
                add(row, Fraction(factor), self.rows.get(self.column(key)) or {self.column(key): Fraction(1)})
            number = self.fresh(sum((factor * self.value[other] for other, factor in row.items()), Fraction(0)))
            self.columns[parts] = number
            self.rows[number] = row
        return self.columns[parts]

    def at_most_zero(self, polynomial):
        """Assumes it; false if that contradicts a bound at once."""
        parts = dict(polynomial)
        constant = parts.pop((), 0)
        if not parts:
            return constant <= 0
        parts = sorted(parts.items())
        divisor = reduce(gcd, [factor for _, factor in parts], 0)
        if parts[0][1] > 0:
            number = self.sum(tuple((key, factor // divisor) for key, factor in parts))
            return self.bound(number, self.upper, -constant // divisor)
        number = self.sum(tuple((key, -factor // divisor) for key, factor in parts))
        return self.bound(number, self.lower, -(-constant // divisor))

    def bound(self, number, side, limit):
        old = side[number]
        if old is not None and (limit >= old if side is self.upper else limit <= old):
            return True
        self.changed.append((side, number, old))
        side[number] = limit
        lower, upper = self.lower[number], self.upper[number]
        if lower is not None and upper is not None and lower > upper:
            return False
        if number not in self.rows and not self.within(number):
            self.move(number, limit - self.value[number])
        return True

    def take_back(self, mark):
        while len(self.changed) > mark:
            side, number, old = self.changed.pop()
            side[number] = old

    def within(self, number):
        lower, upper, value = self.lower[number], self.upper[number], self.value[number]
        return (lower is None or value >= lower) and (upper is None or value <= upper)

    def move(self, number, by):
        self.value[number] += by
        for basic, row in self.rows.items():
            if number in row:
                self.value[basic] += row[number] * by

    def consistent(self):
        """Is there a rational value of each name within the bounds? Then it is the present one."""
        while True:
            wrong = [number for number in self.rows if not self.within(number)]
            if not wrong:
                return True
            leaving = min(wrong)  # the smallest first: so this ends
            row = self.rows[leaving]
            rises = self.lower[leaving] is not None and self.value[leaving] < self.lower[leaving]
            free = [number for number in row if self.room(number, (row[number] > 0) == rises)]
            if not free:
                return False
            entering = min(free)
            limit = self.lower[leaving] if rises else self.upper[leaving]
            self.move(entering, (limit - self.value[leaving]) / row[entering])
            self.exchange(leaving, entering)

    def room(self, number, up):
        limit = (self.upper if up else self.lower)[number]
        return limit is None or (self.value[number] < limit if up else self.value[number] > limit)

    def exchange(self, leaving, entering):
        row = self.rows.pop(leaving)
        factor = row.pop(entering)
        solved = {number: -other / factor for number, other in row.items()}
        solved[leaving] = 1 / factor
        for other in self.rows.values():
            times = other.pop(entering, None)
            if times is not None:
                add(other, times, solved)
        self.rows[entering] = solved

    def at(self, polynomial):
        """What a polynomial is worth at the present values."""
        return sum(factor * (self.value[self.column(key)] if key else 1) for key, factor in polynomial.items())


def add(row, times, other):
    for number, factor in other.items():
        total = row.get(number, 0) + times * factor
        if total:
            row[number] = total
        else:
            row.pop(number, None)


class Linear:
    """What is known, and what follows from it."""

    def __init__(self):
        self.bounds = Bounds()
        self.names = {}
        self.choices = []
        self.open = []
        self.absurd = False

    def mark(self):
        return len(self.bounds.changed), len(self.open), self.absurd

    def take_back(self, mark):
        changed, still_open, self.absurd = mark
        self.bounds.take_back(changed)
        del self.open[still_open:]

    def assume(self, formula, holds=True):
        ways = self.ways(formula, holds)
        if len(ways) == 1:
            self.assume_all(ways[0])
        elif ways:
            self.open.append(ways)
        else:
            self.absurd = True

    def assume_all(self, polynomials):
        for polynomial in polynomials:
            self.absurd = self.absurd or not self.bounds.at_most_zero(polynomial)

    def shows(self, formula):
        """Does it follow from what is known?"""
        mark = self.mark()
        self.assume(formula, False)
        self.left = BRANCHES
        follows = self.refuted()
        self.take_back(mark)
        return follows

    def refuted(self):
        """Is there no integer value of each name at which all that is known holds?"""
        if self.absurd or not self.bounds.consistent():
            return True
        ways = self.undecided()
        if ways is None:
            return False
        self.left -= 1
        if self.left < 0:
            return False
        for way in ways:
            mark = self.mark()
            self.assume_all(way)
            refuted = self.refuted()
            self.take_back(mark)
            if not refuted:
                return False
        return True

    def undecided(self):
        """Ways of which one must hold, and none does at the present values."""
        for ways in self.open + self.choices:
            if not any(all(self.bounds.at(part) <= 0 for part in way) for way in ways):
                return ways
        for key, number in self.bounds.columns.items():
            value = self.bounds.value[number]
            if isinstance(key[0], str) and value.denominator != 1:
                below = value.numerator // value.denominator
                return [[{key: 1, (): -below}], [{key: -1, (): below + 1}]]
        return None

    def ways(self, formula, holds):
        """Alternatives, each of polynomials that are at most zero."""
        kind = formula[0]
        if kind in ("true", "false"):
            return [[]] if (kind == "true") == holds else []
        if kind == "not":
            return self.ways(formula[1], not holds)
        x, y = formula[1], formula[2]
        if kind == "iff":
            return self.both(x, holds, y, True) + self.both(x, not holds, y, False)
        if kind == "implies":
            return self.ways(x, False) + self.ways(y, True) if holds else self.both(x, True, y, False)
        if kind in ("and", "or"):
            return self.both(x, holds, y, holds) if (kind == "and") == holds else self.ways(x, holds) + self.ways(y, holds)
        less = self.polynomial(("-", x, y))
        more = times({(): -1}, less)
        one = {(): 1}
        if kind == "=":
            return [[less, more]] if holds else [[plus(less, one)], [plus(more, one)]]
        if kind == "<=":
            return [[less]] if holds else [[plus(more, one)]]
        return [[plus(less, one)]] if holds else [[more]]

    def both(self, x, x_holds, y, y_holds):
        return [first + second for first in self.ways(x, x_holds) for second in self.ways(y, y_holds)]

    def polynomial(self, node):
        """The factors of products of names; () is the product of none."""
        kind = node[0]
        if kind == "int":
            return {(): node[1]} if node[1] else {}
        if kind == "name":
            return {(node[1],): 1}
        if kind == "neg":
            return times({(): -1}, self.polynomial(node[1]))
        x, y = self.polynomial(node[1]), self.polynomial(node[2])
        if kind == "+":
            return plus(x, y)
        if kind == "-":
            return plus(x, times({(): -1}, y))
        if kind == "*":
            return times(x, y)
        if kind == "mod":
            return plus(x, times({(): -1}, times(y, self.named("div", x, y))))
        return self.named(kind, x, y)

    def named(self, kind, x, y):
        """A quotient, minimum or maximum under a name of its own."""
        key = (kind, tuple(sorted(x.items())), tuple(sorted(y.items())))
        new = key not in self.names
        name = {(self.names.setdefault(key, "%s %d" % (kind, len(self.names))),): 1}
        if new and kind != "div":
            less = plus(x, times({(): -1}, y))
            more = times({(): -1}, less)
            ways = []
            for chosen, order in ((x, less if kind == "min" else more), (y, more if kind == "min" else less)):
                apart = plus(name, times({(): -1}, chosen))
                ways.append([order, apart, times({(): -1}, apart)])
            self.choices.append(ways)
        return name


def plus(x, y):
    total = dict(x)
    for product, factor in y.items():
        total[product] = total.get(product, 0) + factor
    return {product: factor for product, factor in total.items() if factor}


def times(x, y):
    total = {}
    for first, factor in x.items():
        for second, other in y.items():
            product = tuple(sorted(first + second))
            total[product] = total.get(product, 0) + factor * other
    return {product: factor for product, factor in total.items() if factor}
