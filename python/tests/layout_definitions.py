"""The operations on layouts by their definitions, evaluated at all elements."""

import itertools
import math


def leaves(shape, stride):
    """Returns the sizes and strides without nesting, the fastest first."""
    if isinstance(shape, int):
        return [(shape, stride)]
    return [leaf for pair in zip(shape, stride) for leaf in leaves(*pair)]


def size(shape):
    return shape if isinstance(shape, int) else math.prod(map(size, shape))


def offset(own, number):
    """Returns the offset of a number; beyond the last element the last mode continues."""
    total = 0
    for place, (extent, apart) in enumerate(own):
        last = place + 1 == len(own)
        total += (number if last else number % extent) * apart
        number //= extent
    return total


def offsets(layout):
    own = leaves(layout.shape, layout.stride)
    return [offset(own, number) for number in range(size(layout.shape))]


def modes(layout):
    """Returns the leaves of each top-level mode."""
    if isinstance(layout.shape, int):
        return [[(layout.shape, layout.stride)]]
    return [leaves(*pair) for pair in zip(layout.shape, layout.stride)]


def is_layout(values):
    """Whether the values, from number 0 on, are the offsets of some layout."""
    count = len(values)
    if values[0] != 0:
        return False
    if count == 1:
        return True
    for step in range(2, count + 1):
        if count % step == 0:
            starts = values[::step]
            inside = [x * values[1] for x in range(step)]
            if all(values[y * step + x] == starts[y] + inside[x] for y in range(count // step) for x in range(step)):
                if is_layout(starts):
                    return True
    return False


def is_layout_by_modes(values, sizes):
    """Whether the values, over all indices with the first one fastest, are a sum of layouts of the modes."""
    units = list(itertools.accumulate(sizes, int.__mul__, initial=1))
    alone = [[values[x * unit] for x in range(extent)] for extent, unit in zip(sizes, units)]
    if not all(map(is_layout, alone)):
        return False
    return all(
        value == sum(one[number // unit % extent] for one, extent, unit in zip(alone, sizes, units))
        for number, value in enumerate(values)
    )


def composed(outer, inner):
    own = leaves(outer.shape, outer.stride)
    return [offset(own, number) for number in offsets(inner)]


def is_complement(layout, other, target):
    """Whether each number below the target is the sum of exactly one offset of each of both layouts, and the other one is ordered."""
    own, more = sorted(set(offsets(layout))), offsets(other)
    sums = [x + y for x in own for y in more]
    strides = [apart for extent, apart in leaves(other.shape, other.stride) if extent > 1]
    return len(set(sums)) == len(sums) and set(range(target)) <= set(sums) and strides == sorted(strides)


def random_layout(draw, most, depth=2):
    """Draws a shape and strides: nested, up to rank 4, with gaps and zeros, and with a limited number of elements."""
    rank = draw.choice([1, 1, 2, 2, 3, 4])
    flat = []

    def build(depth, budget):
        if depth == 0 or draw.random() < 0.65:
            extent = draw.randrange(1, max(2, min(budget, 9)))
            flat.append(extent)
            return extent
        parts = []
        for _ in range(draw.choice([1, 2, 2, 3])):
            part = build(depth - 1, budget)
            budget = max(1, budget // size(part))
            parts.append(part)
        return tuple(parts)

    parts, budget = [], most
    for _ in range(rank):
        part = build(depth, budget)
        budget = max(1, budget // size(part))
        parts.append(part)
    shape = parts[0] if rank == 1 and isinstance(parts[0], int) and draw.random() < 0.7 else tuple(parts)
    kind = draw.random()
    order = list(range(len(flat)))
    draw.shuffle(order)
    strides = [0] * len(flat)
    reached = 1
    for place in order:
        if kind < 0.5:  # nested with gaps
            reached *= draw.choice([1, 1, 1, 2, 3])
            strides[place] = reached
            reached *= flat[place]
        else:
            strides[place] = draw.choice([0, 1, 1, 2, 3, 4, 6, 8, 16, draw.randrange(1, 30)])
    if draw.random() < 0.2:
        strides[draw.randrange(len(flat))] = 0
    left = iter(strides)

    def strided(shape):
        return next(left) if isinstance(shape, int) else tuple(map(strided, shape))

    return shape, strided(shape)
