#!/usr/bin/env python3
"""Reads the theorems in Affinor/Rules.lean and MustFail.lean, evaluates them as Lean would, compares them with the rules they came from, and
checks each step of their proofs: python3 recheck.py. Whether Lean reads the text and accepts it, only Lean can say.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
import affinor_rules as affinor
import affinor_theorems

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATORS = {"↔": "iff", "∨": "or", "∧": "and", "=": "=", "<": "<", "≤": "<=", "+": "+", "-": "-", "*": "*", "/": "div", "%": "mod"}
LEAN = affinor_theorems.Notation(OPERATORS, {"min": "min", "max": "max"}, "Int")
HEAD = re.compile(r"theorem (\w+) \(([\w ]+) : Int\)((?: \(cond[0-9]+ : [^\n]*?\))*) :\n    ([^\n]*) := by\n((?: [^\n]*\n)+)")
FACT = re.compile(r"have known[0-9]+ := (quotient|nonneg|zero|never) (.*)")
SIDES = {
    "quotient": " (by linear)",
    "zero": " (by linear)",
    "nonneg": " (by linear) (by linear)",
    "never": " (by linear) (by intro _ _; linear)",
}
BOTH_SIDES = "refine Int.le_antisymm (Int.not_lt.mp ?_) (Int.not_lt.mp ?_)"
OTHERWISE = "apply Decidable.byContradiction; intro otherwise"
# What would let Lean accept something that is not proved from what it has.
BANNED = re.compile(
    r"\b(sorry|admit|axiom|unsafe|opaque|native_decide|implemented_by|extern|ofReduceBool|elab|run_cmd|set_option|instance|notation|macro_rules"
    r"|syntax|infix[lr]?|prefix|postfix|attribute|local|scoped|open|variable|section|include|omit|export|private|protected|inductive|structure|class)\b"
)
# The lemmas as the proofs use them.
LEMMAS = {
    "quotient": "(x d : Int) (h : 1 ≤ d) : d * (x / d) ≤ x ∧ x < d * (x / d) + d",
    "nonneg": "(x y : Int) (hx : 0 ≤ x) (hy : 0 ≤ y) : 0 ≤ x * y",
    "zero": "(x y : Int) (h : y = 0) : x * y = 0",
    "never": "(x y : Int) (hx : 0 ≤ x) (no : 0 ≤ y → 0 ≤ x * y → False) : y < 0",
}
DECLARATION = re.compile(r"\b(theorem|lemma|def|abbrev|example|macro)\b")


def strip(text):
    """Without comments."""
    return re.sub(r"--[^\n]*|/-.*?-/", "", text, flags=re.S)


def conditions(text):
    """The conditions of a theorem: brackets may stand in them."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "(" and depth == 1:
            start = at + 1
        if letter == ")" and depth == 0:
            name, _, condition = text[start:at].partition(" : ")
            if name != "cond%d" % (len(found) + 1):
                raise affinor.Refused("%r is not the name of a condition" % name)
            found.append(LEAN.formula(condition))
    return found


class Proof:
    """The lines of a proof, each with its column and whether a case begins there."""

    def __init__(self, text):
        self.lines = []
        for line in text.splitlines():
            indent = len(line) - len(line.lstrip(" "))
            begins = line[indent:].startswith("· ")
            self.lines.append((indent + 2 * begins, begins, line[indent + 2 * begins:]))
        self.at = 0

    def refuse(self):
        line = self.lines[self.at][2] if self.at < len(self.lines) else "the end"
        raise affinor.Refused("%r is not a step of a proof" % line)

    def next(self, column, begins):
        if self.at == len(self.lines) or self.lines[self.at][:2] != (column, begins):
            self.refuse()
        self.at += 1
        return self.lines[self.at - 1][2]

    def steps(self, column, first, intro=None):
        """The steps of a case."""
        found = []
        if intro and self.next(column, first) != intro:
            self.at -= 1
            self.refuse()
        first = first and not intro
        while True:
            line = self.next(column, first)
            first = False
            if line == "linear":
                return found
            fact = FACT.fullmatch(line)
            split = self.split(line)
            if fact and line.endswith(SIDES[fact.group(1)]):
                terms = fact.group(2)[: -len(SIDES[fact.group(1)])]
                found.append((fact.group(1), *LEAN.arguments(terms, 2)))
            elif line == OTHERWISE:
                found.append(("otherwise",))
            elif split:
                both = [self.steps(column + 2, True, split[1]) for _ in range(2)]
                return found + [(*split[0], *both)]
            else:
                self.at -= 1
                self.refuse()

    def split(self, line):
        """The kind of cases that begin, and what each begins with."""
        if line == BOTH_SIDES:
            return ("sides",), "intro side"
        if line == "constructor":
            ways = self.at < len(self.lines) and self.lines[self.at][2] == "intro way"
            return (("ways",), "intro way") if ways else (("parts",), None)
        if line.startswith("by_cases order : "):
            kind, x, y = LEAN.formula(line[len("by_cases order : "):])
            return (("order", x, y), None) if kind == "<=" else None
        return None

    def whole(self):
        found = self.steps(2, False)
        if self.at != len(self.lines):
            self.refuse()
        return found


def theorems(name):
    """The theorems of a file, and nothing else may be there."""
    text = affinor.read(HERE, name)
    start, end = "\nimport Affinor.Lemmas\n\nnamespace Affinor\n", "\nend Affinor\n"
    if strip(text[: text.find(start)]).strip() or start not in text or not text.endswith(end):
        raise affinor.Refused("%s has another beginning or end" % name)
    found = []
    for block in text[text.find(start) + len(start) : -len(end)].strip("\n").split("\n\n"):
        comments, matched = re.match(r"(?:--[^\n]*\n)*", block).group(), None
        if block != comments:
            matched = HEAD.fullmatch(block[len(comments):] + "\n")
        if not matched:
            raise affinor.Refused("cannot read the theorem %r in %s" % (block[:200], name))
        hashes = re.findall(r"-- (?:rule|scripts)-sha256 (\S*)", comments)
        title, variables, given, statement, proof = matched.groups()
        given, statement, steps = conditions(given), LEAN.formula(statement), Proof(proof).whole()
        found.append(affinor_theorems.Theorem(title, hashes, variables.split(), given, statement, steps))
    return found


def lean_divide(x, y):
    """Lean's: the remainder is never negative, x / 0 is 0 and x % 0 is x."""
    if y == 0:
        return 0, x
    remainder = x % abs(y)
    return (x - remainder) // y, remainder


def lemmas(check):
    text = strip(affinor.read(HERE, "Affinor/Lemmas.lean"))
    present = dict(re.findall(r"theorem (\w+) (.*?) :=", text, flags=re.S))
    affinor_theorems.demand_statements(check, "Affinor/Lemmas.lean", present, LEMMAS)
    macros = re.findall(r'macro "(\w+)" : tactic', text)
    if len(DECLARATION.findall(text)) != len(LEMMAS) + 1 or macros != ["linear"]:
        check.fail("Affinor/Lemmas.lean has something that is not a lemma of the proofs")


def main():
    check = affinor.Check(HERE)
    for file in ("Affinor.lean", "Affinor/Lemmas.lean", "Affinor/Rules.lean", "MustFail.lean"):
        banned = BANNED.search(strip(affinor.read(HERE, file)))
        if banned:
            check.fail("%s has the word %s" % (file, banned.group(1)))
    if strip(affinor.read(HERE, "Affinor.lean")).strip() != "import Affinor.Rules":
        check.fail("Affinor.lean has more than the rules")
    lemmas(check)
    found, false_found = [], []
    try:
        found = affinor_theorems.compare(check, "Affinor/Rules.lean", theorems("Affinor/Rules.lean"), check.rules, lean_divide)
        wrong = theorems("MustFail.lean")
        false_found = affinor_theorems.compare(check, "MustFail.lean", wrong, check.false_rules, lean_divide, False)
    except affinor.Refused as error:
        check.fail(str(error))
    check.complete(found, false_found)
    return check.end(
        "%d theorems agree with the manifest at %d points and each step of their proofs follows, %d rules are listed as missing, %d false ones failed"
        % (len(found), check.evaluated, len(check.missing), len(false_found))
    )


if __name__ == "__main__":
    sys.exit(main())
