#!/usr/bin/env python3
"""Compares the Python package with islpy and sympy in one run, as a table.

    python.py [CASES.jsonl] [--every N] [--points COUNT] [--runs COUNT] [--without-sympy]

For every Nth expression (default 8) of benches/data/cases.jsonl, or another such file, it times

    parse      IndexMap(text); islpy.Map(text), in isl's notation; sympy.parse_expr(text)
    simplify   m.simplify(); islpy.PwMultiAff.from_map(m).coalesce(); sympy.simplify(expression)
    equal      the expression and its simplified form: m.equal(n); m.is_equal(n); sympy.simplify(e - f) == 0
    evaluate   at a million points: m(*arrays); sympy.lambdify(..)(*arrays); isl does not support arrays: a thousand points
               are evaluated one by one, and the time is scaled

and prints the median over the expressions of the shortest times, with its ratio to affinor's, and the sums of these times. A call of
isl or sympy that takes longer than ten seconds counts as ten. Below are the numbers of decided pairs, of operations left by
`simplify`, and of expressions with a value that differs from affinor's: sympy's code divides floating-point numbers. A different
value of isl stops the run. Needs NumPy, islpy and sympy; `.ci/python --release` has them in target/python/venv.
"""

import argparse
import json
import signal
import statistics
import time
from pathlib import Path

import islpy
import numpy
import sympy
from sympy.core.cache import clear_cache

from affinor import IndexMap
from affinor.torch import measure

CASES = Path(__file__).parent / "data" / "cases.jsonl"
LIMIT = 10


class TooLong(Exception):
    pass


def stop(*_):
    raise TooLong


def shortest(work, runs, prepare):
    """Returns the shortest time of some runs, and the result; None if it took too long. `prepare` makes new arguments for each run,
    since isl and sympy cache results about an object."""
    best, result = LIMIT, None
    signal.signal(signal.SIGALRM, stop)
    try:
        for _ in range(runs):
            arguments = prepare()
            signal.setitimer(signal.ITIMER_REAL, LIMIT)
            start = time.perf_counter()
            result = work(*arguments)
            taken = time.perf_counter() - start
            best = min(best, taken)
            if taken > 0.5:
                break
    except TooLong:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return best, result


def at_points(relation, columns):
    """Returns the values of isl's function at each point."""
    values = []
    function = islpy.PwMultiAff.from_map(relation).get_pw_aff(0)
    space = function.domain().get_space()
    for row in zip(*columns):
        point = islpy.Point.zero(space)
        for number, value in enumerate(row):
            point = point.set_coordinate_val(islpy.dim_type.set, number, islpy.Val(int(value)))
        values.append(function.eval(point).to_python())
    return values


def measured(case, count, runs, has_sympy):
    names = list(case["vars"])
    bounds = ", ".join(f"{name} in [{lo}, {hi}]" for name, (lo, hi) in case["vars"].items())
    text = f"({', '.join(names)}) -> ({case['expr']}), domain: {bounds}"
    drawn = numpy.random.default_rng(0)
    columns = [drawn.integers(lo, hi, count, endpoint=True) for lo, hi in case["vars"].values()]
    few = [column[:1000] for column in columns]
    symbols = {name: sympy.Symbol(name, integer=True) for name in names}
    in_sympy = IndexMap(text).to_sympy()[0].xreplace({sympy.Symbol(name, integer=True): one for name, one in symbols.items()})
    formula = str(in_sympy)
    times, found = {}, {}

    def own(what, library, work, prepare=lambda: ()):
        times[what, library], result = shortest(work, runs, prepare)
        return result

    map = own("parse", "affinor", lambda: IndexMap(text))
    simple = own("simplify", "affinor", map.simplify)
    found["equal", "affinor"] = bool(own("equal", "affinor", lambda: map.equal(simple)))
    values = own("evaluate", "affinor", lambda: map(*columns))[0]
    found["operations", "affinor"] = measure(simple.to_sympy()[0]).operations

    written = str(map.to_islpy())
    relation = own("parse", "isl", lambda: islpy.Map(written))
    fresh = lambda: (islpy.Map(written), simple.to_islpy())
    own("simplify", "isl", lambda one, _: islpy.PwMultiAff.from_map(one).coalesce(), fresh)
    found["equal", "isl"] = bool(own("equal", "isl", lambda one, other: one.is_equal(other), fresh))
    one_by_one = own("evaluate", "isl", lambda: at_points(relation, few))
    times["evaluate", "isl"] *= count / len(few[0])
    assert one_by_one is None or one_by_one == values[:1000].tolist(), text

    found["given"] = measure(in_sympy).operations
    if not has_sympy:
        return times, found
    forget = lambda: clear_cache() or ()
    expr = own("parse", "sympy", lambda: sympy.parse_expr(formula, local_dict=symbols))
    less = own("simplify", "sympy", lambda: sympy.simplify(expr), forget)
    found["operations", "sympy"] = measure(expr if less is None else less).operations
    (target,) = simple.to_sympy()
    found["equal", "sympy"] = own("equal", "sympy", lambda: sympy.simplify(expr - target) == 0, forget) is True
    compiled = sympy.lambdify(list(symbols.values()), expr, "numpy")
    by_sympy = own("evaluate", "sympy", lambda: compiled(*columns))
    found["inexact"] = by_sympy is not None and not (numpy.broadcast_to(by_sympy, count) == values).all()
    return times, found


def shown(seconds):
    for unit, size in (("us", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="?", default=CASES)
    parser.add_argument("--every", type=int, default=8)
    parser.add_argument("--points", type=int, default=10**6)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--without-sympy", action="store_true", help="which takes a second for each expression")
    arguments = parser.parse_args()
    cases = [json.loads(line) for line in Path(arguments.cases).read_text().splitlines()][:: arguments.every]
    libraries = ("affinor", "isl", "sympy")[: 2 if arguments.without_sympy else 3]
    done = [measured(case, arguments.points, arguments.runs, "sympy" in libraries) for case in cases]
    print(f"| {len(cases)} expressions | {' | '.join(libraries)} |")
    print("|---" * (len(libraries) + 1) + "|")
    for what in ("parse", "simplify", "equal", "evaluate"):
        for said, of in (("", statistics.median), (", sum", sum)):
            taken = [of([times[what, library] for times, _ in done]) for library in libraries]
            cells = [shown(taken[0]), *[f"{shown(one)} ({one / taken[0]:.2g} times)" for one in taken[1:]]]
            print(f"| {what}{said} | {' | '.join(cells)} |")
    decided = [sum(found["equal", library] for _, found in done) for library in libraries]
    print(f"| decided equal | {' | '.join(map(str, decided))} |")
    if "sympy" in libraries:
        print(f"| a value differs | | 0 | {sum(found['inexact'] for _, found in done)} |")
        left = [sum(found["operations", library] for _, found in done) for library in ("affinor", "sympy")]
        print(f"| operations left of {sum(found['given'] for _, found in done)} | {left[0]} | | {left[1]} |")


if __name__ == "__main__":
    main()
