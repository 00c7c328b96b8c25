#!/usr/bin/env python3
"""Index expressions as chains of layout operations leave them before they are simplified.

    chains.py SEED COUNT > cases.jsonl

A case starts from the indices of a random shape and applies two to five operations (reshape, transpose, reverse,
slice, pad, tile, tile and untile), each as its index map says; the result is one of the indices, or all of them
linearised. The same seed gives the same lines.
"""
import json
import random
import sys

SIZES = [2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 24, 32, 50, 64]
MOST_ELEMENTS = 1 << 24


def product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def linear(indices, sizes):
    terms, stride = [], 1
    for index, size in reversed(list(zip(indices, sizes))):
        terms.append("(%s) * %d" % (index, stride))
        stride *= size
    return " + ".join(reversed(terms))


def delinear(index, sizes):
    stride, parts = product(sizes), []
    for position, size in enumerate(sizes):
        stride //= size
        part = "(%s) floordiv %d" % (index, stride)
        parts.append(part if position == 0 else "(%s) mod %d" % (part, size))
    return parts


def regrouped(sizes, draw):
    """Another shape with as many elements."""
    left, factors, prime = product(sizes), [], 2
    while left > 1:
        while left % prime == 0:
            factors.append(prime)
            left //= prime
        prime += 1
    draw.shuffle(factors)
    shape = [1] * draw.randint(1, 4)
    for factor in factors:
        shape[draw.randrange(len(shape))] *= factor
    return [size for size in shape if size > 1] or [1]


def step(indices, sizes, draw):
    """One operation: the new indices and sizes, and the operation's name."""
    name = draw.choice(["reshape", "reshape", "transpose", "reverse", "slice", "pad", "tile", "untile"])
    at = draw.randrange(len(sizes))
    if name == "reshape":
        shape = regrouped(sizes, draw)
        return delinear(linear(indices, sizes), shape), shape, name
    if name == "transpose":
        order = draw.sample(range(len(sizes)), len(sizes))
        return [indices[i] for i in order], [sizes[i] for i in order], name
    indices, sizes = list(indices), list(sizes)
    if name == "reverse":
        indices[at] = "%d - (%s)" % (sizes[at] - 1, indices[at])
    elif name == "slice":
        start, stride = draw.randint(0, 7), draw.choice([1, 1, 2, 3])
        indices[at] = "(%s) * %d + %d" % (indices[at], stride, start)
        sizes[at] = (sizes[at] - 1) * stride + start + 1 + draw.randint(0, 4)
    elif name == "pad":
        indices[at] = "(%s) - %d" % (indices[at], draw.randint(1, 5))
    else:
        tile, index = draw.choice([2, 3, 4, 8, 16]), indices[at]
        pair = ["(%s) floordiv %d" % (index, tile), "(%s) mod %d" % (index, tile)]
        tiles = -(-sizes[at] // tile)
        if name == "tile":
            indices[at : at + 1], sizes[at : at + 1] = pair, [tiles, tile]
        else:
            indices[at], sizes[at] = "(%s) * %d + (%s)" % (pair[0], tile, pair[1]), tiles * tile
    return indices, sizes, name


def case(name, draw):
    rank = draw.choice([1, 2, 2, 3, 3, 4, 5, 7])
    sizes = [draw.choice(SIZES if rank < 5 else SIZES[:5]) for _ in range(rank)]
    bounds = {"d%d" % i: [0, size - 1] for i, size in enumerate(sizes)}
    indices, steps = list(bounds), []
    for _ in range(draw.randint(2, 5)):
        changed, shape, operation = step(indices, sizes, draw)
        if product(shape) > MOST_ELEMENTS or sum(map(len, changed)) > 6000:
            break
        indices, sizes = changed, shape
        steps.append(operation)
    text = linear(indices, sizes) if draw.random() < 0.3 else draw.choice(indices)
    return {"id": name, "family": "+".join(steps), "vars": bounds, "expr": text}


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    seed, count = map(int, sys.argv[1:])
    draw = random.Random(seed)
    for number in range(count):
        print(json.dumps(case("chain%d-%d" % (seed, number), draw)))


if __name__ == "__main__":
    main()
