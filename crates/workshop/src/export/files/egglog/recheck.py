#!/usr/bin/env python3
"""Checks the programs beside this file: hashes, and every rule at many points, with Python's integers.

    python3 recheck.py                  evaluates what the programs say, without egglog
    python3 recheck.py EGGLOG           runs them too, with this program (egglog 3)
    python3 recheck.py --python         runs them too, with the package egglog of PyPI (13.2)
    python3 recheck.py --bounds         evaluates only the rules that bound operations
"""
import functools
import hashlib
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import prelude

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ("claims.egg", "must_fail.egg", "fire.egg", "four.egg")
POINTS = 60
TRIES = 4000


def python(text):
    """The rules' language as Python's: floordiv, mod and = have other names there."""
    text = text.replace(" floordiv ", " // ").replace(" mod ", " % ")
    return re.sub(r"(?<![<>=])=(?![>=])", "==", text)


@functools.lru_cache(maxsize=None)
def compiled(text):
    return compile(python(text), text, "eval")


def value(text, point):
    return eval(compiled(text), {"__builtins__": {}, "min": min, "max": max}, point)


def says(statement, point):
    """The values of both sides of a rewrite, the truths of both sides of an equivalence, or the truth of a fact."""
    for arrow in (" <=> ", " => "):
        if arrow in statement:
            return tuple(value(side, point) for side in statement.split(arrow))
    return (bool(value(statement, point)), True)


def split(conditions):
    """The conditions of a list: commas inside brackets divide nothing."""
    parts, depth = [""], 0
    for letter in conditions:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


class Rule:
    """What the comments before a rule say of it, and the lines that follow them."""

    def __init__(self, block):
        lines = block.split("\n")
        self.name = lines[0].split()[1]
        told = [line[4:] for line in lines if line.startswith("; | ")]
        self.statement, where = told[0], told[1][len("where "):]
        self.where = split(where) if where else []
        self.hashed = "\n".join(told)
        self.sha256 = next(line.split()[2] for line in lines if line.startswith("; rule-sha256 "))
        at = [line for line in lines if line.startswith("; at ")]
        pairs = re.findall(r"(\w+) = (-?\d+)", at[0]) if at else []
        self.point = {name: int(number) for name, number in pairs}
        self.code = read("\n".join(line for line in lines if not line.startswith(";")))

    def inside(self, point):
        try:
            return all(value(condition, point) for condition in self.where)
        except ZeroDivisionError:
            return False


def read(text):
    """The expressions of a program as lists of words."""
    stack = [[]]
    for word in re.findall(r'"[^"]*"|[()]|[^\s()]+', text):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0]


def blocks(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read().split("\n\n")


def rules(name):
    return [Rule(block.strip("\n")) for block in blocks(name) if "\n; rule-sha256 " in block]


def before_rules(name):
    """The expressions that belong to no rule."""
    others = "\n".join(block for block in blocks(name) if "\n; rule-sha256 " not in block)
    return read("\n".join(line for line in others.split("\n") if not line.startswith(";")))


def toward_zero(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


OPERATIONS = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "min": min, "max": max,
    "/": toward_zero, "%": lambda x, y: x - y * toward_zero(x, y),
    "=": lambda x, y: x == y, "<=": lambda x, y: x <= y, "<": lambda x, y: x < y,
    ">=": lambda x, y: x >= y, ">": lambda x, y: x > y, "!=": lambda x, y: x != y,
    "Add": lambda x, y: x + y, "Multiply": lambda x, y: x * y, "FloorDiv": lambda x, y: x // y, "Mod": lambda x, y: x % y,
    "Min": min, "Max": max, "Integer": lambda x: x,
}


def compute(code, point):
    """The value of an expression. What is below and above the value in a range is drawn with it."""
    if code[0] in ("lo", "hi"):
        return point[code[1]] + point[" ".join(code)]
    if isinstance(code, str):
        return int(code) if re.fullmatch(r"-?\d+", code) else point[code]
    return OPERATIONS[code[0]](*(compute(part, point) for part in code[1:]))


def words(code):
    return {code} if isinstance(code, str) else set().union(*map(words, code[1:])) if code else set()


def check_rewrite(rule, failures):
    """A rule of rules.egg: it fires where the conditions of its text hold, and unites what its text says is equal."""
    try:
        [[_, named], [_, facts, [[_, root, right]], *_]] = rule.code
    except ValueError:
        failures.append("%s is not one rule with one action" % rule.name)
        return 0
    dice, found = random.Random(rule.name), 0
    patterns = [fact for fact in facts if fact[0] == "=" and isinstance(fact[2], list) and fact[2][0][0].isupper()]
    drawn = sorted(word for fact in patterns for word in words(fact[2]) if re.fullmatch(r"[A-Za-z]\w*", word))
    claimed = CLAIMS.get(rule.name)
    for turn in range(TRIES):
        near = turn % 2 and claimed
        point = {word: dice.randint(-12, 12) for word in drawn}
        if near:
            point.update((word, claimed.point[word] + dice.randint(-2, 2)) for word in drawn if word in claimed.point)
        wide = turn % 4 > 1
        for word in drawn:
            point["lo " + word], point["hi " + word] = (-dice.randint(0, 3), dice.randint(0, 3)) if wide else (0, 0)
        # Integers that the pattern holds whole are what their factors make them: without that hardly any would fit.
        for fact in facts:
            if fact[0] == "=" and isinstance(fact[1], str) and fact[1].startswith("literal"):
                point[fact[1]] = compute(fact[2], point) if words(fact[2]) <= set(point) else point[fact[1]]
        try:
            fires = True
            for fact in facts:
                if fact[0] == "=" and isinstance(fact[1], str) and fact[1] not in point and not fact[1].isdigit():
                    point[fact[1]] = compute(fact[2], point)
                else:
                    fires = fires and compute(fact, point)
            if not fires and not set(rule.names) <= set(point):
                continue
            inside = rule.inside(point)
            if fires != inside:
                # Fewer constants than the text allows may be tried, never more.
                if fires:
                    failures.append("%s fires at %s, where its conditions do not hold" % (rule.name, point))
                    return found
                if not wide and all_stated(facts, point):
                    failures.append("%s does not fire at %s, where its conditions hold" % (rule.name, point))
                    return found
            if not fires:
                continue
            sides = says(rule.statement, point)
            texts = re.split(r" => | = ", rule.statement)
            left, right_value = compute(root, point), compute(right, point)
            if (left, right_value) != tuple(value(text, point) for text in texts) or sides[0] != sides[1] or left != right_value:
                failures.append("%s unites %s and %s at %s" % (rule.name, left, right_value, point))
                return found
        except (ZeroDivisionError, KeyError):
            continue
        found += 1
        if found == POINTS:
            break
    if found == 0:
        failures.append("%s: no point was found at which it fires" % rule.name)
    return found


def all_stated(facts, point):
    """Do all definitions among the facts hold, so that only comparisons can have failed?"""
    return all(compute(fact, point) for fact in facts if fact[0] == "=")


def check_claim(rule, is_true, failures):
    """What claims.egg or must_fail.egg says at a point is what the text says there."""
    checks = []
    for code in rule.code:
        negated = code[0] == "fail"
        parts = code[1][1:] if negated else code[1:]
        checks.append([compute(part, {}) for part in parts] + [negated])
    expected = [bool(value(condition, rule.point)) for condition in rule.where]
    if [check[:-1] for check in checks[: len(expected)]] != [[truth] for truth in expected] or not all(expected):
        failures.append("%s: its conditions are not those of its text" % rule.name)
        return
    said = says(rule.statement, rule.point)
    rest = checks[len(expected):]
    truths = [all(check[:-1]) for check in rest]
    if any(truth == check[-1] for truth, check in zip(truths, rest)):
        failures.append("%s: a check of it does not hold" % rule.name)
    is_equivalence = " <=> " in rule.statement
    if truths != ([bool(said[0]), bool(said[1])] if is_equivalence else [said[0] == said[1]]):
        failures.append("%s: its checks do not say what its text says" % rule.name)
    if (said[0] == said[1]) != is_true:
        failures.append("%s is %s at its point" % (rule.name, "false" if is_true else "true"))


def check_text(rule, failures):
    """The hash, and the text at many points."""
    if hashlib.sha256(rule.hashed.encode()).hexdigest() != rule.sha256:
        failures.append("%s: its text does not have its hash" % rule.name)
    dice, found = random.Random(rule.name), 0
    for turn in range(TRIES // 4):
        near = {name: number + dice.randint(-2, 2) for name, number in rule.point.items()}
        point = near if turn % 2 else {name: dice.randint(-12, 12) for name in rule.point}
        if rule.inside(point):
            found += 1
            left, right = says(rule.statement, point)
            if left != right:
                failures.append("%s is false at %s" % (rule.name, point))
                return found
            if found == POINTS:
                break
    return found


def sums():
    """Files that are not the ones that SHA256SUMS lists."""
    with open(os.path.join(HERE, "SHA256SUMS"), encoding="utf-8") as file:
        listed = dict(reversed(line.rstrip("\n").split("  ", 1)) for line in file)
    present = [name for name in os.listdir(HERE) if name not in ("SHA256SUMS", "__pycache__")]
    for name in sorted(set(listed) | set(present)):
        path = os.path.join(HERE, name)
        if name not in listed or not os.path.exists(path):
            yield "%s is not in both SHA256SUMS and this directory" % name
            continue
        with open(path, "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != listed[name]:
                yield "%s is not the file that SHA256SUMS lists" % name


def run(how, failures):
    os.chdir(HERE)
    for name in PROGRAMS:
        if how == "--python":
            from egglog.bindings import EGraph
            graph = EGraph()
            with open(name, encoding="utf-8") as file:
                text = file.read()
            try:
                graph.run_program(*graph.parse_program(text))
            except BaseException as error:
                failures.append("%s: %s" % (name, error))
        else:
            done = subprocess.run([how, name], capture_output=True, text=True)
            if done.returncode != 0:
                failures.append("%s: %s" % (name, done.stderr.strip()[-500:]))
    print("%d programs were run" % len(PROGRAMS))


CLAIMS = {rule.name: rule for rule in rules("claims.egg")}


def finish(failures, counts):
    for failure in failures:
        print("FAILED:", failure)
    print(counts)
    return 1 if failures else 0


def main():
    failures = list(sums())
    evaluated = fired = 0
    ends = prelude.check(before_rules("rules.egg"), compute, failures)
    if sys.argv[1:] == ["--bounds"]:
        return finish(failures, "the rules of bounds held at %d points" % ends)
    for rule in CLAIMS.values():
        evaluated += check_text(rule, failures)
        check_claim(rule, True, failures)
    rewrites, false_rules = rules("rules.egg"), rules("must_fail.egg")
    for rule in rewrites:
        claimed = CLAIMS.get(rule.name)
        if claimed is None or claimed.hashed != rule.hashed or claimed.sha256 != rule.sha256:
            failures.append("%s is another rule in claims.egg" % rule.name)
            continue
        rule.names = list(claimed.point)
        fired += check_rewrite(rule, failures)
    for rule in false_rules:
        if hashlib.sha256(rule.hashed.encode()).hexdigest() != rule.sha256:
            failures.append("%s: its text does not have its hash" % rule.name)
        check_claim(rule, False, failures)
    for how in sys.argv[1:]:
        run(how, failures)
    return finish(
        failures,
        "%d rules held at %d points, %d rewrites fired as they should at %d, those before them at %d, %d false rules failed"
        % (len(CLAIMS), evaluated, len(rewrites), fired, ends, len(false_rules)),
    )


if __name__ == "__main__":
    sys.exit(main())
