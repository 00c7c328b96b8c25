#!/usr/bin/env python3
"""Compares answers with the values of the given expressions: is an answer right, is a constant found, is the answer a fixpoint?

    constants.py CASES.jsonl .. [--affinor PATH] [--effort 0|1|2] [--out FAILURES.txt]

Boxes of at most --points points (20,000) are evaluated completely, larger ones at their corners and 2,000 random points. Counts, by
kind of case (the leading letters of its id):

wrong     a value of the answer differs
constant  the given expression has one value on its whole box, and the answer is not that constant
changes   the answer changes when simplified again on the same box; stopped searches are counted separately
larger    the answer has more operations than the one at the next lower effort
stopped   the answer reports a stopped search

--out lists the cases with both forms, wrong ones first. The exit status is 1 if an answer is wrong.
"""
import argparse
import itertools
import json
import math
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "peers"))
from expressions import count, function, points, read

SAMPLES = 4000  # `points` draws half as many, and a quarter as many corners


def answers(program, cases, effort):
    text = "".join(json.dumps({key: case[key] for key in ("id", "vars", "expr")}) + "\n" for case in cases)
    command = [program, "simplify", "--jsonl", "-", "--effort", effort]
    # The exit status only reports stopped searches; the output counts.
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len(found) != len(cases) or any("result" not in answer for answer in found):
        sys.exit("%d cases have %d answers" % (len(cases), sum("result" in answer for answer in found)))
    return found


def judged(case, result, most):
    """Returns a point at which the answer is wrong or None, and the only value of the given expression or None."""
    names, bounds = list(case["vars"]), case["vars"].values()
    given, got = (function(read(text), names) for text in (case["expr"], result))
    whole = math.prod(high - low + 1 for low, high in bounds) <= most
    box = itertools.product(*(range(low, high + 1) for low, high in bounds)) if whole else (p.values() for p in points(case["vars"], SAMPLES))
    only = None
    for number, point in enumerate(box):
        value = given(*point)
        if got(*point) != value:
            return dict(zip(names, point)), None
        only = value if number == 0 or value == only else None
        if only is None:
            break
    for point in box:
        if got(*point) != given(*point):
            return dict(zip(names, point)), None
    return None, only if whole else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--affinor", default=os.path.join(HERE, "..", "target", "release", "affinor"))
    parser.add_argument("--effort", default="1", choices=["0", "1", "2"])
    parser.add_argument("--points", type=int, default=20000)
    parser.add_argument("--out")
    options = parser.parse_args()
    sys.setrecursionlimit(20000)
    cases = []
    for path in options.cases:
        with open(path) as file:
            cases += map(json.loads, file)
    first = answers(options.affinor, cases, options.effort)
    again = answers(options.affinor, [dict(c, expr=a["result"]) for c, a in zip(cases, first)], options.effort)
    below = answers(options.affinor, cases, str(int(options.effort) - 1)) if options.effort > "0" else first
    failures, kinds = {"wrong": [], "constant": [], "changes": [], "changes, stopped": [], "larger": [], "stopped": []}, {}
    for case, answer, second, lesser in zip(cases, first, again, below):
        kind = re.match(r"[A-Za-z_]*", case["id"]).group()
        row = kinds.setdefault(kind, {"cases": 0, "constants": 0, **dict.fromkeys(failures, 0)})
        row["cases"] += 1
        point, only = judged(case, answer["result"], options.points)
        row["constants"] += only is not None
        stopped = not answer.get("complete", True)
        changes = second["result"] != answer["result"]
        again_text = "again  %s\n  %d operations, %d before" % (second["result"], second["ops"], answer["ops"])
        met = {
            "wrong": point and "at %s" % point,
            "constant": only is not None and answer["result"] != str(only) and "is always %d" % only,
            "changes": changes and not stopped and again_text,
            "changes, stopped": changes and stopped and again_text,
            "larger": answer["ops"] > lesser["ops"] and "below  %s\n  %d operations, %d here" % (lesser["result"], lesser["ops"], answer["ops"]),
            "stopped": stopped and "at %s, %d operations" % (answer.get("stopped_at", "a bound"), answer["ops"]),
        }
        for failure, why in met.items():
            if why:
                row[failure] += 1
                box = ", ".join("%s in [%d, %d]" % (name, *bounds) for name, bounds in case["vars"].items())
                failures[failure].append((len(case["expr"]), "%s, %s\n  given  %s\n  answer %s\n  %s\n" % (case["id"], box, case["expr"], answer["result"], why)))
    columns = ["cases", "constants"] + list(failures)
    print("| kind | cases | constants | wrong | constant missed | changes | changes, met a bound | larger than at the effort below | met a bound |\n|%s" % ("---|" * 9))
    sums = {column: sum(row[column] for row in kinds.values()) for column in columns}
    for kind, row in list(kinds.items()) + [("**all**", sums)]:
        print("| %s | %s |" % (kind, " | ".join(str(row[column]) for column in columns)))
    print("operations left: %d" % sum(count(read(answer["result"]))[0] for answer in first))
    if options.out:
        with open(options.out, "w") as out:
            for failure, listed in failures.items():
                out.write("==== %s: %d\n" % (failure, len(listed)) + "".join(text for _, text in sorted(listed)) + "\n")
    sys.exit(sums["wrong"] > 0)


if __name__ == "__main__":
    main()
