#!/usr/bin/env python3
"""Reads the theorems in Rules.v and MustFail.v, evaluates them as Rocq would, compares them with the rules they came from, and checks each step
of their proofs: python3 recheck.py. That Rocq's kernel accepts them, recheck.sh has Rocq say.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
import affinor_rules as affinor
import affinor_theorems

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATORS = {"<->": "iff", "\\/": "or", "/\\": "and", "=": "=", "<": "<", "<=": "<=", "+": "+", "-": "-", "*": "*", "/": "div", "mod": "mod"}
ROCQ = affinor_theorems.Notation(OPERATORS, {"Z.min": "min", "Z.max": "max"}, "Z")
HEAD = "From Coq Require Import ZArith.\nFrom Affinor Require Import Lemmas.\nOpen Scope Z_scope.\n"
CLAIM = r"forall ([\w ]+) : Z,\n  ((?:[^\n]* ->\n  )?)([^\n]*)"
RULE = re.compile(r"Theorem (\w+) : %s\.\nProof\.\n  start\.\n((?:  [^\n]*\n)+)Qed\.\n" % CLAIM)
FALSE_RULE = re.compile(
    r"Goal %s\.\nProof\. start\. Fail linear\. Abort\.\n"
    r"Theorem not_(\w+) : ~ \(\n  %s\)\.\nProof\. intro rule\. specialize \(rule((?: \(-?[0-9]+\))*)\)\. fails rule\. Qed\.\n" % (CLAIM, CLAIM)
)
CASES = {"both_ways": "ways", "split": "parts", "both_sides": "sides"}
# The lemmas as the proofs use them.
LEMMAS = {
    "remainder": "a b : a mod b = a - b * (a / b)",
    "quotient_bounds": "x d : 1 <= d -> d * (x / d) <= x < d * (x / d) + d",
    "product_nonneg": "x y : 0 <= x -> 0 <= y -> 0 <= x * y",
    "product_zero": "x y : y = 0 -> x * y = 0",
    # In proofs of answers.
    "named_quotient": "x d : 1 <= d -> exists q, quotient_of x d q /\\ d * q <= x < d * q + d",
    "same_quotient": "x d y e q : quotient_of x d q -> x = y -> d = e -> q = y / e",
    "same_names": "x y d q r : quotient_of x d q -> quotient_of y d r -> x = y -> q = r",
}
DEFINITION = "Definition quotient_of (x d q : Z) : Prop := q = x / d.\n"
# Lemmas.v has lemmas with proofs, and tactics.
LEMMA = re.compile(r"Lemma (\w+) ([^\n]*)\.\nProof\. [^\n]*Qed\.\n")
TACTIC = re.compile(r'(?:Ltac \w+[\w ]*|Tactic Notation "\w+"[\w() ]*) :=(?:[^\n]|\n(?=  ))*\.\n')
# What would let Rocq accept something that is not proved, or read it otherwise.
BANNED = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Hypothes[ie]s|Variables?|Context|Unset|Set|Declare|Instance|Hint|Module|Section"
    r"|(?<!Tactic )Notation|Infix|Coercion|Canonical|Load|bypass_check|Inductive|Fixpoint|Redirect)\b"
)


def strip(text):
    """Without comments, and without empty lines."""
    return re.sub(r"\n+", "\n", re.sub(r"\(\*.*?\*\)", "", text, flags=re.S)).lstrip("\n")


def entries(text):
    """The text of each theorem, with its comment."""
    return [block + "\n" for block in text.strip("\n").split("\n\n")]


def after_head(name):
    """The entries of a file that begins as it must."""
    text = affinor.read(HERE, name)
    comment = re.match(r"\(\*[^\n]*?\*\)\n", text)
    text = text[comment.end():] if comment else text
    if not text.startswith(HEAD):
        raise affinor.Refused("%s has another beginning" % name)
    return entries(text[len(HEAD):])


def claim(variables, given, statement):
    conditions = [ROCQ.formula(part) for part in given.split("->")[:-1]]
    return variables.split(), conditions, ROCQ.formula(statement)


def commented(block, name):
    """The comment before a theorem, and the theorem."""
    comment = re.match(r"\(\*(.*?)\*\)\n", block, flags=re.S)
    if not comment or "(*" in comment.group(1) or '"' in comment.group(1):
        raise affinor.Refused("cannot read %r in %s" % (block[:200], name))
    return comment.group(1), block[comment.end():]


def theorems():
    found = []
    for block in after_head("Rules.v"):
        comment, text = commented(block, "Rules.v")
        matched = RULE.fullmatch(text)
        if not matched:
            raise affinor.Refused("cannot read the theorem %r" % text[:200])
        title, variables, given, statement, proof = matched.groups()
        hashes = re.findall(r"\b(?:rule|scripts)-sha256 (\S*)", comment)
        lines = [(len(line) - len(line.lstrip(" ")), line.strip(" ")) for line in proof.splitlines()]
        steps = read_steps(lines, 2)
        if lines:
            raise affinor.Refused("%r is not a step of a proof" % lines[0][1])
        found.append(affinor_theorems.Theorem(title, hashes, *claim(variables, given, statement), steps))
    return found


def read_steps(lines, column):
    """Takes the lines of a case."""
    found = []
    while True:
        line = take(lines, column)
        if line == "linear.":
            return found
        name, _, terms = line.rstrip(".").partition(" ")
        if not line.endswith(".") or not terms and name not in CASES and name != "otherwise":
            raise affinor.Refused("%r is not a step of a proof" % line)
        if name in affinor_theorems.FACTS:
            found.append((name, *ROCQ.arguments(terms, 2)))
        elif line == "otherwise.":
            found.append(("otherwise",))
        elif name == "order":
            return found + [(name, *ROCQ.arguments(terms, 2), read_case(lines, column), read_case(lines, column))]
        elif name in CASES and not terms:
            return found + [(CASES[name], read_case(lines, column), read_case(lines, column))]
        else:
            raise affinor.Refused("%r is not a step of a proof" % line)


def read_case(lines, column):
    steps = []
    for bracket in "{}":
        if take(lines, column) != bracket:
            raise affinor.Refused("a case of a proof has no %s" % bracket)
        if bracket == "{":
            steps = read_steps(lines, column + 2)
    return steps


def take(lines, column):
    if not lines or lines[0][0] != column:
        raise affinor.Refused("%r is not a step of a proof" % (lines[0][1] if lines else "the end"))
    return lines.pop(0)[1]


def false_theorems(check):
    """What MustFail.v refutes, each at a point at which it fails."""
    found = []
    for block in after_head("MustFail.v"):
        text = commented(block, "MustFail.v")[1]
        matched = FALSE_RULE.fullmatch(text)
        if not matched:
            raise affinor.Refused("cannot read the false rule %r" % text[:200])
        *goal, title, variables, given, statement, values = matched.groups()
        if goal != [variables, given, statement]:
            check.fail("%s in MustFail.v: what is not proved is not what is refuted" % title)
        theorem = affinor_theorems.Theorem(title, [], *claim(variables, given, statement), [])
        point = dict(zip(theorem.variables, map(int, re.findall(r"-?[0-9]+", values))))
        if len(point) != len(theorem.variables) or not fails(theorem, point):
            check.fail("%s in MustFail.v is not false at %s" % (title, point))
        found.append(theorem)
    return found


def fails(theorem, point):
    applies = all(affinor.value(condition, point, rocq_divide) for condition in theorem.conditions)
    return applies and not affinor.value(theorem.statement, point, rocq_divide)


def rocq_divide(x, y):
    """Rocq's: quotients are rounded down, x / 0 is 0 and x mod 0 is x."""
    return (0, x) if y == 0 else (x // y, x % y)


def lemmas(check):
    text = strip(affinor.read(HERE, "Lemmas.v"))
    head = "From Coq Require Import ZArith Lia.\nOpen Scope Z_scope.\n"
    if not text.startswith(head):
        check.fail("Lemmas.v has another beginning")
    affinor_theorems.demand_statements(check, "Lemmas.v", dict(match.groups() for match in LEMMA.finditer(text)), LEMMAS)
    left = TACTIC.sub("", LEMMA.sub("", text[len(head):])).replace(DEFINITION, "", 1).strip()
    if left:
        check.fail("Lemmas.v has something that is neither a proved lemma nor a tactic: %r" % left[:200])


def assumptions(check, names):
    """Rocq is asked what all theorems rest on."""
    wanted = "From Affinor Require Import Rules.\nDefinition rules := (\n  %s).\nPrint Assumptions rules.\n" % ",\n  ".join(names)
    if strip(affinor.read(HERE, "Assumptions.v")) != wanted:
        check.fail("Assumptions.v does not ask about each theorem of Rules.v")


def main():
    check = affinor.Check(HERE)
    for file in ("Lemmas.v", "Rules.v", "Assumptions.v", "MustFail.v"):
        banned = BANNED.search(strip(affinor.read(HERE, file)))
        if banned:
            check.fail("%s has the word %s" % (file, banned.group(1)))
    found, false_found = [], []
    try:
        lemmas(check)
        proved = theorems()
        assumptions(check, [theorem.name for theorem in proved])
        found = affinor_theorems.compare(check, "Rules.v", proved, check.rules, rocq_divide)
        false_found = affinor_theorems.compare(check, "MustFail.v", false_theorems(check), check.false_rules, rocq_divide, False)
    except affinor.Refused as error:
        check.fail(str(error))
    check.complete(found, false_found)
    return check.end(
        "%d theorems agree with the manifest at %d points and each step of their proofs follows, %d rules are listed as missing, %d false ones failed"
        % (len(found), check.evaluated, len(check.missing), len(false_found))
    )


if __name__ == "__main__":
    sys.exit(main())
