#!/usr/bin/env python3
"""Reads rules.rare and must_fail.rare, checks them as RARE asks, evaluates them, and compares with the rules they came from."""
import os
import re
import sys

sys.dont_write_bytecode = True
import affinor_rules as affinor

HERE = os.path.dirname(os.path.abspath(__file__))
WORD = re.compile(r'\s*([()]|[^\s()";]+)')
KINDS = {"+": "+", "-": "-", "*": "*", "div": "div", "mod": "mod", "=": "=", "<": "<", "<=": "<=", "=>": "implies"}
SORTS = {"+": "Int", "-": "Int", "*": "Int", "div": "Int", "mod": "Int"}
# Two of the many functions that division by 0 may be: what holds must hold for each.
AT_ZERO = [lambda x: (0, x), lambda x: (3 * x - 11, 7 - 2 * x)]


def tree(words):
    """An s-expression: a word, or a list of them."""
    if not words.take("("):
        word = words.peek()
        if word is None or word == ")":
            raise affinor.Refused("expected an expression, found %r" % word)
        words.at += 1
        return word
    parts = []
    while not words.take(")"):
        parts.append(tree(words))
    return parts


def typed(node, declared):
    """A term or formula, and its sort."""
    if isinstance(node, str):
        if node.isdigit():
            return ("int", int(node)), "Int"
        if node in ("true", "false"):
            return (node,), "Bool"
        if node not in declared:
            raise affinor.Refused("%s is not declared" % node)
        return ("name", node), declared[node]
    if not node or not isinstance(node[0], str):
        raise affinor.Refused("an application needs an operator")
    operator, parts = node[0], [typed(part, declared) for part in node[1:]]
    values, sorts = [value for value, _ in parts], [sort for _, sort in parts]
    if operator == "ite" and sorts == ["Bool", "Int", "Int"]:
        return choice(node), "Int"
    if operator == "-" and sorts == ["Int"]:
        return ("neg", values[0]), "Int"
    if operator == "and" and len(parts) > 1 and set(sorts) == {"Bool"}:
        return joined(values), "Bool"
    if operator in ("=", "=>") and sorts == ["Bool", "Bool"]:
        return ("iff" if operator == "=" else "implies", *values), "Bool"
    if operator == ">=" and sorts == ["Int", "Int"]:
        return ("<=", values[1], values[0]), "Bool"
    if operator in KINDS and operator != "=>" and sorts == ["Int", "Int"]:
        return (KINDS[operator], *values), SORTS.get(operator, "Bool")
    raise affinor.Refused("%s cannot be applied to %s" % (operator, " ".join(sorts)))


def choice(node):
    """The smaller or the greater of two terms, as `ite` says it."""
    test, first, second = node[1:]
    if test == ["<=", first, second]:
        return ("min", ("s", first), ("s", second))
    if test == [">=", first, second]:
        return ("max", ("s", first), ("s", second))
    raise affinor.Refused("this `ite` is neither a minimum nor a maximum")


def joined(formulas):
    whole = formulas[0]
    for formula in formulas[1:]:
        whole = ("and", whole, formula)
    return whole


def definitions(name):
    """The rules of a file: name, hashes, parameters, condition, match, target."""
    hashes = []
    text = ""
    for line in affinor.read(HERE, name).splitlines() + [""]:
        found = re.fullmatch(r"; (?:rule|scripts)-sha256 (\S*)", line)
        if found:
            hashes.append(found.group(1))
        if line.startswith(";"):
            continue
        text += line + "\n"
        if not line and text.strip():
            words = affinor.Words(text, WORD)
            parts = tree(words)
            words.end()
            yield hashes, parts
            hashes, text = [], ""


def resolved(node, declared):
    """Operands of a minimum or maximum, which were kept as they are written to compare them."""
    if not isinstance(node, tuple):
        return node
    if node[0] == "s":
        return resolved(typed(node[1], declared)[0], declared)
    return tuple(resolved(part, declared) for part in node)


def definition(parts):
    """What a rule says, checked as RARE asks: declared, sorted, and everything bound by the match."""
    keyword, name, parameters, *body = parts
    if (keyword, len(body)) not in (("define-rule", 2), ("define-cond-rule", 3)):
        raise affinor.Refused("%s with %d expressions" % (keyword, len(body)))
    declared = {}
    for parameter in parameters:
        if len(parameter) != 2 or parameter[1] != "Int" or parameter[0] in declared:
            raise affinor.Refused("%s is not a parameter" % parameter)
        declared[parameter[0]] = "Int"
    parts = [typed(part, declared) for part in body]
    values = [resolved(value, declared) for value, _ in parts]
    sorts = [sort for _, sort in parts]
    if keyword == "define-rule":
        values.insert(0, ("true",))
        sorts.insert(0, "Bool")
    if sorts[0] != "Bool" or sorts[1] != sorts[2]:
        raise affinor.Refused("its parts have the sorts %s" % " ".join(sorts))
    if affinor.names(values[1]) != set(declared):
        raise affinor.Refused("its match does not have just its parameters")
    return (name, *values)


def expected(rule):
    """Condition, match and target that a rule of the manifest has here."""
    form, left, right, conditions = rule
    where = joined(conditions) if conditions else ("true",)
    bound = affinor.names(left)
    if form == "fact":
        if affinor.names(where) <= bound:
            return where, left, ("true",)
    elif affinor.names(right) | affinor.names(where) <= bound:
        return where, left, right
    formula = {"=>": ("=", left, right), "<=>": ("iff", left, right), "fact": left}[form]
    law = formula if where == ("true",) else ("implies", where, formula)
    return ("true",), law, ("true",)


def says(parts, point):
    """Does a rule hold at a point? Quotients by 0 may be anything, and by negative numbers are Euclidean."""
    answers = []
    for at_zero in AT_ZERO:

        def divide(x, y, at_zero=at_zero):
            if y == 0:
                return at_zero(x)
            remainder = x % abs(y)
            return (x - remainder) // y, remainder

        where, match, target = [affinor.value(part, point, divide) for part in parts]
        answers.append((bool(where), bool(where) <= (match == target)))
    if answers[0] != answers[1]:
        raise affinor.Refused("it depends on what a quotient by 0 is at %s" % point)
    return answers[0]


def agrees(entry, parts, point):
    applies, true = says(parts, point)
    if not affinor.inside(entry["rule"], point):
        return true and (not applies or parts[0] == ("true",))
    return applies and true == bool(affinor.holds(entry["rule"], point))


def compare(check, file, entries):
    found = []
    counts = {"define-rule": 0, "define-cond-rule": 0}
    for hashes, raw in definitions(file):
        name = raw[1]
        found.append(name)
        entry = entries.get(name)
        if entry is None:
            check.fail("%s in %s is not a rule of the manifest" % (name, file))
            continue
        try:
            _, *parts = definition(raw)
            counts[raw[0]] += 1
            if [affinor.normal(part) for part in parts] != [affinor.normal(part) for part in expected(entry["rule"])]:
                check.fail("%s in %s does not read as the rule of that name" % (name, file))
            within, without = entry.get("points") or ([entry["fails"]], [])
            for point in within + without:
                check.evaluated += 1
                if not agrees(entry, parts, point):
                    check.fail("%s in %s differs from the rule at %s" % (name, file, point))
                    break
            if "fails" in entry and says(parts, entry["fails"])[1]:
                check.fail("%s in %s must fail, and does not" % (name, file))
            if hashes != [entry[of] for of in ("rule_sha256", "scripts_sha256") if of in entry]:
                check.fail("%s in %s has other hashes than the manifest" % (name, file))
        except (affinor.Refused, ArithmeticError, KeyError, ValueError, TypeError) as error:
            check.fail("%s in %s: %s" % (name, file, error))
    if len(set(found)) != len(found):
        check.fail("%s has a rule twice" % file)
    return found, counts


def main():
    check = affinor.Check(HERE)
    found, counts = compare(check, "rules.rare", check.rules)
    false_found, _ = compare(check, "must_fail.rare", check.false_rules)
    check.complete(found, false_found)
    return check.end(
        "%d rules (%d with a condition) agree with the manifest at %d points, %d are listed as missing, %d false ones failed"
        % (len(found), counts["define-cond-rule"], check.evaluated, len(check.missing), len(false_found))
    )


if __name__ == "__main__":
    sys.exit(main())
