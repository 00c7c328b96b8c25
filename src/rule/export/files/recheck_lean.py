#!/usr/bin/env python3
"""Reads the theorems in Affinor/Rules.lean and MustFail.lean, evaluates them as Lean would, and compares with the rules they came from.

    python3 recheck.py              the check; it does not look whether proofs are accepted, which only Lean can
    python3 recheck.py --scripts    for each proof, as a line of JSON, a problem of linear integer arithmetic in SMT-LIB: `unsat` says that
                                    what the proof states of quotients and products is enough for the step that `omega` is left with
"""
import json
import os
import re
import sys

sys.dont_write_bytecode = True
import affinor_rules as affinor

HERE = os.path.dirname(os.path.abspath(__file__))
WORD = re.compile(r"\s*([↔∧∨≤<=+\-*/%():]|[0-9]+|[A-Za-z_][A-Za-z_0-9]*)")
LEVELS = [["↔"], ["∨"], ["∧"], ["=", "<", "≤"], ["+", "-"], ["*", "/", "%"]]
KINDS = {"↔": "iff", "∨": "or", "∧": "and", "≤": "<=", "/": "div", "%": "mod"}
HEAD = re.compile(r"theorem (\w+) \(([\w ]+) : Int\)((?: \(cond[0-9]+ : [^\n]*?\))*) :\n    ([^\n]*) := by\n((?:  [^\n]*\n)+)")
STEP = re.compile(r"  have (quot|pick|prod)([0-9]+) := (div_bounds|min_cases|max_cases|mul_nonneg|mul_zero) (.*)")
LEMMAS = {"quot": ("div_bounds",), "pick": ("min_cases", "max_cases"), "prod": ("mul_nonneg", "mul_zero")}
# What would let Lean accept something that is not proved from what it has.
BANNED = re.compile(r"\b(sorry|admit|axiom|unsafe|opaque|native_decide|implemented_by|extern|ofReduceBool|elab|run_cmd|set_option|instance|notation)\b")


def binary(words, level=0):
    if level == len(LEVELS):
        return unary(words)
    value = binary(words, level + 1)
    while True:
        operator = words.take(*LEVELS[level])
        if not operator:
            return value
        value = (KINDS.get(operator, operator), value, binary(words, level + 1))


def unary(words):
    if words.take("-"):
        return ("neg", unary(words))
    call = words.take("min", "max")
    if call:
        return (call, atom(words), atom(words))
    return atom(words)


def atom(words):
    if words.take("("):
        value = binary(words)
        if words.take(":"):
            words.demand("Int")
        words.demand(")")
        return value
    word = words.peek()
    if word is None or not (word[0].isalnum() or word[0] == "_") or word in ("min", "max"):
        raise affinor.Refused("expected a term, found %r" % word)
    words.at += 1
    return ("int", int(word)) if word.isdigit() else ("name", word)


def formula(text):
    words = affinor.Words(text, WORD)
    value = binary(words)
    words.end()
    return value


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
            found.append(formula(condition))
    return found


def theorems(name):
    """Theorems of a file: name, hashes, variables, conditions, statement, steps."""
    text = affinor.read(HERE, name)
    found = []
    for block in re.split(r"\n\n+", text):
        if "theorem " not in block:
            continue
        matched = HEAD.search(block + "\n")
        if not matched:
            raise affinor.Refused("cannot read the theorem %r" % block[:200])
        hashes = re.findall(r"-- (?:rule|scripts)-sha256 (\S*)", block)
        title, variables, given, statement, proof = matched.groups()
        found.append((title, hashes, variables.split(), conditions(given), formula(statement), proof.splitlines()))
    if len(found) != len(re.findall(r"\btheorem\b|\blemma\b|\bdef\b|\babbrev\b|\bexample\b", strip(text))):
        raise affinor.Refused("%s has something that is no theorem of this form" % name)
    return found


def strip(text):
    """Without comments."""
    return re.sub(r"--[^\n]*|/-.*?-/", "", text, flags=re.S)


def steps(proof, statement):
    """The lemmas that a proof uses."""
    found = []
    for line in proof[:-1]:
        matched = STEP.fullmatch(line)
        if not matched or matched.group(3) not in LEMMAS[matched.group(1)]:
            raise affinor.Refused("%r is no step of a proof" % line)
        words = affinor.Words(matched.group(4), WORD)
        first, second = atom(words), atom(words)
        words.end()
        found.append((matched.group(3), first, second))
    if proof[-1] != "  by_products":
        raise affinor.Refused("%r is no end of a proof" % proof[-1])
    return found


def lean_divide(x, y):
    """Lean's: the remainder is never negative, x / 0 is 0 and x % 0 is x."""
    if y == 0:
        return 0, x
    remainder = x % abs(y)
    return (x - remainder) // y, remainder


def conjunction(formulas):
    whole = ("true",)
    for formula in formulas:
        whole = formula if whole == ("true",) else ("and", whole, formula)
    return whole


def agrees(entry, given, statement, point):
    applies = all(affinor.value(condition, point, lean_divide) for condition in given)
    if not affinor.inside(entry["rule"], point):
        return not applies
    return applies and bool(affinor.value(statement, point, lean_divide)) == bool(affinor.holds(entry["rule"], point))


def compare(check, file, entries):
    found = []
    names = {name.replace("-", "_"): name for name in entries}
    for title, hashes, variables, given, statement, proof in theorems(file):
        name = names.get(title, title)
        found.append(name)
        entry = entries.get(name)
        if entry is None:
            check.fail("%s in %s is no rule of the manifest" % (name, file))
            continue
        try:
            form, left, right, where = entry["rule"]
            wanted = {"=>": ("=", left, right), "<=>": ("iff", left, right), "fact": left}[form]
            if affinor.normal(statement) != affinor.normal(wanted):
                check.fail("%s in %s does not state the rule of that name" % (name, file))
            if [affinor.normal(part) for part in given] != [affinor.normal(part) for part in where]:
                check.fail("%s in %s has other conditions than the rule" % (name, file))
            if variables != entry["constants"] + entry["expressions"]:
                check.fail("%s in %s has other variables than the rule" % (name, file))
            steps(proof, statement)
            within, without = entry.get("points") or ([entry["fails"]], [])
            for point in within + without:
                check.evaluated += 1
                if not agrees(entry, given, statement, point):
                    check.fail("%s in %s differs from the rule at %s" % (name, file, point))
                    break
            if hashes != [entry[of] for of in ("rule_sha256", "scripts_sha256") if of in entry]:
                check.fail("%s in %s has other hashes than the manifest" % (name, file))
        except (affinor.Refused, ArithmeticError, KeyError) as error:
            check.fail("%s in %s: %s" % (name, file, error))
    if len(set(found)) != len(found):
        check.fail("%s has a theorem twice" % file)
    return found


class Linear:
    """A proof's last step as a problem of linear integer arithmetic: products and quotients are names."""

    def __init__(self):
        self.names = {}
        self.parts = {}

    def name(self, key):
        return self.names.setdefault(key, "n%d" % len(self.names))

    def polynomial(self, node):
        """Coefficients of products of names."""
        kind = node[0]
        if kind == "int":
            return {(): node[1]} if node[1] else {}
        if kind == "name":
            return {(self.name(node[1]),): 1}
        if kind == "neg":
            return self.times({(): -1}, self.polynomial(node[1]))
        x, y = self.polynomial(node[1]), self.polynomial(node[2])
        if kind == "+":
            return self.plus(x, y)
        if kind == "-":
            return self.plus(x, self.times({(): -1}, y))
        if kind == "*":
            return self.times(x, y)
        quotient_or_choice = {(self.name(("div" if kind == "mod" else kind, fixed(x), fixed(y))),): 1}
        if kind == "mod":
            return self.plus(x, self.times({(): -1}, self.times(y, quotient_or_choice)))
        return quotient_or_choice

    @staticmethod
    def plus(x, y):
        total = dict(x)
        for product, factor in y.items():
            total[product] = total.get(product, 0) + factor
        return {product: factor for product, factor in total.items() if factor}

    def times(self, x, y):
        total = {}
        for first, factor in x.items():
            for second, other in y.items():
                total = self.plus(total, {tuple(sorted(first + second)): factor * other})
        return total

    def term(self, node):
        parts = []
        for product, factor in sorted(self.polynomial(node).items()):
            if product:
                atom = self.parts.setdefault(product, "|%s|" % "*".join(product))
            number = str(factor) if factor >= 0 else "(- %d)" % -factor
            parts.append("(* %s %s)" % (number, atom) if product else number)
        return "(+ 0 0 %s)" % " ".join(parts)

    def formula(self, node):
        kind = node[0]
        if kind in ("and", "or", "iff"):
            return "(%s %s %s)" % ({"iff": "="}.get(kind, kind), self.formula(node[1]), self.formula(node[2]))
        return "(%s %s %s)" % (kind, self.term(node[1]), self.term(node[2]))

    def lemma(self, name, x, y):
        """What a lemma of Lemmas.lean says, for these two terms."""
        zero, one = ("int", 0), ("int", 1)
        if name == "div_bounds":
            product = ("*", y, ("div", x, y))
            return ("or", ("<", y, one), ("and", ("<=", product, x), ("<", x, ("+", product, y))))
        if name == "min_cases":
            return ("or", both(("<=", x, y), "min", x, y, x), both(("<", y, x), "min", x, y, y))
        if name == "max_cases":
            return ("or", both(("<=", y, x), "max", x, y, x), both(("<", x, y), "max", x, y, y))
        if name == "mul_nonneg":
            return ("or", ("<", x, zero), ("or", ("<", y, zero), ("<=", zero, ("*", x, y))))
        return ("or", ("<", y, zero), ("or", ("<", zero, y), ("=", ("*", x, y), zero)))


def both(test, call, x, y, chosen):
    return ("and", test, ("=", (call, x, y), chosen))


def fixed(polynomial):
    return tuple(sorted(polynomial.items()))


def script(given, statement, lemmas):
    linear = Linear()
    facts = list(given) + [linear.lemma(*lemma) for lemma in lemmas]
    asserted = ["(assert %s)" % linear.formula(fact) for fact in facts] + ["(assert (not %s))" % linear.formula(statement)]
    declared = ["(declare-const %s Int)" % part for part in linear.parts.values()]
    return "\n".join(["(set-logic QF_LIA)"] + declared + asserted + ["(check-sat)", ""])


def main():
    if sys.argv[1:] == ["--scripts"]:
        for title, _, _, given, statement, proof in theorems("Affinor/Rules.lean"):
            print(json.dumps({"name": title, "smtlib": script(given, statement, steps(proof, statement))}))
        return 0
    check = affinor.Check(HERE)
    for file in ("Affinor.lean", "Affinor/Lemmas.lean", "Affinor/Rules.lean", "MustFail.lean"):
        banned = BANNED.search(strip(affinor.read(HERE, file)))
        if banned:
            check.fail("%s has the word %s" % (file, banned.group(1)))
    found, false_found = [], []
    try:
        found = compare(check, "Affinor/Rules.lean", check.rules)
        false_found = compare(check, "MustFail.lean", check.false_rules)
    except affinor.Refused as error:
        check.fail(str(error))
    check.complete(found, false_found)
    return check.end(
        "%d theorems agree with the manifest at %d points, %d rules are listed as missing, %d false ones failed"
        % (len(found), check.evaluated, len(check.missing), len(false_found))
    )


if __name__ == "__main__":
    sys.exit(main())
