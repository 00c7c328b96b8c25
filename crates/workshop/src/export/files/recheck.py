#!/usr/bin/env python3
"""Checks rules.json and must_fail.json beside this file: hashes, and every rule at many points. Python's // and % round down."""
import functools
import hashlib
import json
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
POINTS = 100
TRIES = 8000


def python(text):
    """The rules' language as Python's: floordiv, mod and = have other names there."""
    text = text.replace(" floordiv ", " // ").replace(" mod ", " % ")
    return re.sub(r"(?<![<>=])=(?![>=])", "==", text)


def holds(statement, point):
    for arrow, same in (("<=>", lambda x, y: bool(x) == bool(y)), ("=>", lambda x, y: x == y)):
        if " %s " % arrow in statement:
            left, right = statement.split(" %s " % arrow)
            return same(value(left, point), value(right, point))
    return bool(value(statement, point))


@functools.lru_cache(maxsize=None)
def compiled(text):
    return compile(python(text), text, "eval")


def value(text, point):
    return eval(compiled(text), {"__builtins__": {}, "min": min, "max": max}, point)


def inside(rule, point):
    """Do the conditions hold? A divisor may be 0 where they do not."""
    try:
        return all(value(condition, point) for condition in rule["where"])
    except ZeroDivisionError:
        return False


def points(rule):
    """Points at which the conditions hold: the one that is given, those near it, and random ones."""
    names = rule["constants"] + rule["expressions"]
    dice = random.Random(rule["name"])
    found = 0
    for turn in range(TRIES):
        if turn == 0:
            point = rule.get("inside")
        elif turn % 2 and "inside" in rule:
            point = {name: rule["inside"][name] + dice.randint(-2, 2) for name in names}
        else:
            point = {name: dice.randint(-12, 12) for name in names}
        if point is not None and inside(rule, point):
            yield point
            found += 1
            if found == POINTS:
                return


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


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


def main():
    failures = list(sums())
    rules, false_rules = read("rules.json")["rules"], read("must_fail.json")["rules"]
    evaluated = 0
    for rule in rules:
        if hashlib.sha256(rule["hashed"].encode()).hexdigest() != rule["rule_sha256"]:
            failures.append("%s: `hashed` does not have the hash rule_sha256" % rule["name"])
        if not rule["hashed"].startswith("%s\nwhere %s\n" % (rule["statement"], ", ".join(rule["where"]))):
            failures.append("%s: `hashed` is about another statement or other conditions" % rule["name"])
        tried = 0
        try:
            for point in points(rule):
                tried += 1
                if not holds(rule["statement"], point):
                    failures.append("%s is false at %s" % (rule["name"], point))
                    break
        except (ArithmeticError, NameError, SyntaxError, KeyError) as error:
            failures.append("%s cannot be evaluated: %s" % (rule["name"], error))
            continue
        if tried == 0:
            failures.append("%s: no point was found at which its conditions hold" % rule["name"])
        evaluated += tried
    for rule in false_rules:
        point = rule.get("fails")
        if point is None or not inside(rule, point) or holds(rule["statement"], point):
            failures.append("%s must fail, and does not" % rule["name"])
    for failure in failures:
        print("FAILED:", failure)
    print("%d rules held at %d points, %d false ones failed" % (len(rules), evaluated, len(false_rules)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
