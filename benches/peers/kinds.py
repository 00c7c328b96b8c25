#!/usr/bin/env python3
"""Index expressions of the kinds of benches/data/fresh_cases.jsonl, of any seed.

    kinds.py SEED COUNT [KIND ..] > cases.jsonl

COUNT lines {"id", "family", "vars", "expr"} of each kind, eight times as many of the last, `tiny`; the same seed gives
the same lines, whichever kinds are asked for. Each kind is a function below. What a kind has (operators, sizes, number
of variables) is like the shipped cases; none of them is copied.
"""
import json
import math
import random
import sys

from min_max import add, floordiv, names, sub, text, times

INT = [-2147483648, 2147483647]


def mod(x, divisor):
    return ("mod", x, divisor)


def total(parts):
    whole = parts[0]
    for part in parts[1:]:
        whole = add(whole, part)
    return whole


def strides(sizes):
    """Row-major strides."""
    return [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]


def linear(indices, sizes):
    return total([times(i, s) for i, s in zip(indices, strides(sizes))])


def digits(x, sizes):
    """The index x in a row-major shape; the first is not reduced, since x is inside."""
    parts = [floordiv(x, s) for s in strides(sizes)]
    return [part if at == 0 or size == 1 else mod(part, size) for at, (part, size) in enumerate(zip(parts, sizes))]


def joined(x, c):
    """Quotient and remainder, put together."""
    return add(times(floordiv(x, c), c), mod(x, c))


class Draw(random.Random):
    """Chance, and the variables of a case."""

    def variable(self, name, low, high):
        self.ranges[name] = [low, high]
        return name

    def index(self, name, size):
        return self.variable(name, 0, size - 1)

    def divisor(self, n, low=2):
        """A divisor of n from `low` on, or n."""
        return self.choice([c for c in range(low, min(n, 3000)) if n % c == 0] + [n])

    def chance(self, share):
        return self.random() < share

    def reduced(self, x, candidates):
        """What is done last to an index: its quotient, its remainder, both, or a digit in the middle."""
        kind, c = self.randrange(8), self.choice(candidates)
        if kind < 3:
            return mod(x, c)
        if kind < 5:
            return floordiv(x, c)
        return mod(floordiv(x, c), self.choice(candidates)) if kind < 7 else joined(x, c)


# ---- the kinds: each draws an expression -----------------------------------------------------------------------------


def deep(draw):
    """Chains of splits, joins, rolls, mirrors and shifts, by numbers close to each other."""
    rank = draw.choice([1, 2, 2, 3, 3, 4, 5])
    sizes = [draw.choice([2, 3, 5, 7, 9, 10, 11, 12, 13, 14, 17, 19, 20, 22, 23, 25, 29, 35, 39]) for _ in range(rank)]
    indices = [draw.index("d%d" % i, n) for i, n in enumerate(sizes)]
    for _ in range(draw.randint(1, 7)):
        at, kind = draw.randrange(len(sizes)), draw.randrange(10)
        x, n = indices[at], sizes[at]
        if kind < 2:
            c = draw.choice([2, 3, 5, 6, 7, 9, 12, 20])
            x = joined(x, c)
        elif kind == 2:
            c = draw.choice([2, 3, 5, 6])
            indices[at : at + 1], sizes[at : at + 1] = [floordiv(x, c), mod(x, c)], [-(-n // c), c]
            continue
        elif kind == 3:
            x = mod(add(x, draw.randint(1, n + 2)), n)
        elif kind == 4:
            x = sub(n - 1, x)
        elif kind == 5:
            x = add(x, -draw.randint(1, 7))
        elif kind == 6:
            f, k = draw.choice([2, 3, 5]), draw.randint(1, 16)
            x, n = add(times(x, f), k), f * (n - 1) + k + 1
        elif kind == 7:
            order = draw.sample(range(len(sizes)), len(sizes))
            indices, sizes = [indices[i] for i in order], [sizes[i] for i in order]
            continue
        else:
            x, n = linear(indices, sizes), math.prod(sizes)
            c = draw.divisor(n)
            shape = [n // c, c] if draw.chance(0.6) else [n // c, c // draw.divisor(c, 1), 1]
            shape[-1] = n // math.prod(shape[:-1])
            shape = [size for size in shape if size > 1] or [1]
            if draw.chance(0.5):
                indices, sizes = digits(x, shape), shape
                continue
            indices, sizes, at = [x], [n], 0
            x = total([times(part, s) for part, s in zip(digits(x, shape), strides(shape))])
        indices[at], sizes[at] = x, n
    x, n = (linear(indices, sizes), math.prod(sizes)) if draw.chance(0.5) else draw.choice(list(zip(indices, sizes)))
    for _ in range(draw.choice([0, 1, 1, 2])):
        c = draw.divisor(max(n, 2)) if draw.chance(0.6) else draw.choice([2, 3, 5, 9, 19])
        x = draw.choice([floordiv, mod])(x, c)
    return add(x, -draw.choice([0, 0, 0, 0, 1, 4]))


def window(draw):
    """Convolutions and pools: rows and columns of windows, linearised; im2col; a window's row or phase."""
    k, stride, dilation = draw.choice([2, 2, 3, 4, 5, 7]), draw.choice([1, 2, 3]), draw.choice([1, 1, 2])
    channels, pad, kind = draw.choice([1, 3, 4, 5, 8, 16, 24]), draw.randint(0, 3), draw.randrange(10)
    high, wide = (dilation * (k - 1) + 1 + draw.choice([0, 3, 5, 8, 12, 22, 38, 61, 96, 127]) for _ in range(2))
    rows, columns = ((n + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for n in (high, wide))
    place = lambda out, inside: add(add(times(out, stride), times(inside, dilation)), -pad)
    if kind == 0:
        x = add(add(draw.index("d5", high * stride), draw.index("d6", k)), -pad)
        x = draw.choice([floordiv(x, 3), floordiv(x, 2), mod(x, 3), sub(x, times(floordiv(x, 3), 3))])
        return add(x, draw.index("d4", 1)) if draw.chance(0.2) else x
    if kind == 1:
        x = linear([draw.index("d5", k), draw.index("d6", k), draw.index("d7", channels)], [k, k, channels])
        return draw.choice([floordiv(mod(x, k * channels), channels), floordiv(x, channels), mod(floordiv(x, channels), k)]) if channels > 1 else mod(x, k)
    if kind < 4:
        patch, out = draw.index("d5", k * k * channels), draw.index("d6", rows * columns)
        row = place(floordiv(out, columns), floordiv(floordiv(patch, channels), k))
        column = place(mod(out, columns), mod(floordiv(patch, channels), k))
        x = total([times(row, wide * channels), times(column, channels), mod(patch, channels)]) if channels > 1 else linear([row, column], [high, wide])
        return draw.choice([x, row, mod(x, max(channels, 2)), floordiv(x, max(channels, 2))])
    row = place(draw.index("d0", rows), draw.index("d1", k))
    column = place(draw.index("d2", columns), draw.index("d3", k))
    if draw.chance(0.25):
        row, column = ("min", ("max", row, 0), high - 1), ("max", ("min", column, wide - 1), 0)
    x = total([times(row, wide * channels), times(column, channels), draw.index("d4", channels)])
    size = high * wide * channels
    return draw.reduced(x, [max(channels, 2), wide * channels, 2, 3, 4, 16, draw.divisor(size), 2 * wide * channels, max(channels, 2)])


def gather(draw):
    """Clamped starts of gathers and dynamic slices, with positions in the slice, linearised or clamped again."""
    n, kind = draw.randint(5, 120), draw.randrange(10)

    def clamped(name, limit, wide=True):
        narrow = [(0, limit), (0, n - 1)]
        low, high = draw.choice(([INT, INT, (-5, 2 * limit + 5), (-n, 2 * n)] if wide else [(-2, limit + 3), (-3, n)]) + narrow)
        x = draw.variable(name, low, high)
        return ("min", ("max", x, 0), limit) if draw.chance(0.5) else ("max", ("min", x, limit), 0)

    if kind < 2:
        k = draw.choice([2, 3, 4, 6, 12, 15, 16, 36])
        low, high = draw.choice([INT, (0, n - 1), (-n, 2 * n)])
        return floordiv(("min", ("max", times(draw.variable("d0", low, high), k), 0), (n - 1) * k), k)
    size = draw.randint(1, n // 2 + 1)
    start = clamped("d0", n - size)
    place = add(start, draw.index("d1", size))
    if kind == 2:
        x = add(place, draw.choice([-2, -1, 0, 1, 2, 3]))
        return ("min", ("max", x, 0), n - 1) if draw.chance(0.5) else ("max", ("min", x, n - 1), 0)
    if kind == 3:
        return draw.choice([lambda x, c: floordiv(x, c), joined])(place, draw.choice([2, 3, 4]))
    if kind == 4:
        inner = draw.randint(1, n)
        return add(start, add(clamped("d5", draw.choice([0, 1, 5, 7]), False), draw.index("d6", inner)))
    m = draw.choice([7, 10, 18, 25, 27, 29, 30, 39, 45, 65, 101, 127, 129])
    inner = draw.choice(["plain", "plain", "clamped"])
    if inner == "clamped":
        width = draw.randint(1, m - 1)
        last = add(clamped("d3", m - width, False), draw.index("d4", width))
    else:
        last = draw.index("d2", m)
    x = add(times(place if draw.chance(0.7) else start, m), last)
    if kind == 5:
        return x
    c = draw.choice([m, m, n * m, draw.divisor(n * m), 2 * m])
    return draw.choice([mod(x, c), floordiv(x, c), mod(floordiv(x, draw.divisor(m)), draw.choice([c, 15]))])


def tvmloop(draw):
    """Fused and split loops: flat thread indices taken apart in the shape of a tensor; packed channels; lanes."""
    kind = draw.randrange(9)
    image, block = draw.choice([7, 13, 14, 27, 28, 35, 56]), draw.choice([4, 8, 16])
    if kind == 0:
        lane, register = draw.index("d0", 32), draw.index("d2", 8)
        row = add(times(mod(floordiv(register, 2), 2), 8), floordiv(lane, 4))
        column = add(times(floordiv(register, 4), 8), add(times(mod(lane, 4), 2), mod(register, 2)))
        if draw.chance(0.3):
            row = add(times(draw.index("d1", 4), 16), row)
        x = add(times(row, 16), column)
        return draw.choice([x, floordiv(x, 16), mod(x, 16), floordiv(x, 8), mod(x, 8)])
    if kind == 1:
        tile, n = draw.choice([3, 4, 6, 8, 16]), draw.randint(2, 12)
        x = add(times(draw.index("d0", n), tile), draw.index("d1", tile))
        return draw.choice([("min", x, n * tile - draw.randint(1, tile)), mod(x, tile), joined(x, 3), floordiv(x, 2)])
    if kind == 2:
        outer, wide = draw.randint(1, 4), draw.choice([1, 2, 7, 13, 28])
        if draw.chance(0.5):
            area = image * image
            channel = add(times(draw.index("d0", outer), block), draw.index("d3", block))
            x = add(add(times(channel, area), times(draw.index("d1", image), image)), draw.index("d2", image))
        else:
            high = draw.choice([7, 13, 14])
            area = high * image
            channel = add(times(draw.index("d1", wide), block), draw.index("d4", block))
            x = total([times(draw.index("d0", outer), wide * block * area), times(channel, area), times(draw.index("d2", high), image), draw.index("d3", image)])
        channel = floordiv(x, area)
        return draw.choice([mod(channel, block), floordiv(channel, block), mod(floordiv(channel, block), 4), mod(floordiv(x, image), image), channel])
    if kind == 3:
        outer, tile, n = draw.randint(4, 40), draw.choice([2, 4, 8]), draw.choice([7, 12, 13, 14, 27])
        x = add(times(draw.index("d2", n), outer * tile), add(times(draw.index("d0", outer), tile), draw.index("d1", tile)))
        return draw.choice([mod(x, tile), floordiv(x, tile), mod(x, outer), floordiv(mod(x, outer * tile), tile), mod(x, 12)])
    threads, vector = draw.choice([3, 8, 16, 32, 48, 64, 128, 256]), draw.choice([1, 1, 2, 4])
    if kind < 6:
        near, inner = draw.choice([9, 15, 18, 30, 3]), draw.choice([4, 7, 8, 13, 14, 16])
        size = draw.choice([1, 3, 4, 8, 16])
        x = linear([draw.index("d0", draw.randint(2, 20)), draw.index("d1", size), draw.index("d2", inner)], [1, size, inner])
        if kind == 4:
            return draw.choice([joined(x, near), mod(floordiv(x, near), near), floordiv(mod(x, near * 6), 6)])
        edge, side = draw.choice([9, 18]), draw.choice([7, 14])
        return total([times(draw.index("d4", draw.randint(2, 5)), 4 * side * side), times(floordiv(x, edge * edge), 2 * side * side),
                      times(floordiv(mod(x, edge * edge), edge), 2 * side), add(times(draw.index("d3", side), side), add(mod(x, edge), -1))])
    channels = draw.choice([24, 32, 64, 8, 35])
    shape = draw.choice([[1, channels, image, image], [1, image, image, channels], [2, 8, 13, 7], [1, 18, image, 27]])
    count = math.prod(shape)
    blocks = min(-(-count // (threads * vector)), 3000)
    x = times(draw.index("d0", blocks), threads * vector)
    x = add(add(x, times(draw.index("d1", threads), vector)), draw.index("d2", vector)) if vector > 1 else add(x, draw.index("d1", threads))
    parts = [floordiv(x, math.prod(shape[1:]))] + [mod(floordiv(x, s), n) for s, n in list(zip(strides(shape), shape))[1:]]
    if kind == 6:
        return draw.choice(parts + [floordiv(mod(x, image * image), image), floordiv(x, count)])
    order = list(range(4)) if draw.chance(0.4) else [0] + draw.sample([1, 2, 3], 3)
    moved = dict(zip(order, strides([shape[i] for i in order])))
    x = total([times(parts[i], moved[i]) for i in range(4)])
    return floordiv(x, threads * vector) if draw.chance(0.15) else x


def triton(draw):
    """Program identifiers in groups, blocks of pointers, lanes and registers of tensor-core layouts."""
    kind = draw.randrange(8)
    block, n = draw.choice([32, 48, 64, 96, 128]), draw.choice([12, 24, 33, 56])
    if kind < 2:
        x = add(times(draw.index("d0", draw.randint(5, 192)), block), draw.index("d1", block))
        two = add(times(mod(floordiv(x, n), n), n), mod(x, n))
        return draw.choice([two, two, add(times(floordiv(x, n * n), n * n), two), mod(floordiv(x, n), n)])
    if kind == 2:
        lane, register, warp = draw.index("d3", 32), draw.index("d4", 16), draw.index("d5", 8)
        row = add(add(times(mod(warp, 4), 16), floordiv(lane, 4)), times(mod(floordiv(register, 2), 2), 8))
        column = add(add(times(floordiv(warp, 4), 8), times(mod(lane, 4), 2)), add(mod(register, 2), times(floordiv(register, 4), 16)))
        x = add(times(row, 64), column)
        return draw.choice([row, column, x, floordiv(x, 64), mod(x, 64), mod(x, 16), floordiv(column, 8)])
    if kind == 3:
        size = draw.choice([8, 16, 32])
        lane = draw.index("d3", draw.choice([64, 96, 256]))
        if draw.chance(0.4):
            register = draw.index("d4", draw.choice([4, 8, 16]))
            row = add(floordiv(mod(lane, 32), size), times(floordiv(lane, 32), 32 // size)) if size < 32 else floordiv(lane, 32)
            column = add(add(times(mod(lane, size), 4), mod(register, 4)), times(floordiv(register, 4), 4 * size))
            x = add(times(row, 256), column)
            return draw.choice([column, x, mod(x, 128), floordiv(x, 256)])
        c = draw.choice([2, 4, 8])
        return add(floordiv(mod(lane, 32), c), times(floordiv(lane, 32), 32 // c))
    group, across = draw.choice([3, 4, 5, 8]), draw.choice([2, 3, 5, 7, 8, 11, 16])
    width = group * across
    count = width * draw.randint(1, 6) if draw.chance(0.7) else draw.randint(width // 2 + 1, 5 * width)
    if kind == 4:
        x = draw.index("d3" if draw.chance(0.5) else "d0", count)
        return draw.choice([floordiv(mod(x, width), group), joined(x, width), floordiv(mod(x, width), across), mod(x, width)])
    x = draw.index("d0", count)
    if kind == 5:
        a, b = draw.choice([7, 8, 12, 16]), draw.choice([2, 3, 5, 8])
        m = draw.choice([32, 48, 96])
        return add(add(times(floordiv(x, a), m), times(mod(x, a), draw.choice([m, m, 128]))), sub(times(floordiv(x, b), b), x))
    if kind == 6:
        row = add(times(floordiv(x, width), group), mod(mod(x, width), group))
        column = floordiv(mod(x, width), group)
        short = add(times(floordiv(x, width), group), mod(x, group))
        return draw.choice([short, add(times(row, across), column), add(times(short, across), column),
                            add(times(floordiv(x, width), 96), times(joined(mod(x, width), across), draw.choice([16, 96, 128])))])
    other = draw.choice([16, 32, 48, 96, 128])
    row = add(times(add(times(floordiv(x, width), group), mod(mod(x, width), group)), block), draw.index("d1", block))
    column = add(times(floordiv(mod(x, width), group), other), draw.index("d2", other))
    high, wide = -(-count // width) * group * block, across * other
    place = add(times(row, wide), column)
    return draw.choice([add(times(mod(row, high), wide), mod(column, wide)), floordiv(place, wide), mod(place, wide),
                        floordiv(column, other), mod(row, block), mod(row, high)])


def view(draw):
    """Views of views: a flat index taken apart in a shape and put together with other strides, up to four times."""
    sizes = [draw.choice([2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 24, 27, 32]) for _ in range(draw.choice([1, 2, 2, 3, 3, 4]))]
    x, n = linear([draw.index("d%d" % i, size) for i, size in enumerate(sizes)], sizes), math.prod(sizes)
    for level in range(draw.choice([1, 1, 1, 2, 2, 3])):
        c = draw.divisor(n)
        shape = [n // c, c] if draw.chance(0.6) else [n // c, c // draw.divisor(c, 1), 1]
        shape[-1] = n // math.prod(shape[:-1])
        shape = [size for size in shape if size > 1] or [1]
        inside = draw.chance(0.4)
        parts = [mod(floordiv(x, s), size) if at or inside else floordiv(x, s) for at, (s, size) in enumerate(zip(strides(shape), shape))]
        order, room, offset, stride = draw.sample(range(len(shape)), len(shape)), list(shape), 0, {}
        if draw.chance(0.6):
            order.sort()
        step = 1
        for at in reversed(order):
            pad = draw.choice([0, 0, 0, 1, 2, 5])
            stride[at] = step
            step *= shape[at] + pad
            if draw.chance(0.3):
                stride[at], offset = -stride[at], offset + stride[at] * (shape[at] - 1)
            elif pad and draw.chance(0.4):
                parts[at] = add(parts[at], -1)
                offset += stride[at]
        x, n = add(total([times(part, stride[at]) for at, part in enumerate(parts)]), offset), step
    c = draw.divisor(n) if draw.chance(0.5) else draw.choice([2, 4, 6, 10, 13, n + 1])
    return draw.choice([x, x, mod(x, c), floordiv(x, c), mod(x, n), sub(x, times(floordiv(x, c), c))])


def sums(draw):
    """Several quotients and remainders of one sum, by one divisor and its multiples."""
    parts = []
    for i in range(draw.choice([1, 2, 3, 3, 4])):
        v = draw.variable("d%d" % i, draw.choice([0, 0, 0, 1, -3, -8]), draw.choice([3, 6, 9, 14, 20, 40]))
        parts.append(times(v, draw.choice([1, 1, 2, 3, 4, 5, 7, 8, 10, 12, 20])))
    x = add(total(parts), draw.choice([0, 0, -1, 1, 5, -7]))
    c, k = draw.choice([2, 3, 4, 5, 6, 8, 10]), draw.choice([2, 3, 4, 5, 7])
    terms = []
    for _ in range(draw.randint(2, 5)):
        term, factors = draw.choice([
            (floordiv(x, c), [c, -c, -1, c * k]), (mod(x, c), [1, 1, -1, 7, 2]), (floordiv(add(x, c - 1), c), [1, c]),
            (floordiv(mod(x, c * k), c), [1, c]), (floordiv(times(x, k), c), [1]), (x, [1, -1]),
            (mod(floordiv(x, c), k), [c]), (floordiv(x, c * k), [c * k]), (mod(x, c * k), [1])])
        terms.append(times(term, draw.choice(factors)))
    x = total(terms)
    return draw.choice([mod, floordiv])(x, draw.choice([c * k, k, 3])) if draw.chance(0.25) else x


def neg(draw):
    """Quotients and remainders of sums with negative coefficients, and their negations."""
    a = draw.variable("d0", draw.choice([0, -5, -9, -20]), draw.choice([0, 4, 9, 31]))
    b = draw.variable("d1", draw.choice([0, 0, -7]), draw.choice([2, 6, 10]))
    d = draw.index("d2", draw.choice([2, 4, 9]))
    k = draw.randint(-30, 30)
    last = times(d, draw.choice([1, -1, -1, -2, -3, -4, -5]))
    x = add(sub(times(a, draw.choice([-1, -2, -3, -5, -6, -8, -12, 2, 3, 4, 5, 6])), times(b, draw.choice([1, 3, 4, 5, 6, 10]))), ("-", last, -k) if k < 0 else ("+", last, k))
    c, f = draw.choice([2, 3, 4, 5, 6, 8, 10, 12, 16]), draw.choice([2, 3, 4, 5])
    return draw.choice([lambda: mod(x, c), lambda: floordiv(x, c), lambda: sub(0, floordiv(x, c)), lambda: joined(x, c),
                        lambda: sub(k, floordiv(floordiv(x, c), f)), lambda: floordiv(sub(mod(x, c * f), k), c),
                        lambda: mod(sub(k, mod(x, c * f)), c), lambda: sub(floordiv(x, c), floordiv(add(x, c), c))])()


def layout(draw):
    """Tiled layouts: where an element lies, and where an element of memory comes from."""
    tile = draw.choice([(4, 4), (8, 8), (8, 128), (2, 128), (4, 8), (8, 16), (8, 4), (4, 16), (2, 8)])
    inner = draw.choice([None, None, (2, 1), (4, 1)])
    high, wide = draw.randint(5, 70), draw.randint(5, 70)
    shape = draw.random()
    if shape < 0.6:
        x = draw.index("d0", high * wide * draw.choice([1, 1, 5, 13]))
        if draw.chance(0.5):
            area, row = tile[0] * tile[1], draw.choice([8, 12, 20, 48, 64])
            return draw.choice([joined(x, area), mod(x, area), mod(floordiv(x, tile[0]), area), add(times(floordiv(x, area), tile[0]), mod(floordiv(x, tile[0]), tile[0])),
                                add(times(mod(floordiv(x, row), draw.randint(3, 12)), tile[0]), mod(x, tile[0])),
                                add(times(mod(floordiv(x, row), draw.randint(3, 12)), 8), add(times(mod(floordiv(x, row // 4), 4), 2), mod(x, 2)))])
        row, column, batch = floordiv(x, wide), mod(x, wide), None
        if draw.chance(0.3):
            batch, row = floordiv(x, high * wide), mod(row, high)
    else:
        row, column, batch = draw.index("d1", high), draw.index("d2", wide), draw.index("d0", 13)
        if draw.chance(0.5):
            draw.ranges.clear()
            row, column, batch = draw.index("d0", high), draw.index("d1", wide), None
    across, down = -(-wide // tile[1]), -(-high // tile[0])
    area = tile[0] * tile[1]
    r, c = mod(row, tile[0]), mod(column, tile[1])
    parts = [times(floordiv(row, tile[0]), area * across), times(floordiv(column, tile[1]), area)]
    if inner and inner[0] < tile[0]:
        parts += [times(floordiv(r, inner[0]), tile[1] * inner[0]), times(c, inner[0]), mod(r, inner[0])]
    else:
        parts += [times(r, tile[1]), c]
    x = total(([times(batch, area * across * down)] if batch else []) + parts)
    if draw.chance(0.65):
        return x
    inside = floordiv(x, area * across)
    return draw.choice([add(times(inside, tile[0]), mod(floordiv(x, tile[1]), tile[0])), mod(x, area), mod(floordiv(x, tile[1]), tile[0]),
                        add(times(mod(inside, down), tile[0]), mod(floordiv(x, tile[1]), tile[0]))])


def radix(draw):
    """The digits of one mixed base, read in another with the same primes."""
    sizes = [draw.choice([2, 2, 3, 4, 4, 5, 6, 7]) for _ in range(draw.choice([5, 5, 6, 7, 8, 8, 9, 10, 12]))]
    x, n = linear([draw.index("d%d" % i, size) for i, size in enumerate(sizes)], sizes), math.prod(sizes)
    x = add(x, draw.choice([0, 0, 0, 3, 9, 16, 19, 31, 41]))
    factors, bases = [f for size in sizes for f in ([2, 2] if size == 4 else [2, 3] if size == 6 else [size])], []
    draw.shuffle(factors)
    while factors:
        take = draw.choice([1, 1, 2, 2, 3])
        bases.append(math.prod(factors[:take]))
        del factors[:take]
    stride, form = strides(bases), draw.randrange(8)
    at = draw.randrange(1, len(bases)) if len(bases) > 1 else 0
    digit = mod(floordiv(x, stride[at]), bases[at])
    if form < 3:
        return digit
    if form == 3:
        return draw.choice([mod(x, stride[at - 1]), floordiv(x, stride[at])]) if n > stride[at] > 1 else mod(x, stride[at] * bases[at])
    if form == 4:
        return floordiv(mod(x, stride[at] * bases[at]), draw.choice([2, 3, 4]))
    if form == 5 and stride[at] > 1:
        return add(times(floordiv(x, stride[at] * bases[at]), stride[at] * bases[at]), digit)
    parts = [floordiv(x, stride[0])] + [mod(floordiv(x, s), b) for s, b in list(zip(stride, bases))[1:]]
    keep = max(len(parts) - 4, 0)
    if keep:
        parts, bases = [floordiv(x, stride[keep])] + parts[keep + 1 :], [math.prod(bases[: keep + 1])] + bases[keep + 1 :]
    order = draw.sample(range(len(parts)), len(parts))
    x = linear([parts[i] for i in order], [bases[i] for i in order])
    return floordiv(x, draw.divisor(n)) if draw.chance(0.4) else x


def packed(draw):
    """Packed small numbers, interleaved vectors: places within words of 8 to 64."""
    width = draw.choice([4, 8, 16])
    lane = draw.index("d1", draw.choice([4, 8, 8, 16]))
    outer = draw.index("d0", draw.choice([17, 32, 48, 60, 100, 128, 250]))
    x = add(times(outer, width), lane)
    kind = draw.randrange(6)
    swap = add(times(mod(x, 4), 8), mod(floordiv(x, 4), 8))
    if kind == 0:
        return joined(x, draw.choice([2, 8]))
    if kind == 1:
        return add(times(floordiv(x, 32), 32), swap)
    if kind == 2:
        return floordiv(add(add(times(floordiv(x, 32), 32), times(mod(x, 4), 8)), mod(floordiv(x, 4), 8)), draw.choice([2, 4, 8, 16]))
    if kind == 3:
        c = draw.choice([2, 4, 8])
        return add(times(floordiv(x, 4 * c), 4), mod(floordiv(x, c), 4))
    if kind == 4:
        c = draw.choice([2, 4, 8])
        return add(times(mod(x, c), 8 // c), times(floordiv(mod(x, 32), c), 8))
    x = add(times(outer, draw.choice([16, 32, 64])), times(lane, draw.choice([1, 2, 2, 4])))
    return mod(floordiv(x, draw.choice([2, 4, 8])), draw.choice([4, 8, 8, 16]))


def tiny(draw):
    """Two to nine operations drawn at random."""
    boxes = [(0, 31), (0, 63), (0, 5), (0, 3), (0, 15), (0, 9), (0, 40), (-5, 20), (-8, 7), (1, 12)]
    bounds = {"d%d" % i: draw.choice(boxes) for i in range(3)}
    given = draw.choice(["d0", "d0", "d0", "d1", "d0 d1", "d0 d1", "d0 d1", "d2", "d1 d2", "d0 d2", "d0 d1 d2"]).split()

    def drawn(depth):
        if depth == 0:
            v = draw.choice(given)
            return draw.variable(v, *bounds[v])
        x, kind = drawn(depth - 1), draw.randrange(24)
        if kind < 7:
            return floordiv(x, draw.choice([2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12]))
        if kind < 13:
            return mod(x, draw.choice([2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12]))
        if kind < 14:
            return ("+", x, draw.choice([7, 2, 5, -2, 11, -1]))
        if kind < 16:
            return times(x, draw.choice([2, 3, 10, -2, -3, -1, 4, 5, 8]))
        if kind == 16:
            y = draw.choice([0, 1, 3, 5, 9, 9]) if draw.chance(0.7) else drawn(draw.randrange(depth))
            return (draw.choice(["min", "max"]), x, y)
        y = drawn(draw.randrange(depth))
        return sub(x, y) if kind < 19 else add(x, times(y, draw.choice([1, 2, 3, 5, 6, -2, -3, 10])))

    return drawn(draw.choice([2, 2, 3, 3, 3, 4, 4]))


def operations(x):
    return 1 + operations(x[1]) + operations(x[2]) if isinstance(x, tuple) else 0


def largest(x, ranges):
    """A bound on the absolute values of x and its parts, remainders aside; whether 32 bits hold them."""
    if isinstance(x, tuple):
        a, b = largest(x[1], ranges), largest(x[2], ranges)
        return a + b if x[0] in "+-" else a * b if x[0] == "*" else max(a, b)
    return abs(x) if isinstance(x, int) else max(map(abs, ranges[x]))


KINDS = {kind.__name__: kind for kind in (deep, window, gather, tvmloop, triton, view, sums, neg, layout, radix, packed, tiny)}
# An expression outside these numbers of operations is drawn again.
FEWEST, MOST, LONGEST, MOST_TINY = 2, 400, 2100, 9


def cases(name, seed, count):
    draw, seen = Draw("%s %d" % (name, seed)), set()
    draw.ranges = {}
    while len(seen) < count:
        draw.ranges = {}
        x = KINDS[name](draw)
        fits = FEWEST <= operations(x) <= (MOST_TINY if name == "tiny" else MOST)
        # Peers compute with 32 bits; only a start that may be any integer is not bounded.
        fits = fits and (name == "gather" or largest(x, draw.ranges) < 1 << 31)
        written = text(x)
        used = {v: list(draw.ranges[v]) for v in sorted(names(x), key=lambda v: int(v[1:]))}
        if fits and used and len(written) <= LONGEST and (written, str(used)) not in seen:
            yield {"id": "%s%d-%d" % (name, seed, len(seen)), "family": name, "vars": used, "expr": written}
            seen.add((written, str(used)))


def main():
    if len(sys.argv) < 3 or not set(sys.argv[3:]) <= set(KINDS):
        raise SystemExit(__doc__)
    seed, count = map(int, sys.argv[1:3])
    for name in sys.argv[3:] or KINDS:
        for case in cases(name, seed, count * (8 if name == "tiny" else 1)):
            print(json.dumps(case))


if __name__ == "__main__":
    main()
