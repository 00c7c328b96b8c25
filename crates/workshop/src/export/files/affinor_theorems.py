"""Checks theorems and their proofs as a proof assistant would: statements against the rules of the manifest, proofs step by step.

What a file says is read by the script of its format, as a `Theorem`. A step of a proof is ('quotient' or 'nonneg' or 'zero' or 'never', x, y),
('otherwise',), or two cases: ('ways' or 'parts' or 'sides', first, second), ('order', x, y, first, second). At its end, what is to be shown is linear.
"""
import re
from collections import namedtuple

import affinor_linear
import affinor_rules as affinor

Theorem = namedtuple("Theorem", "name hashes variables conditions statement proof")
ZERO, ONE = ("int", 0), ("int", 1)
FALSE = ("false",)
FACTS = ("quotient", "nonneg", "zero", "never")
LEVELS = [("iff",), ("or",), ("and",), ("=", "<", "<="), ("+", "-"), ("*", "div", "mod")]


class Notation:
    """How a proof assistant writes terms and formulas: `operators` are its words by their meaning, `calls` those of min and max."""

    def __init__(self, operators, calls, integers):
        self.operators, self.calls, self.integers = operators, calls, integers
        marks = sorted({word for word in operators if not word.isalpha()} | set("-():"), key=len, reverse=True)
        names = r"[0-9]+|[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z]+)?"
        self.word = re.compile(r"\s*(%s|%s)" % ("|".join(re.escape(mark) for mark in marks), names))

    def formula(self, text):
        words = affinor.Words(text, self.word)
        value = self.binary(words)
        words.end()
        return value

    def arguments(self, text, count):
        """That many terms, one after the other."""
        words = affinor.Words(text, self.word)
        found = [self.atom(words) for _ in range(count)]
        words.end()
        return found

    def take(self, words, kinds):
        kind = self.operators.get(words.peek())
        return kind if kind in kinds and words.take(words.peek()) else None

    def binary(self, words, level=0):
        if level == len(LEVELS):
            return self.unary(words)
        value = self.binary(words, level + 1)
        while True:
            kind = self.take(words, LEVELS[level])
            if not kind:
                return value
            # Conjunctions and disjunctions are read from the right.
            value = (kind, value, self.binary(words, level if kind in ("and", "or") else level + 1))

    def unary(self, words):
        if words.take("-"):
            return ("neg", self.unary(words))
        call = words.take(*self.calls)
        if call:
            return (self.calls[call], self.atom(words), self.atom(words))
        return self.atom(words)

    def atom(self, words):
        if words.take("("):
            value = self.binary(words)
            if words.take(":"):
                words.demand(self.integers)
            words.demand(")")
            return value
        word = words.peek()
        if word is None or word in self.calls or word in self.operators or not re.fullmatch(r"\w+", word):
            raise affinor.Refused("expected a term, found %r" % word)
        words.at += 1
        return ("int", int(word)) if word.isdigit() else ("name", word)


def conjunction(formulas):
    whole = ("true",)
    for formula in reversed(formulas):
        whole = formula if whole == ("true",) else ("and", formula, whole)
    return whole


def follow(linear, steps, goal):
    """Takes the steps of a proof, each of which must follow from what is known."""
    mark = linear.mark()
    for step in steps:
        kind = step[0]
        if kind in FACTS:
            linear.assume(known(linear, *step))
        elif kind == "otherwise":
            linear.assume(goal, False)
            goal = FALSE
        else:
            for (assumed, shown), case in zip(cases(step, goal), step[-2:]):
                inner = linear.mark()
                linear.assume(assumed)
                follow(linear, case, shown)
                linear.take_back(inner)
            linear.take_back(mark)
            return
    if not linear.shows(goal):
        raise affinor.Refused("its steps do not show %r" % (goal,))
    linear.take_back(mark)


def known(linear, kind, x, y):
    """What a step adds, if its conditions follow."""
    product = ("*", x, y)
    if kind == "quotient":
        needed, product = [("<=", ONE, y)], ("*", y, ("div", x, y))
        added = ("and", ("<=", product, x), ("<", x, ("+", product, y)))
    elif kind == "nonneg":
        needed, added = [("<=", ZERO, x), ("<=", ZERO, y)], ("<=", ZERO, product)
    elif kind == "zero":
        needed, added = [("=", y, ZERO)], ("=", product, ZERO)
    else:
        absurd = ("implies", ("and", ("<=", ZERO, y), ("<=", ZERO, product)), FALSE)
        needed, added = [("<=", ZERO, x), absurd], ("<", y, ZERO)
    for formula in needed:
        if not linear.shows(formula):
            raise affinor.Refused("the step %r does not follow" % ((kind, x, y),))
    return added


def cases(step, goal):
    """What each case assumes and must show."""
    forms = {"ways": "iff", "parts": "and", "sides": "="}
    kind = step[0]
    if kind == "order":
        order = ("<=", step[1], step[2])
        return [(order, goal), (("not", order), goal)]
    if goal[0] != forms[kind]:
        raise affinor.Refused("%r cannot be split into %s" % (goal, kind))
    _, x, y = goal
    if kind == "ways":
        return [(x, y), (y, x)]
    if kind == "parts":
        return [(("true",), x), (("true",), y)]
    return [(("<", y, x), FALSE), (("<", x, y), FALSE)]


def refusal(theorem):
    """Why a proof is refused; nothing if it is accepted."""
    linear = affinor_linear.Linear()
    for condition in theorem.conditions:
        linear.assume(condition)
    try:
        follow(linear, theorem.proof, theorem.statement)
    except affinor.Refused as error:
        return error
    return None


def compare(check, file, theorems, entries, divide, proved=True):
    """Compares theorems with the rules of the manifest and checks their proofs, which must fail if they are not proved; the names of the rules found."""
    found = []
    names = {name.replace("-", "_"): name for name in entries}
    for theorem in theorems:
        name = names.get(theorem.name, theorem.name)
        found.append(name)
        entry = entries.get(name)
        if entry is None:
            check.fail("%s in %s is not a rule of the manifest" % (name, file))
            continue
        try:
            for failure in differences(check, entry, theorem, divide):
                check.fail("%s in %s %s" % (name, file, failure))
            refused = refusal(theorem)
            if proved and refused:
                check.fail("%s in %s: %s" % (name, file, refused))
            elif not proved and not refused:
                check.fail("%s in %s is false, and its proof was not refused" % (name, file))
        except (affinor.Refused, ArithmeticError, KeyError) as error:
            check.fail("%s in %s: %s" % (name, file, error))
    if len(set(found)) != len(found):
        check.fail("%s has a theorem twice" % file)
    return found


def normal(formula):
    return affinor.normal(written(formula))


def written(node):
    """With comparisons of numbers as they stand: for other exports all that are false are the same."""
    if node[0] in ("=", "<", "<=") and node[1][0] == "int" and node[2][0] == "int":
        return ("name", "%s %s %s" % (node[1][1], node[0], node[2][1]))
    return tuple(written(part) if isinstance(part, tuple) else part for part in node)


def differences(check, entry, theorem, divide):
    form, left, right, where = entry["rule"]
    wanted = {"=>": ("=", left, right), "<=>": ("iff", left, right), "fact": left}[form]
    if normal(theorem.statement) != normal(wanted):
        yield "does not state the rule of that name"
    if [normal(part) for part in theorem.conditions] != [normal(part) for part in where]:
        yield "has other conditions than the rule"
    if theorem.variables != entry["constants"] + entry["expressions"]:
        yield "has other variables than the rule"
    if theorem.hashes != [entry[of] for of in ("rule_sha256", "scripts_sha256") if of in entry]:
        yield "has other hashes than the manifest"
    within, without = entry.get("points") or ([entry["fails"]], [])
    for point in within + without:
        check.evaluated += 1
        applies = all(affinor.value(condition, point, divide) for condition in theorem.conditions)
        inside = affinor.inside(entry["rule"], point)
        if applies != inside or inside and bool(affinor.value(theorem.statement, point, divide)) != bool(affinor.holds(entry["rule"], point)):
            yield "differs from the rule at %s" % point
            return


def demand_statements(check, file, present, wanted):
    """Lemmas by name: each must say what proofs use it for, and no other may be there."""
    for name in sorted(set(present) ^ set(wanted)):
        check.fail("%s has the lemma %s, or lacks it" % (file, name))
    for name in sorted(set(present) & set(wanted)):
        if " ".join(present[name].split()) != wanted[name]:
            check.fail("%s in %s does not say what it must" % (name, file))
