#!/usr/bin/env python3
"""Reads rules.halide and must_fail.halide, evaluates each line as Halide would, and compares with the rules it came from."""
import os
import re
import sys

sys.dont_write_bytecode = True
import affinor_rules as affinor

HERE = os.path.dirname(os.path.abspath(__file__))
TOKEN = re.compile(r"\s*(&&|\|\||==|<=|>=|[-+*/%(),<>!]|[0-9]+|[A-Za-z_][A-Za-z_0-9]*)")
EXPRESSIONS = ["x", "y", "z", "w", "u", "v"]
# How tightly binary operators of C++ hold their operands.
LEVELS = [["||"], ["&&"], ["=="], ["<", "<=", ">", ">="], ["+", "-"], ["*", "/", "%"]]
KINDS = {"||": "or", "&&": "and", "==": "=", "/": "div", "%": "mod"}


def euclidean(x, y):
    """Halide's: the remainder is never negative, and nothing fails at 0."""
    if y == 0:
        return 0, 0
    remainder = x % abs(y)
    return (x - remainder) // y, remainder


def binary(words, level=0):
    if level == len(LEVELS):
        return unary(words)
    value = binary(words, level + 1)
    while True:
        operator = words.take(*LEVELS[level])
        if not operator:
            return value
        other = binary(words, level + 1)
        if operator in (">", ">="):
            value = (operator.replace(">", "<"), other, value)
        else:
            value = (KINDS.get(operator, operator), value, other)


def unary(words):
    if words.take("!"):
        return ("not", unary(words))
    if words.take("-"):
        return ("neg", unary(words))
    if words.take("("):
        value = binary(words)
        words.demand(")")
        return value
    word = words.peek()
    if word is None or not (word[0].isalnum() or word[0] == "_"):
        raise affinor.Refused("expected an operand, found %r" % word)
    words.at += 1
    if word in ("min", "max"):
        words.demand("(")
        first = binary(words)
        words.demand(",")
        second = binary(words)
        words.demand(")")
        return (word, first, second)
    if word in ("fold", "can_prove"):
        words.demand("(")
        value = binary(words)
        if word == "can_prove":
            words.demand(",")
            words.demand("this")
        words.demand(")")
        return value
    if word in ("true", "false"):
        return (word,)
    return ("int", int(word)) if word.isdigit() else ("name", word)


def line(text):
    """Before, after and predicate of a line."""
    words = affinor.Words(text, TOKEN)
    words.demand("rewrite")
    words.demand("(")
    parts = [binary(words)]
    while words.take(","):
        parts.append(binary(words))
    words.demand(")")
    words.end()
    if len(parts) == 2:
        parts.append(("true",))
    if len(parts) != 3:
        raise affinor.Refused("a line has a pattern, a replacement, and perhaps a predicate")
    return parts


def lines(name):
    """The lines of a file: kind, name of the rule, its hashes, text."""
    block = []
    for text in affinor.read(HERE, name).splitlines() + [""]:
        if text:
            block.append(text)
            continue
        if any(not text.startswith("//") for text in block):
            kind, name = re.fullmatch(r"// (rule|fact) (\S+)", block[0]).groups()
            hashes = [text.split("-sha256 ")[1] for text in block[2:-1]]
            yield kind, name, hashes, block[-1]
        block = []


def conjunction(formulas):
    whole = ("true",)
    for formula in formulas:
        whole = formula if whole == ("true",) else ("and", whole, formula)
    return whole


def expected(kind, rule, bound):
    """The line that a rule of the manifest is: pattern, replacement, predicate."""
    form, left, right, conditions = rule
    where = conjunction(conditions)
    if form != "fact" and affinor.names(right) | affinor.names(where) <= affinor.names(left):
        return left, right, where
    formula = {"=>": ("=", left, right), "<=>": ("iff", left, right), "fact": left}[form]
    if affinor.names(where) <= affinor.names(formula):
        return formula, ("true",), where
    return ("or", ("not", where), formula), ("true",), ("true",)


def agrees(entry, parts, point):
    """Does a line say at a point what its rule says there?"""
    before, after, predicate = [affinor.value(part, point, euclidean) for part in parts]
    if not affinor.inside(entry["rule"], point):
        return not predicate or before == after
    return predicate and (before == after) == bool(affinor.holds(entry["rule"], point))


def compare(check, file, entries):
    present = {"rule": 0, "fact": 0}
    found = []
    for kind, name, hashes, text in lines(file):
        found.append(name)
        entry = entries.get(name)
        if entry is None:
            check.fail("%s in %s is not a rule of the manifest" % (name, file))
            continue
        present[kind] += 1
        try:
            to = {"c%d" % place: constant for place, constant in enumerate(entry["constants"])}
            to.update(zip(EXPRESSIONS, entry["expressions"]))
            parts = [affinor.renamed(part, to) for part in line(text)]
            wanted = expected(kind, entry["rule"], set(to.values()))
            if [affinor.normal(part) for part in parts] != [affinor.normal(part) for part in wanted]:
                check.fail("%s in %s does not read as the rule of that name" % (name, file))
            if not (affinor.names(parts[1]) | affinor.names(parts[2])) <= affinor.names(parts[0]):
                check.fail("%s in %s: its pattern does not bind all variables" % (name, file))
            within, without = entry.get("points") or ([entry["fails"]], [])
            for point in within + without:
                check.evaluated += 1
                if not agrees(entry, parts, point):
                    check.fail("%s in %s differs from the rule at %s" % (name, file, point))
                    break
            if "fails" in entry and refuses(parts, entry["fails"]) is False:
                check.fail("%s in %s must fail, and does not" % (name, file))
            if hashes != [entry[of] for of in ("rule_sha256", "scripts_sha256") if of in entry]:
                check.fail("%s in %s has other hashes than the manifest" % (name, file))
        except (affinor.Refused, ArithmeticError, KeyError) as error:
            check.fail("%s in %s: %s" % (name, file, error))
    if len(set(found)) != len(found):
        check.fail("%s has a rule twice" % file)
    return found, present


def refuses(parts, point):
    """Is a line false at a point?"""
    before, after, predicate = [affinor.value(part, point, euclidean) for part in parts]
    return bool(predicate and before != after)


def main():
    check = affinor.Check(HERE)
    found, present = compare(check, "rules.halide", check.rules)
    false_found, _ = compare(check, "must_fail.halide", check.false_rules)
    check.complete(found, false_found)
    return check.end(
        "%d rules and %d facts agree with the manifest at %d points, %d are listed as missing, %d false ones failed"
        % (present["rule"], present["fact"], check.evaluated, len(check.missing), len(false_found))
    )


if __name__ == "__main__":
    sys.exit(main())
