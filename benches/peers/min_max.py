#!/usr/bin/env python3
"""Index expressions with min and max, as clamped gathers, halos, pads and tiles have them before they are simplified.

    min_max.py SEED COUNT > cases.jsonl

One line is one expression over bounded variables: {"id", "family", "vars": {"d0": [lo, hi], ...}, "expr"}; bounds are
inclusive. The same seed gives the same lines. A case starts from one of SHAPES (what a kind of operation reads), and a
STEP or two follow (what is done to such an index next: linearised, tiled, clamped again, taken relative to a tile).
Only min and max that an operation states are written; whether the ranges decide them is left to chance.
"""
import json
import random
import sys

SIZES = [7, 8, 10, 12, 13, 16, 20, 24, 28, 31, 32, 33, 48, 50, 56, 64, 100, 112, 128]


# An expression is an integer, the name of a variable, or (operator, operand, operand).
def text(e, above=0):
    """The expression as it is typed; `above` is how strongly the operator around it binds."""
    if isinstance(e, int):
        return str(e) if e >= 0 or above == 0 else "(%d)" % e
    if isinstance(e, str):
        return e
    operator, x, y = e
    if operator in ("min", "max"):
        return "%s(%s, %s)" % (operator, text(x), text(y))
    binds = 1 if operator in "+-" else 2
    written = "%s %s %s" % (text(x, binds), operator, text(y, binds + 1))
    return "(%s)" % written if binds < above else written


def names(e):
    if isinstance(e, tuple):
        return names(e[1]) | names(e[2])
    return {e} if isinstance(e, str) else set()


def add(x, y):
    if isinstance(y, int) and y < 0:
        return ("-", x, -y)
    return x if y == 0 else y if x == 0 else ("+", x, y)


def sub(x, y):
    return x if y == 0 else ("-", x, y)


def times(x, factor):
    return x if factor == 1 else ("*", x, factor)


def floordiv(x, divisor):
    return x if divisor == 1 else ("floordiv", x, divisor)


def roundup(x, multiple):
    return times(floordiv(add(x, multiple - 1), multiple), multiple)


def least(x, y):
    return ("min", x, y)


def greatest(x, y):
    return ("max", x, y)


class Case:
    """The variables of one case, and the chance by which it is drawn."""

    def __init__(self, chance):
        self.chance = chance
        self.ranges = {}

    def variable(self, low, high):
        name = "d%d" % len(self.ranges)
        self.ranges[name] = [low, high]
        return name

    def size(self):
        return self.chance.choice(SIZES)

    def clamp(self, x, low, high):
        """Either order in which programs write a clamp."""
        if self.chance.random() < 0.6:
            return greatest(low, least(x, high)) if self.chance.random() < 0.5 else greatest(least(x, high), low)
        return least(greatest(x, low), high)


# ---- what an operation reads: each gives (index, extent of what is read) ----------------------------------------------

def clamped_start(case):
    """dynamic-slice and gather: a start clamped so that the window fits, plus the position in the window."""
    n, chance = case.size(), case.chance
    w = chance.randint(1, n)
    s = case.variable(*chance.choice([(0, n - 1), (0, n - w), (-4, n + 4), (0, max(n - w - 1, 0)), (0, 2 * n)]))
    start = case.clamp(add(s, chance.choice([0, 0, 0, 1, -1, 3])), 0, n - w)
    return (start if w == 1 else add(start, case.variable(0, w - 1))), n


def clamped_strided(case):
    """A start that is computed from a block number, clamped, plus the position in the block."""
    n, chance = case.size(), case.chance
    c = chance.choice([2, 4, 5, 8, 16])
    w = min(chance.choice([1, c, c + 2]), n)
    start = times(case.variable(0, -(-n // c) - 1), c)
    return add(case.clamp(add(start, chance.choice([0, 0, -1, -2])), 0, n - w), case.variable(0, max(w - 1, 1))), n + 1


def halo(case):
    """The border of a tile with its halo, clamped to the array; or a position in it."""
    chance, c, h = case.chance, case.chance.choice([4, 8, 16, 32]), case.chance.choice([1, 1, 2, 3])
    n = c * chance.randint(2, 6) - chance.choice([0, 0, 1, 3])
    start = times(case.variable(0, -(-n // c) - 1), c)
    low, high = greatest(sub(start, h), 0), least(add(start, c + h), n)
    kind = chance.randrange(4)
    if kind == 0:
        return sub(high, low), c + 2 * h
    if kind == 1:
        return least(add(low, case.variable(0, c + 2 * h - 1)), chance.choice([n - 1, sub(high, 1)])), n
    if kind == 2:
        return sub(case.clamp(sub(add(start, case.variable(0, c + 2 * h - 1)), h), 0, n - 1), low), c + 2 * h
    return case.clamp(sub(add(start, case.variable(0, c + 2 * h - 1)), h), 0, n - 1), n


def last_tile(case):
    """The size of a tile, the last of which may be cut off, or its end; tiles of tiles."""
    chance, c = case.chance, case.chance.choice([4, 6, 8, 16, 32])
    n = c * chance.randint(1, 6) + chance.choice([0, 0, 1, 3, c - 1])
    tile = case.variable(0, -(-n // c) - 1)
    start = times(tile, c)
    kind = chance.randrange(6)
    if kind == 0:
        return least(c, sub(n, start)), c
    if kind == 1:
        return sub(least(add(start, c), n), start), c
    if kind == 2:
        return sub(least(add(start, c), n), least(start, n)), c
    if kind == 3:
        return least(add(start, case.variable(0, c - 1)), n - 1), n
    if kind == 4:
        return sub(least(times(add(tile, 1), c), n), 1), n
    inner = chance.choice([x for x in (1, 2, 3, 4, 8) if c % x == 0])
    part = case.variable(0, c // inner - 1)
    return least(inner, greatest(sub(least(c, sub(n, start)), times(part, inner)), 0)), inner


def edge_pad(case):
    """Padding that repeats the edge, sometimes on one side only."""
    n, chance = case.size(), case.chance
    low, high = chance.choice([0, 1, 2, 3]), chance.choice([0, 1, 2, 4])
    i = sub(case.variable(0, n + low + high - 1), low)
    kind = chance.randrange(4)
    if kind == 0:
        return greatest(i, 0), n + high
    if kind == 1:
        return least(i, n - 1), n
    return case.clamp(i, 0, n - 1), n


def reflect_pad(case):
    """Padding that mirrors at the edge."""
    n, low = case.size(), case.chance.choice([1, 2, 3])
    i = sub(case.variable(0, n + 2 * low - 1), low)
    mirrored = greatest(i, sub(0, i))
    if case.chance.random() < 0.3:
        return mirrored, n + low
    return least(mirrored, sub(2 * n - 2, mirrored if case.chance.random() < 0.5 else i)), n


def window(case):
    """A convolution's window over an array whose edges are clamped."""
    n, chance = case.size(), case.chance
    k, stride, dilation = chance.choice([2, 3, 3, 5]), chance.choice([1, 1, 2, 3]), chance.choice([1, 1, 2])
    low = chance.choice([0, 1, (k - 1) * dilation // 2])
    i = add(times(case.variable(0, -(-n // stride) - 1), stride), times(case.variable(0, k - 1), dilation))
    return case.clamp(sub(i, low), 0, n - 1), n


def window_bounds(case):
    """Pooling: where the window of an output begins and ends in the array."""
    n, chance = case.size(), case.chance
    k, stride, low = chance.choice([2, 3, 5]), chance.choice([1, 2, 3]), chance.choice([0, 1, 2])
    start = sub(times(case.variable(0, -(-n // stride) - 1), stride), low)
    if chance.random() < 0.6:
        return sub(least(add(start, k), n), greatest(start, 0)), k
    return least(add(greatest(start, 0), case.variable(0, k - 1)), n - 1), n


def upsampled(case):
    """Resize: the source of an enlarged index and its neighbour, clamped."""
    n, chance = case.size(), case.chance
    f = chance.choice([2, 2, 3, 4])
    i = case.variable(0, n * f - 1)
    kind = chance.randrange(4)
    if kind == 0:
        return least(add(floordiv(i, f), 1), n - 1), n
    if kind == 1:
        return floordiv(greatest(sub(i, f // 2), 0), f), n
    if kind == 2:
        return least(floordiv(add(i, f // 2), f), n - 1), n
    return case.clamp(sub(add(floordiv(i, f), case.variable(0, 2)), 1), 0, n - 1), n


def rounded(case):
    """A dynamic extent rounded up to tiles, then cut at the array."""
    n, chance = case.size(), case.chance
    c = chance.choice([4, 8, 16])
    x = case.variable(chance.choice([0, 1]), n)
    kind = chance.randrange(4)
    if kind == 0:
        return least(roundup(x, c), n), n + 1
    if kind == 1:
        return least(roundup(x, c), roundup(n, c) if chance.random() < 0.5 else -(-n // c) * c), -(-n // c) * c + 1
    if kind == 2:
        return sub(roundup(x, c), least(x, roundup(x, c))), c
    return least(roundup(x, c), roundup(case.variable(0, n), c)), -(-n // c) * c + 1


def extent(case):
    """How much of a slice is inside: differences of cut-off ends."""
    n, chance = case.size(), case.chance
    k = chance.randint(1, 12)
    a = case.variable(0, chance.choice([n - k if n > k else n, n, n + 8]))
    start = times(a, chance.choice([1, 1, 2]))
    kind = chance.randrange(4)
    if kind == 0:
        return sub(least(add(start, k), n), least(start, n)), k + 1
    if kind == 1:
        return greatest(sub(least(add(start, k), n), start), 0), k + 1
    if kind == 2:
        return sub(start, least(start, n - 1)), n + 8
    b = case.variable(0, n)
    return sub(greatest(start, b), least(start, b)), n + 8


def causal(case):
    """Attention: how far the keys of a block of queries reach."""
    chance, c = case.chance, case.chance.choice([4, 8, 16])
    n = c * chance.randint(2, 6)
    block, back = case.variable(0, n // c - 1), c * chance.randint(0, 2)
    first = greatest(sub(times(block, c), back), 0)
    last = least(add(times(block, c), c + chance.choice([0, 0, 1])), n)
    if chance.random() < 0.5:
        return floordiv(add(sub(last, first), c - 1), c), 4
    return add(floordiv(first, c), case.variable(0, 2)), n // c + 3


# ---- what is done to an index next ---------------------------------------------------------------------------------------

def linearised(case, e, n):
    """Row-major with another index, and back to one of the two."""
    chance = case.chance
    m = chance.choice([3, 4, 7, 8, 16, 32])
    other = case.variable(0, m - 1)
    if chance.random() < 0.5:
        e = add(times(e, m), other)
        return (floordiv(e, m), n) if chance.random() < 0.5 else (("mod", e, m), m)
    e = add(times(other, n), e)
    return (floordiv(e, n), m) if chance.random() < 0.4 else (("mod", e, n), n)


def linearised_clamped(case, e, n):
    """Row-major with an index that is clamped as well, and back to one of the two."""
    chance, m = case.chance, case.chance.choice([4, 7, 8, 16])
    other = case.clamp(sub(case.variable(0, m + 1), 1), 0, m - 1)
    e = add(times(e, m), other)
    return (floordiv(e, m), n) if chance.random() < 0.5 else (("mod", e, m), m)


def tiled(case, e, n):
    """The tile of an index, or the place in its tile."""
    c = case.chance.choice([2, 4, 8])
    return (floordiv(e, c), -(-n // c)) if case.chance.random() < 0.7 else (("mod", e, c), c)


def tiled_back(case, e, n):
    """Tile and place in it, put together again."""
    c = case.chance.choice([2, 4, 8])
    return add(times(floordiv(e, c), c), ("mod", e, c)), n


def clamped_again(case, e, n):
    """A second clamp, as after a second slice."""
    low, high = case.chance.choice([0, 0, 0, 1, 2]), n - 1 - case.chance.choice([0, 0, 0, 1, 3])
    return case.clamp(add(e, case.chance.choice([0, 0, 1, -1])), low, max(high, low)), n


def scaled(case, e, n):
    """Elements to bytes or vectors and a bound on the result."""
    f = case.chance.choice([2, 4])
    return least(times(e, f), case.chance.choice([n * f - f, n * f, (n - 1) * f - 2])), n * f


def sliced(case, e, n):
    """An offset."""
    k = case.chance.randint(1, 5)
    return add(e, k), n + k


SHAPES = [clamped_start, clamped_start, clamped_strided, halo, halo, last_tile, last_tile, edge_pad, edge_pad, reflect_pad,
          window, window, window_bounds, upsampled, upsampled, rounded, extent, extent, causal]
STEPS = [linearised, linearised_clamped, tiled, tiled, tiled_back, clamped_again, clamped_again, scaled, sliced]


def draw(chance):
    case = Case(chance)
    shape = chance.choice(SHAPES)
    e, n = shape(case)
    family = [shape.__name__]
    for _ in range(chance.choice([0, 1, 1, 2])):
        step = chance.choice(STEPS)
        e, n = step(case, e, max(n, 2))
        family.append(step.__name__)
    return e, case.ranges, family


def main():
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    chance, seen = random.Random(seed), set()
    while len(seen) < count:
        e, ranges, family = draw(chance)
        written = text(e)
        used = {name: ranges[name] for name in sorted(names(e), key=lambda name: int(name[1:]))}
        if not used or (written, str(used)) in seen or ("min(" not in written and "max(" not in written):
            continue
        print(json.dumps({"id": "mm%d-%d" % (seed, len(seen)), "family": "+".join(family), "vars": used, "expr": written}))
        seen.add((written, str(used)))


if __name__ == "__main__":
    main()
