#!/usr/bin/env python3
"""Checks laws of all answers: each has a certificate that replays, does not depend on the order of lines or on threads, and does
not change when simplified again, unless it reports a stopped search.

    laws.py [--affinor PATH] [--effort 0|1|2] [--runs COUNT] [CASES.jsonl ...]

By default: benches/data/cases.jsonl, fresh_cases.jsonl, and lines of peers/min_max.py and peers/chains.py, 1,800 cases in total.
Prints figures; the exit status is 1 if a law fails.
"""
import argparse
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 1800
# Far above the limits on work, which do not depend on the machine.
SECONDS = 3600


def lines_of(text):
    return [json.loads(line) for line in text.splitlines()]


def shipped():
    cases = []
    for name in ("cases.jsonl", "fresh_cases.jsonl"):
        with open(os.path.join(HERE, "data", name)) as file:
            cases += lines_of(file.read())
    missing = CASES - len(cases)
    for script, count in (("min_max.py", missing // 2), ("chains.py", missing - missing // 2)):
        command = [sys.executable, os.path.join(HERE, "peers", script), "1", str(count)]
        made = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        # Other scripts may use the same names.
        cases += [dict(case, id="%s:%s" % (script, case["id"])) for case in lines_of(made)]
    return cases


def asked(program, command, text):
    done = subprocess.run([program] + command, input=text, stdout=subprocess.PIPE, text=True, timeout=SECONDS)
    return lines_of(done.stdout)


def simplified(program, cases, options):
    text = "".join(json.dumps({key: case[key] for key in ("id", "vars", "expr")}) + "\n" for case in cases)
    answers = asked(program, ["--json", "simplify", "--jsonl", "-"] + options, text)
    found = {answer["id"]: answer for answer in answers}
    if len(found) != len(cases) or any("result" not in answer for answer in answers):
        sys.exit("%d cases have %d answers" % (len(cases), sum("result" in answer for answer in answers)))
    return found


def results(answers):
    return {name: answer["result"] for name, answer in answers.items()}


def differences(what, before, after):
    """Counts the answers that differ, and prints the first ones."""
    differing = [name for name in before if before[name] != after[name]]
    for name in differing[:5]:
        print("  %s %s: %s is now %s" % (what, name, before[name], after[name]))
    return len(differing)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--affinor", default=os.path.join(HERE, "..", "target", "release", "affinor"))
    parser.add_argument("--effort", default="1", choices=["0", "1", "2"])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("files", nargs="*", metavar="CASES.jsonl")
    options = parser.parse_args()
    cases = []
    for path in options.files:
        with open(path) as file:
            cases += lines_of(file.read())
    cases = cases or shipped()
    program, effort = options.affinor, ["--effort", options.effort]
    failures = 0

    first = simplified(program, cases, effort)
    operations = sum(answer["ops"] for answer in first.values())
    print("%d cases, %d operations left" % (len(cases), operations))

    certified = simplified(program, cases, effort + ["--certificate"])
    failures += differences("with its certificate", results(first), results(certified))
    text = "".join(json.dumps(certified[case["id"]]["certificate"]) + "\n" for case in cases)
    verdicts = asked(program, ["--json", "replay", "-"], text)
    steps = [len(certified[c["id"]]["certificate"]["result_steps"]) for c in cases]
    valid = sum(verdict.get("verdict") == "valid" for verdict in verdicts)
    failures += len(cases) - valid
    print("certificates: %d of %d replay, with %d steps at most" % (valid, len(cases), max(steps)))

    draw = random.Random(1)
    differing = 0
    for run in range(options.runs):
        shuffled = draw.sample(cases, len(cases))
        answers = simplified(program, shuffled, effort + ["--threads", str(1 + run % 4)])
        differing += differences("shuffled", results(first), results(answers))
    failures += differing
    print("order: %d runs with shuffled lines on 1 to 4 threads, %d answers differ" % (options.runs, differing))

    again = results(simplified(program, [dict(c, expr=first[c["id"]]["result"]) for c in cases], effort))
    complete = {name: answer["result"] for name, answer in first.items() if answer.get("complete", True)}
    differing = differences("again", complete, again)
    failures += differing
    stopped = [name for name in first if name not in complete]
    stay = sum(again[name] == first[name]["result"] for name in stopped)
    print("fixed points: %d of %d complete answers stay as they are, %d of %d that met a bound"
          % (len(complete) - differing, len(complete), stay, len(stopped)))
    sys.exit(failures > 0)


main()
