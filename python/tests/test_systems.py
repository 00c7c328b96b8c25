"""Random systems of up to six variables: emptiness, bounds and numbers of points agree with isl."""

import random

import islpy
import pytest

from affinor import Session

# The width of the intervals, by the number of variables.
WIDTHS = {1: 200, 2: 60, 3: 30, 4: 15, 5: 9, 6: 7}
FACTORS = [1, 1, 1, -1, 2, 3, -2, 5, -3, 7, 10]


def sum_of(terms):
    return " + ".join(f"{factor}*{name}" for factor, name in terms)


def constraint(draw, names):
    """Draws a sum, a function of it with or without a divisor, and an interval, in which None is infinite."""
    terms = [(draw.choice(FACTORS), name) for name in draw.sample(names, draw.randint(1, len(names)))]
    lo = draw.randint(-20, 40)
    kind = draw.choices(["point", "below", "above", "mod", "floordiv", "both"], [5, 3, 4, 3, 2, 3])[0]
    modulus = draw.choice([2, 3, 4, 6, 8])
    residue, quotient = draw.randrange(modulus), draw.randint(-2, 5)
    lo, hi = {
        "point": (lo, lo),
        "below": (None, lo),
        "above": (lo, None),
        "mod": (residue, residue),
        "floordiv": (quotient, quotient + draw.randint(0, 4)),
        "both": (lo, lo + draw.randint(0, 40)),
    }[kind]
    return terms, (kind, modulus) if kind in ("mod", "floordiv") else None, lo, hi


def system(draw):
    names = [f"x{place}" for place in range(draw.randint(1, 6))]
    bounds = {}
    for name in names:
        lo = draw.choice([0, 0, 0, -5, 3])
        bounds[name] = lo, None if draw.random() < 0.15 else lo + draw.randint(0, WIDTHS[len(names)])
    constraints = [constraint(draw, names) for _ in range(draw.randint(1, 4))]
    some = [(draw.choice([1, -1, 2, 3, -4]), name) for name in draw.sample(names, draw.randint(1, min(3, len(names))))]
    return names, bounds, constraints, [[(1, name)] for name in names] + [some]


def as_map(names, bounds, constraints, results):
    def between(lo, hi):
        return f"[{'-inf' if lo is None else lo}, {'inf' if hi is None else hi}]"

    domain = [f"{name} in {between(*bounds[name])}" for name in names]
    for terms, function, lo, hi in constraints:
        of = sum_of(terms) if function is None else f"({sum_of(terms)}) {function[0]} {function[1]}"
        domain.append(f"{of} in {between(lo, hi)}")
    return f"({', '.join(names)}) -> ({', '.join(map(sum_of, results))}), domain: {', '.join(domain)}"


def as_set(names, bounds, constraints):
    rows = []
    for name in names:
        rows += [(name, *bounds[name])]
    for terms, function, lo, hi in constraints:
        of = sum_of(terms)
        if function is not None:
            of = f"({of}) mod {function[1]}" if function[0] == "mod" else f"floor(({of})/{function[1]})"
        rows += [(of, lo, hi)]
    stated = [f"{of} >= {lo}" for of, lo, _ in rows if lo is not None]
    stated += [f"{of} <= {hi}" for of, _, hi in rows if hi is not None]
    return islpy.Set(f"{{ [{', '.join(names)}] : {' and '.join(stated)} }}")


def end(value):
    return None if value.is_infty() or value.is_neginfty() else value.to_python()


@pytest.mark.parametrize("seed", range(4))
def test_systems_are_those_of_isl(seed):
    draw = random.Random(seed)
    session = Session()
    empty = counted = 0
    for _ in range(250):
        names, bounds, constraints, results = system(draw)
        text = as_map(names, bounds, constraints, results)
        points = as_set(names, bounds, constraints)
        (ranges,) = session.run(f"range {text}")
        (number,) = session.run(f"count {text}")
        if points.is_empty():
            empty += 1
            assert all(lo > hi for lo, hi in ranges.json["ranges"]), text
            assert number.json["points"]["number"] == 0, text
            continue
        space = f"{{ [{', '.join(names)}] -> [%s] }}"
        ends = [islpy.Aff(space % f"({sum_of(terms)})") for terms in results]
        assert ranges.json["ranges"] == [[end(points.min_val(aff)), end(points.max_val(aff))] for aff in ends], text
        if points.is_bounded():
            counted += 1
            assert number.json["points"]["number"] == points.count_val().to_python(), text
    assert empty > 50 and counted > 50
