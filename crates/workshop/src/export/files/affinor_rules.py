"""Reads and evaluates the rules in rules.json and must_fail.json, to compare with what another file says of them.

Terms are tuples: ('int', n), ('name', s), ('+' or '-' or '*' or 'div' or 'mod' or 'min' or 'max', x, y), ('neg', x); formulas
('=' or '<' or '<=', x, y), ('and', p, q), ('or', p, q), ('not', p), ('iff', p, q), ('implies', p, q), ('true',), ('false',).
A rule is (kind, left, right, conditions): kind '=>' for equal terms, '<=>' for formulas that hold together, 'fact' for
one that holds, where right is None.
"""
import hashlib
import json
import os
import random
import re
import sys

POINTS = 25
TRIES = 1200
# What Lean's and Rocq's builds leave in a directory.
MADE = re.compile(r"^lake-manifest\.json$|\.(vo|vok|vos|glob|aux|cache)$")
TOKEN = re.compile(r"\s*(<=>|=>|<=|>=|[-+*(),<>=]|[0-9]+|[A-Za-z_][A-Za-z_0-9]*)")


class Refused(Exception):
    """A text that does not read, or does not say what it should."""


class Words:
    """The words of a text, from left to right."""

    def __init__(self, text, token=TOKEN):
        self.words = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = token.match(text, at)
            if not found:
                raise Refused("cannot read %r" % text[at:])
            self.words.append(found.group(1))
            at = found.end()
        self.at = 0

    def peek(self):
        return self.words[self.at] if self.at < len(self.words) else None

    def take(self, *wanted):
        """The next word, if it is one of these."""
        if self.peek() in wanted:
            self.at += 1
            return self.words[self.at - 1]
        return None

    def demand(self, word):
        if not self.take(word):
            raise Refused("expected %r, found %r" % (word, self.peek()))

    def end(self):
        if self.peek() is not None:
            raise Refused("%r is left over" % self.peek())


def whole(text):
    """The statement in a text, up to its end."""
    words = Words(text)
    left = operand_or_formula(words)
    arrow = words.take("=>", "<=>")
    right = operand_or_formula(words) if arrow else None
    words.end()
    if arrow == "=>" and not is_term(left) or arrow != "=>" and is_term(left):
        raise Refused("%r is not a statement" % text)
    return (arrow or "fact", left, right)


def operand_or_formula(words):
    sides, relations = [total(words)], []
    formula = None
    while True:
        relation = words.take("=", "<", "<=", ">", ">=")
        if relation:
            relations.append(relation)
            sides.append(total(words))
            continue
        for place, relation in enumerate(relations):
            x, y = sides[place], sides[place + 1]
            part = (relation, x, y) if relation[0] != ">" else (relation.replace(">", "<"), y, x)
            formula = part if formula is None else ("and", formula, part)
        if not relations and formula is None:
            return sides[0]
        if not relations:
            raise Refused("expected a comparison")
        if not words.take("and"):
            return formula
        sides, relations = [total(words)], []


def total(words):
    value = product(words)
    while True:
        sign = words.take("+", "-")
        if not sign:
            return value
        value = (sign, value, product(words))


def product(words):
    if words.take("-"):
        return ("neg", product(words))
    value = atom(words)
    while True:
        operator = words.take("*", "floordiv", "mod")
        if not operator:
            return value
        value = ({"floordiv": "div"}.get(operator, operator), value, atom(words))


def atom(words):
    if words.take("-"):
        return ("neg", atom(words))
    if words.take("("):
        value = total(words)
        words.demand(")")
        return value
    call = words.take("min", "max")
    if call:
        words.demand("(")
        value = total(words)
        while words.take(","):
            value = (call, value, total(words))
        words.demand(")")
        return value
    word = words.peek()
    if word is None or not (word[0].isalnum() or word[0] == "_"):
        raise Refused("expected a term, found %r" % word)
    words.at += 1
    return ("int", int(word)) if word.isdigit() else ("name", word)


def rule_of(entry):
    """A rule of a manifest."""
    kind, left, right = whole(entry["statement"])
    conditions = []
    for text in entry["where"]:
        how, condition, _ = whole(text)
        if how != "fact":
            raise Refused("%r is not a condition" % text)
        conditions.append(condition)
    return (kind, left, right, conditions)


def is_term(node):
    return node[0] in ("int", "name", "+", "-", "*", "div", "mod", "min", "max", "neg")


def names(node):
    """The variables of a term or formula."""
    if node[0] == "name":
        return {node[1]}
    return set().union(*[names(part) for part in node[1:] if isinstance(part, tuple)])


def renamed(node, to):
    if node[0] == "name":
        if node[1] not in to:
            raise Refused("%r is not a variable of this rule" % node[1])
        return ("name", to[node[1]])
    return tuple([renamed(part, to) if isinstance(part, tuple) else part for part in node])


def rounded_down(x, y):
    """Quotient and remainder as the rules mean them: a divisor is at least 1 where the conditions hold."""
    if y < 1:
        raise ZeroDivisionError("a divisor is below 1")
    return x // y, x % y


def value(node, point, divide=rounded_down):
    """What a term or formula is worth at a point."""
    kind = node[0]
    if kind == "int":
        return node[1]
    if kind == "name":
        return point[node[1]]
    if kind in ("true", "false"):
        return kind == "true"
    x = value(node[1], point, divide)
    if kind == "neg":
        return -x
    if kind == "not":
        return not x
    if kind == "and" and not x or kind == "or" and x:
        return x
    if kind == "implies" and not x:
        return True
    y = value(node[2], point, divide)
    if kind in ("div", "mod"):
        return divide(x, y)[kind == "mod"]
    return OPERATIONS[kind](x, y)


OPERATIONS = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "min": min,
    "max": max,
    "=": lambda x, y: x == y,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    "and": lambda x, y: y,
    "or": lambda x, y: y,
    "iff": lambda x, y: x == y,
    "implies": lambda x, y: y,
}


def holds(rule, point):
    """Is the statement of a rule true at a point?"""
    kind, left, right, _ = rule
    if kind == "fact":
        return value(left, point)
    return value(left, point) == value(right, point)


def inside(rule, point):
    """Do the conditions of a rule hold at a point?"""
    try:
        return all(value(condition, point) for condition in rule[3])
    except ZeroDivisionError:
        return False


def normal(node):
    """One text for all ways to write the same sums, products, conjunctions and equations in another order."""
    kind = node[0]
    if kind in ("+", "-", "neg", "*", "int"):
        terms = sorted("%d*%s" % (sign, "*".join(sorted(factors))) for sign, factors in summands(node))
        return "(%s)" % " + ".join(terms)
    if kind == "name":
        return node[1]
    if kind in ("true", "false"):
        return kind
    if kind in ("and", "or"):
        return "(%s)" % (" %s " % kind).join(sorted(operands(node, kind)))
    if kind in ("=", "<", "<=") and node[1][0] == "int" and node[2][0] == "int":
        return "true" if OPERATIONS[kind](node[1][1], node[2][1]) else "false"
    parts = [normal(part) for part in node[1:]]
    if kind == "=" and not is_term(node[1]):
        kind = "iff"
    if kind == "iff" and "false" in parts:
        parts.remove("false")
        return "(not %s)" % parts[0]
    if kind in ("=", "iff", "min", "max"):
        parts.sort()
    return "(%s)" % " ".join([kind] + parts)


def operands(node, kind):
    if node[0] != kind:
        return [normal(node)]
    return operands(node[1], kind) + operands(node[2], kind)


def summands(node, sign=1):
    """Pairs of a coefficient and the texts of the other factors."""
    kind = node[0]
    if kind == "+":
        return summands(node[1], sign) + summands(node[2], sign)
    if kind == "-":
        return summands(node[1], sign) + summands(node[2], -sign)
    if kind == "neg":
        return summands(node[1], -sign)
    if kind == "int":
        return [(sign * node[1], [])] if node[1] else []
    factors = []
    stack = [node]
    while stack:
        part = stack.pop()
        if part[0] == "*":
            stack += part[1:]
        elif part[0] == "neg":
            sign = -sign
            stack.append(part[1])
        elif part[0] == "int":
            sign *= part[1]
        else:
            inner = summands(part) if part[0] in ("+", "-") else []
            if len(inner) == 1:
                sign *= inner[0][0]
                factors += inner[0][1]
            else:
                factors.append(normal(part))
    return [(sign, factors)]


def points(entry, rule):
    """Points at which the conditions hold, and points at which not all of them do; the same in every run."""
    dice = random.Random(entry["name"]).random
    variables = entry["constants"] + entry["expressions"]
    known = entry["inside"]
    within, without = [], []
    for turn in range(TRIES):
        if turn == 0:
            point = dict(known)
        elif turn % 2:
            point = {name: known[name] + (int(dice() * 5) - 2 if dice() < 0.5 else 0) for name in variables}
        else:
            point = {name: int(dice() * 25) - 12 for name in variables}
        kept = within if inside(rule, point) else without
        if len(kept) < POINTS:
            kept.append(point)
        if len(within) == POINTS and turn > 5 * POINTS:
            break
    return within, without


def read(directory, name):
    with open(os.path.join(directory, name), encoding="utf-8") as file:
        return file.read()


class Check:
    """What fails in a directory."""

    def __init__(self, directory):
        self.directory = directory
        self.failures = []
        self.evaluated = 0
        self.sums()
        self.rules = self.manifest("rules.json", True)
        self.false_rules = self.manifest("must_fail.json", False)
        listed = json.loads(read(directory, "not_exported.json"))["rules"]
        self.missing = {entry["name"]: entry["reason"] for entry in listed}

    def fail(self, text):
        self.failures.append(text)

    def sums(self):
        """Every file must be the one that SHA256SUMS lists."""
        lines = read(self.directory, "SHA256SUMS").splitlines()
        listed = dict(reversed(line.split("  ", 1)) for line in lines)
        present = set()
        for folder, inner, files in os.walk(self.directory):
            inner[:] = [name for name in inner if name != "__pycache__" and not name.startswith(".")]
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), self.directory)
                present.add(path.replace(os.sep, "/"))
        present = {name for name in present if not MADE.search(name)} - {"SHA256SUMS"}
        for name in sorted(set(listed) ^ present):
            self.fail("%s is not in both SHA256SUMS and this directory" % name)
        for name in sorted(set(listed) & present):
            with open(os.path.join(self.directory, name), "rb") as file:
                if hashlib.sha256(file.read()).hexdigest() != listed[name]:
                    self.fail("%s is not the file that SHA256SUMS lists" % name)

    def manifest(self, name, true):
        """The entries by name, each of which must be what its hash is of, and true or false as it should be."""
        entries = {}
        for entry in json.loads(read(self.directory, name))["rules"]:
            entries[entry["name"]] = entry
            try:
                self.entry(entry, true)
            except (Refused, ArithmeticError, KeyError) as error:
                self.fail("%s in %s: %s" % (entry["name"], name, error))
        return entries

    def entry(self, entry, true):
        rule = entry["rule"] = rule_of(entry)
        if true:
            if hashlib.sha256(entry["hashed"].encode()).hexdigest() != entry["rule_sha256"]:
                self.fail("%s: `hashed` does not have the hash rule_sha256" % entry["name"])
            if not entry["hashed"].startswith("%s\nwhere %s\n" % (entry["statement"], ", ".join(entry["where"]))):
                self.fail("%s: `hashed` is about another statement or other conditions" % entry["name"])
            entry["points"] = points(entry, rule)
            if not entry["points"][0]:
                self.fail("%s: no point was found at which its conditions hold" % entry["name"])
            for point in entry["points"][0]:
                self.evaluated += 1
                if not holds(rule, point):
                    self.fail("%s is false at %s" % (entry["name"], point))
                    break
        elif not inside(rule, entry["fails"]) or holds(rule, entry["fails"]):
            self.fail("%s must fail, and does not" % entry["name"])

    def complete(self, present, false_present):
        """Every rule is there, or it is listed why it is not."""
        for name in sorted(set(self.rules) ^ (set(present) | set(self.missing))):
            self.fail("%s is neither exported nor listed as missing, or it is not a rule" % name)
        for name in sorted(set(present) & set(self.missing)):
            self.fail("%s is exported, and listed as missing" % name)
        for name in sorted(set(self.false_rules) ^ set(false_present)):
            self.fail("%s is not in both must_fail.json and the false rules here" % name)

    def end(self, what):
        """Says what was found; the status to end with."""
        for failure in self.failures:
            print("FAILED:", failure)
        print(what)
        return 1 if self.failures else 0


sys.dont_write_bytecode = True
