"""Comparisons of sizes in torch's ShapeEnv, decided by the maps of their two sides, and its simplifications, remembered.

With dynamic sizes these take most of the time of tracing: each new fact about sizes makes the ShapeEnv simplify again what it knows.
"""
# mypy: ignore-errors

import operator
import weakref

from . import _inductor

COMPARISONS = {**_inductor.COMPARISONS, "!=": operator.ne}

# Maximum number of answers that are remembered for a ShapeEnv.
MOST_REMEMBERED = 20_000

# Minimum number of operations of a comparison that is decided here: for smaller ones Inductor's own function is as fast.
FEWEST = 4


def decided(expr, symbols, unbacked_only, size_oblivious):
    """Returns true or false if the two sides of a comparison differ by a constant, for all values of the symbols; otherwise None.
    The arguments are those of `_maybe_evaluate_static_worker`."""
    import sympy

    if unbacked_only or size_oblivious or not isinstance(expr, sympy.core.relational.Relational):
        return None
    compare = COMPARISONS.get(expr.rel_op)
    if compare is None or sum(_inductor.measure(side).operations for side in expr.args) < FEWEST:
        return None
    sizes = {}
    for symbol, bounds, *_ in symbols:
        if bounds is None or not bounds.is_int:
            return None
        ends = (bounds.lower, bounds.upper)
        sizes[symbol] = tuple(int(end) if end.is_Integer else None for end in ends)
    try:
        difference = _inductor.simplified(expr.lhs - expr.rhs, {}, sizes, ())
    except _inductor.Kept:
        return None
    return sympy.sympify(compare(int(difference), 0)) if difference.is_Integer else None


class Answer:
    """An answer of `ShapeEnv.simplify`, with the facts on which it depends."""

    __slots__ = ("expr", "version", "ranges", "divisible", "others")

    def __init__(self, expr, version, ranges, divisible, others):
        self.expr, self.version, self.ranges, self.divisible, self.others = expr, version, ranges, divisible, others

    def holds(self, env):
        return (
            self.version == env._replacements_version_counter
            and all(env.var_to_range.get(symbol) is bounds for symbol, bounds in self.ranges)
            and self.divisible <= env.divisible
            and self.others.isdisjoint(env.divisible)
        )


def answer(module, env, given, found):
    """Returns an answer to remember, or None if it depends on further facts: `ShapeEnv.simplify` replaces symbols, drops operands of Min
    and Max by the ranges of symbols, and marks quotients whose remainder is known to be 0. In a Max with 0 or 1 it also asks all that
    is known; such an answer is remembered if it was found, since facts are never taken back."""
    plain = env.replace(module.safe_expand(given))
    if plain.has(module.TruncToInt):
        return None
    extremes = plain.atoms(module.Min, module.Max)
    if any(len(one.args) == 2 and {0, 1} & set(one.args) for one in found.atoms(module.Max)):
        return None
    symbols = set().union(*(one.free_symbols for one in extremes))
    ranges = tuple((symbol, env.var_to_range.get(symbol)) for symbol in symbols)
    quotients = plain.atoms(module.FloorDiv) | found.atoms(module.FloorDiv)
    remainders = {env.replace(module.Mod(*quotient.args)) for quotient in quotients}
    divisible = frozenset(remainders & env.divisible)
    # A quotient x // (x // y) with exact divisions becomes y, in which there may be further quotients.
    if any(exact(module, env, quotient, divisible) for quotient in quotients):
        return None
    return Answer(found, env._replacements_version_counter, ranges, divisible, frozenset(remainders - divisible))


def exact(module, env, quotient, divisible):
    x, divisor = quotient.args
    if not isinstance(divisor, module.FloorDiv) or divisor.args[0] != x:
        return False
    return all(env.replace(module.Mod(*one.args)) in divisible for one in (quotient, divisor))


def remembering(module, counted):
    """Returns the function that makes the replacement of `ShapeEnv.simplify` from the original."""
    of_envs = weakref.WeakKeyDictionary()

    def simplify(own, env, expr, size_oblivious=False, **facts):
        counted["simplify"] += 1
        if any(fact is not None for fact in facts.values()):
            counted["simplify: own"] += 1
            return own(env, expr, size_oblivious, **facts)
        known = of_envs.setdefault(env, {})
        key = (expr, size_oblivious)
        remembered = known.get(key)
        if remembered is not None and remembered.holds(env):
            return remembered.expr
        counted["simplify: own"] += 1
        found = own(env, expr, size_oblivious)
        try:
            made = answer(module, env, expr, found)
        except Exception:  # from sympy or torch: a condition, for example, may have no terms
            made = None
        if len(known) == MOST_REMEMBERED:
            known.clear()
        if made is not None:
            known[key] = made
        return found

    return simplify
