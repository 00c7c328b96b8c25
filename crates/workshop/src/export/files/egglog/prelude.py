"""Checks what stands in rules.egg before the rules: ends of intervals, operations on integers, and coefficients taken apart.

A rule of `bounds` must set the very ends that the values of its term have, of all operands between the ends that it reads; and all of them
together those of each operation.
"""
import itertools
import random
import re

TURNS = 300
# What is not read of an operand is as far away as this.
FAR = 20
NEAR = 8
SETTINGS = [
    ["ruleset", "bounds"],
    ["ruleset", "integers"],
    ["ruleset", "multiples"],
    ["function", "lo", ["Term"], "i64", ":merge", ["max", "old", "new"]],
    ["function", "hi", ["Term"], "i64", ":merge", ["min", "old", "new"]],
]
OPERANDS = ("Integer ?", "Add * *", "Multiply ? *", "FloorDiv * ?", "Mod * ?", "Min * *", "Max * *")


def text(code):
    return code if isinstance(code, str) else "(%s)" % " ".join(map(text, code))


def shape(pattern):
    """The operation: ? for an integer, * for a term."""
    if pattern[0] == "Integer":
        return "Integer ?"
    return " ".join([pattern[0]] + ["*" if isinstance(part, str) else "?" for part in pattern[1:]])


def leaves(pattern):
    """Its variables from left to right."""
    if pattern[0] == "Integer":
        return [pattern[1]]
    return [part if isinstance(part, str) else part[1] for part in pattern[1:]]


class Bound:
    """A rule that sets ends of a term."""

    def __init__(self, code):
        [_, facts, self.actions, where, ruleset] = code
        [_, self.root, self.pattern] = facts[0]
        if (where, ruleset) != (":ruleset", "bounds") or shape(self.pattern) not in OPERANDS:
            raise ValueError("no rule of bounds")
        self.code, self.facts = code, facts[1:]
        self.reads = {(fact[2][0], fact[2][1]) for fact in self.facts if fact[2][0] in ("lo", "hi")}
        self.names = leaves(self.pattern)
        self.terms = [] if self.pattern[0] == "Integer" else [part for part in self.pattern[1:] if isinstance(part, str)]

    def ends(self, values, compute):
        """What it sets with these integers and intervals; nothing where it does not fire."""
        point = {}
        for name, given in zip(self.names, values):
            if name in self.terms:
                # Terms themselves are worth nothing here: an end may be computed from ends only.
                point[name], point["lo " + name], point["hi " + name] = 0, given[0], given[1]
            else:
                point[name] = given
        for fact in self.facts:
            if fact[0] == "=" and isinstance(fact[1], str) and fact[1] not in point:
                point[fact[1]] = compute(fact[2], point)
            elif not compute(fact, point):
                return []
        for term in self.terms:
            del point[term]
        found = []
        for action, [end, root], value in self.actions:
            if action != "set" or root != self.root:
                raise ValueError("another action than to set an end")
            found.append((end, compute(value, point)))
        if len(dict(found)) != len(found):
            raise ValueError("it sets an end twice")
        return found


def drawn(dice, operands):
    """Integers and intervals for an operation."""
    values = []
    for operand in operands:
        least = dice.randint(-9, 9)
        values.append(dice.randint(-6, 6) if operand == "?" else (least, least + dice.randint(0, 6)))
    return values


def divides_by_less_than_one(operation, values):
    return operation[0] in ("FloorDiv", "Mod") and values[1] < 1


def exact(pattern, values, compute):
    """The least and greatest value of an operation, of operands in these intervals."""
    spans = [range(given[0], given[1] + 1) if isinstance(given, tuple) else [given] for given in values]
    names = leaves(pattern)
    found = [compute(pattern, dict(zip(names, point))) for point in itertools.product(*spans)]
    return {"lo": min(found), "hi": max(found)}


def widened(bound, values):
    """Each interval without the ends that a rule does not read."""
    wide = []
    for name, given in zip(bound.names, values):
        if isinstance(given, tuple):
            lo, hi = [given[at] if (end, name) in bound.reads else None for at, end in enumerate(("lo", "hi"))]
            if lo is None and hi is None:
                given = (-FAR, FAR)
            else:
                given = (hi - NEAR if lo is None else lo, lo + NEAR if hi is None else hi)
        wide.append(given)
    return wide


def check_bound(bound, compute, failures):
    dice, fired = random.Random(text(bound.code)), 0
    for _ in range(TURNS):
        values = drawn(dice, shape(bound.pattern).split()[1:])
        ends = bound.ends(values, compute)
        if not ends:
            continue
        fired += 1
        if divides_by_less_than_one(bound.pattern, values):
            failures.append("%s divides by less than 1 at %s" % (text(bound.code), values))
            return fired
        right = exact(bound.pattern, widened(bound, values), compute)
        for end, value in ends:
            if right[end] != value:
                failures.append("%s sets %s to %s at %s, where it is %s" % (text(bound.code), end, value, values, right[end]))
                return fired
    if not fired:
        failures.append("%s never fires" % text(bound.code))
    return fired


def check_together(operation, bounds, compute, failures):
    """All rules for an operation together give it its interval."""
    if not bounds:
        failures.append("no rule of bounds is about (%s)" % operation)
        return
    dice = random.Random(operation)
    for _ in range(TURNS):
        values = drawn(dice, operation.split()[1:])
        if divides_by_less_than_one(operation.split(), values):
            continue
        ends = [end for bound in bounds for end in bound.ends(values, compute)]
        low, high = [[value for end, value in ends if end == which] for which in ("lo", "hi")]
        right = exact(bounds[0].pattern, values, compute)
        if not low or not high or {"lo": max(low), "hi": min(high)} != right:
            rules = " ".join(text(bound.code) for bound in bounds)
            failures.append("the ends of (%s) at %s are %s, and not what is set by %s" % (operation, values, right, rules))
            return


def check_equal(code, compute, failures):
    """A rewrite, or a rule that unites: both sides are worth the same wherever it fires."""
    if code[0] == "rewrite":
        [_, left, right, *options] = code
        facts = options[1] if options[0] == ":when" else []
        facts = [["=", "root", left]] + facts
    else:
        [_, facts, [[action, left, right]], *_] = code
        if action != "union":
            raise ValueError("another action than to unite")
    patterns = [fact for fact in facts if fact[0][0].isupper()]
    defined = [fact for fact in facts if fact[0] == "=" and isinstance(fact[2], list) and fact[2][0][0].isupper()]
    guards = [fact for fact in facts if fact not in patterns and fact not in defined]
    free = sorted(set().union(*map(variables, patterns + [fact[2] for fact in defined])) - {fact[1] for fact in defined})
    dice, fired = random.Random(text(code)), 0
    for _ in range(2 * TURNS):
        point = {name: dice.randint(-12, 12) for name in free}
        try:
            for fact in defined:
                point[fact[1]] = compute(fact[2], point)
            if not all(compute(guard, point) for guard in guards):
                continue
            fired += 1
            divisors = [point.get(part[2][1]) for part in terms(facts) if part[0] in ("FloorDiv", "Mod") and part[2][0] == "Integer"]
            if compute(left, point) != compute(right, point) or any(divisor is not None and divisor < 1 for divisor in divisors):
                failures.append("%s is wrong at %s" % (text(code), point))
                return fired
        except ZeroDivisionError:
            continue  # a rule that divides by less than 1 is noticed below 0
    if not fired:
        failures.append("%s never fires" % text(code))
    return fired


def terms(codes):
    for code in codes:
        if isinstance(code, list):
            yield code
            yield from terms(code[1:])


def variables(code):
    if isinstance(code, str):
        return {code} if re.fullmatch(r"[a-z]\w*", code) else set()
    return set().union(*map(variables, code[1:]))


def check(forms, compute, failures):
    """How often rules were evaluated."""
    evaluated, bounds = 0, []
    settings = [form for form in forms if form[0] not in ("rule", "rewrite", "datatype")]
    if sorted(map(text, settings)) != sorted(map(text, SETTINGS)):
        failures.append("rules.egg has other rulesets or functions than it should")
    for form in forms:
        try:
            if form[0] == "rule" and form[-1] == "bounds":
                bound = Bound(form)
                bounds.append(bound)
                evaluated += check_bound(bound, compute, failures)
            elif form[0] in ("rule", "rewrite"):
                evaluated += check_equal(form, compute, failures)
        except (ValueError, LookupError, TypeError, ArithmeticError) as error:
            failures.append("%s cannot be evaluated: %r" % (text(form), error))
    for operation in OPERANDS:
        of = [bound for bound in bounds if shape(bound.pattern) == operation]
        if not any(text(bound.code) in failure for bound in of for failure in failures):
            check_together(operation, of, compute, failures)
    return evaluated
