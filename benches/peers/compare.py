#!/usr/bin/env python3
"""Quality and time of affinor beside other simplifiers of index expressions, in one run on one machine.

    compare.py CASES.jsonl.. [--peers halide,tvm,isl,tinygrad] [--affinor PATH] [--out RESULTS.jsonl] [--best BEST.json]

Installs the peers from PyPI into benches/peers/.venv the first time (Halide's is a C++ program over the library
of its wheel, so g++ is needed), and builds affinor if no PATH is given. CASES are lines
{"id", "vars": {"d0": [lo, hi], ..}, "expr"}. Times are CPU milliseconds of the process or thread that simplifies, to
build the peer's own expression and simplify it (affinor: simplify alone, its steps recorded); those of affinor and
Halide are medians over five rounds. Each result is evaluated beside the given expression; wrong ones are counted and
not compared. So are results with a divisor that is not a positive integer: index maps cannot say them.

One table for all cases, and one for each kind (the letters that an id begins with) if there are several; then both
forms of every case where another simplifier's answer is smaller than affinor's. --out writes every answer, --best
{id: [operations, peer, answer]} of the smallest answer of the others.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = os.path.join(HERE, ".venv")
REQUIREMENTS = ["apache-tvm==0.27.0.post1", "halide==21.0.0", "islpy==2026.2.2", "tinygrad==0.14.0"]
PYTHON = os.path.join(ENVIRONMENT, "bin", "python")
ROUNDS = 5


def install():
    """Makes the virtual environment and the Halide program, once."""
    program = os.path.join(ENVIRONMENT, "halide_peer")
    if os.path.exists(program):
        return program
    print("installing the peers into %s" % ENVIRONMENT, file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    subprocess.run([PYTHON, "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=True)
    where = subprocess.run([PYTHON, "-c", "import halide; print(halide.__path__[0])"], check=True, capture_output=True, text=True)
    home = where.stdout.strip()
    libraries = [d for d in (os.path.join(home, "lib64"), os.path.join(home, "lib")) if os.path.isdir(d)]
    command = ["g++", "-O2", "-std=c++17", "-I" + os.path.join(home, "include"), os.path.join(HERE, "halide_peer.cpp"), "-o", program]
    for library in libraries:
        command += ["-L" + library, "-Wl,-rpath," + library]
    subprocess.run(command + ["-lHalide"], check=True)
    return program


def affinor(path, file):
    """{id: (milliseconds, text)} of affinor."""
    if not path:
        subprocess.run(["cargo", "build", "--release"], check=True, cwd=os.path.join(HERE, "..", ".."))
        path = os.path.join(HERE, "..", "..", "target", "release", "affinor")

    def asked():
        # Its exit status says whether a bound stopped a search; what it printed counts.
        done = subprocess.run([path, "simplify", "--jsonl", file], capture_output=True, text=True)
        answers = map(json.loads, done.stdout.splitlines())
        return {a["id"]: (a["ns"] / 1e6, a["result"]) for a in answers if "result" in a}
    return medians(asked)


def medians(asked):
    """The answers of several rounds, with the median of their times."""
    rounds = [asked() for _ in range(ROUNDS)]
    return {i: (statistics.median(answers[i][0] for answers in rounds), text) for i, (_, text) in rounds[0].items()}


def halide(program, cases):
    from expressions import postfix, read
    lines = []
    for case in cases:
        bounds = ";".join("%s %d %d" % (name, low, high) for name, (low, high) in case["vars"].items())
        lines.append("%s|%s|%s" % (case["id"], bounds, postfix(read(case["expr"]))))

    def asked():
        done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
        rows = (line.split("|") for line in done.stdout.splitlines())
        return {row[0]: (int(row[1]) / 1e6, row[2]) for row in rows}
    return medians(asked)


def library(name, file):
    """A peer that is a Python library runs in its own process of the virtual environment."""
    done = subprocess.run([PYTHON, os.path.join(HERE, "libraries.py"), name, file], capture_output=True, text=True, check=True)
    answers = map(json.loads, done.stdout.splitlines())
    return {a["id"]: (a["ms"], a["expr"]) for a in answers if "expr" in a}


def judged(case, text):
    """(operations, floordiv and mod) of a result; "inexpressible" if it has a divisor that is not a positive integer;
    None if it is wrong or cannot be read."""
    from expressions import count, function, points, read
    try:
        names, tree = list(case["vars"]), read(text)
        given, found = function(read(case["expr"]), names), function(tree, names)
        if not all(given(**p) == found(**p) for p in points(case["vars"])):
            return None
        return count(tree) if expressible(tree) else "inexpressible"
    except (ValueError, NameError, ZeroDivisionError):
        return None


def expressible(tree):
    if not isinstance(tree, tuple):
        return True
    operator, x, y = tree
    return (operator not in ("//", "%") or isinstance(y, int) and y > 0) and expressible(x) and expressible(y)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("cases", nargs="+")
    arguments.add_argument("--peers", default="halide,tvm,isl,tinygrad")
    arguments.add_argument("--affinor")
    arguments.add_argument("--out")
    arguments.add_argument("--best")
    given = arguments.parse_args()
    sys.setrecursionlimit(20000)
    program = install()
    cases = [json.loads(line) for path in given.cases for line in open(path)]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(case) + "\n" for case in cases)
        file.flush()
        answers = {"affinor": affinor(given.affinor, file.name)}
        for peer in given.peers.split(","):
            start = time.time()
            answers[peer] = halide(program, cases) if peer == "halide" else library(peer, file.name)
            print("%s: %.0f s" % (peer, time.time() - start), file=sys.stderr)
    verdicts = {peer: {case["id"]: judged(case, of[case["id"]][1]) for case in cases if case["id"] in of} for peer, of in answers.items()}
    kinds = {}
    for case in cases:
        kinds.setdefault(re.match(r"[A-Za-z_]*", case["id"]).group(), []).append(case)
    table("all", cases, answers, verdicts)
    for kind, of in kinds.items() if len(kinds) > 1 else []:
        table(kind, of, answers, verdicts)
    best = smallest(cases, answers, verdicts)
    for case in cases:
        ours, theirs = verdicts["affinor"].get(case["id"]), best.get(case["id"])
        if isinstance(ours, tuple) and theirs and ours[0] > theirs[0]:
            box = ", ".join("%s in [%d, %d]" % (name, *bounds) for name, bounds in case["vars"].items())
            print("%s, %s: %d operations, %d of %s\n  given %s\n  affinor %s\n  %s %s" % (
                case["id"], box, ours[0], theirs[0], theirs[1], case["expr"], answers["affinor"][case["id"]][1], theirs[1], theirs[2]))
    if given.best:
        with open(given.best, "w") as out:
            json.dump(best, out)
    if given.out:
        with open(given.out, "w") as out:
            for case in cases:
                for peer, of in answers.items():
                    if case["id"] in of:
                        verdict = verdicts[peer][case["id"]]
                        ms, text = of[case["id"]]
                        row = {"id": case["id"], "peer": peer, "ms": ms, "expr": text, "wrong": verdict is None}
                        if isinstance(verdict, tuple):
                            row.update(ops=verdict[0], divmods=verdict[1])
                        out.write(json.dumps(row) + "\n")


def smallest(cases, answers, verdicts):
    """{id: [operations, peer, answer]} of the smallest right answer of the others."""
    best = {}
    for case in cases:
        for peer, of in answers.items():
            size = verdicts[peer].get(case["id"])
            if peer != "affinor" and isinstance(size, tuple) and (case["id"] not in best or size[0] < best[case["id"]][0]):
                best[case["id"]] = [size[0], peer, of[case["id"]][1]]
    return best


def table(title, cases, answers, verdicts):
    best = smallest(cases, answers, verdicts)
    print("%s: %d cases; the smallest answers of the others sum to %d operations" % (title, len(cases), sum(n for n, _, _ in best.values())))
    print("| simplifier | at or below the others' best | below | ops | floordiv/mod | median ms | p95 ms | max ms | wrong | set aside | no answer |")
    print("|" + "---|" * 11)
    for peer, of in answers.items():
        found = {case["id"]: verdicts[peer][case["id"]] for case in cases if case["id"] in of}
        sizes = {i: size for i, size in found.items() if isinstance(size, tuple)}
        at = sum(i not in best or n <= best[i][0] for i, (n, _) in sizes.items())
        below = sum(i in best and n < best[i][0] for i, (n, _) in sizes.items())
        times = sorted(of[i][0] for i in found) or [0]
        share = lambda percent: times[min(len(times) - 1, len(times) * percent // 100)]
        print("| %s | %d | %d | %d | %d | %.3f | %.3f | %.2f | %d | %d | %d |" % (
            peer, at, below, sum(n for n, _ in sizes.values()), sum(d for _, d in sizes.values()), share(50), share(95), times[-1],
            sum(size is None for size in found.values()), sum(size == "inexpressible" for size in found.values()), len(cases) - len(found)))
    print()


if __name__ == "__main__":
    main()
