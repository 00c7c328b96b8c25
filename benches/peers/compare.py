#!/usr/bin/env python3
"""Quality and time of affinor beside other simplifiers of index expressions, in one run on one machine.

    compare.py CASES.jsonl.. [--peers halide,tvm,isl,tinygrad] [--affinor PATH] [--out RESULTS.jsonl]

Installs the peers from PyPI into benches/peers/.venv the first time (Halide's is a C++ program over the library
of its wheel, so g++ is needed), and builds affinor if no PATH is given. CASES are lines
{"id", "vars": {"d0": [lo, hi], ..}, "expr"}. Times are CPU milliseconds of the process or thread that simplifies, to
build the peer's own expression and simplify it (affinor: simplify alone, its steps recorded). Each result is
evaluated beside the given expression; wrong ones are counted and not compared.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ENVIRONMENT = os.path.join(HERE, ".venv")
REQUIREMENTS = ["apache-tvm==0.27.0.post1", "halide==21.0.0", "islpy==2026.2.2", "tinygrad==0.14.0"]
PYTHON = os.path.join(ENVIRONMENT, "bin", "python")


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
    # Its exit status says whether a bound stopped a search; what it printed counts.
    done = subprocess.run([path, "simplify", "--jsonl", file], capture_output=True, text=True)
    answers = map(json.loads, done.stdout.splitlines())
    return {a["id"]: (a["ns"] / 1e6, a["result"]) for a in answers if "result" in a}


def halide(program, cases):
    from expressions import postfix, read
    lines = []
    for case in cases:
        bounds = ";".join("%s %d %d" % (name, low, high) for name, (low, high) in case["vars"].items())
        lines.append("%s|%s|%s" % (case["id"], bounds, postfix(read(case["expr"]))))
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    rows = (line.split("|") for line in done.stdout.splitlines())
    return {row[0]: (int(row[1]) / 1e6, row[2]) for row in rows}


def library(name, file):
    """A peer that is a Python library runs in its own process of the virtual environment."""
    done = subprocess.run([PYTHON, os.path.join(HERE, "libraries.py"), name, file], capture_output=True, text=True, check=True)
    answers = map(json.loads, done.stdout.splitlines())
    return {a["id"]: (a["ms"], a["expr"]) for a in answers if "expr" in a}


def judged(case, text):
    """(operations, floordiv and mod) of a result, or None if it is wrong or cannot be read."""
    from expressions import count, points, read, value
    try:
        given, tree = read(case["expr"]), read(text)
        if all(value(given, p) == value(tree, p) for p in points(case["vars"])):
            return count(tree)
    except (ValueError, KeyError, ZeroDivisionError):
        pass
    return None


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("cases", nargs="+")
    arguments.add_argument("--peers", default="halide,tvm,isl,tinygrad")
    arguments.add_argument("--affinor")
    arguments.add_argument("--out")
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
    sizes = {peer: {} for peer in answers}
    wrong = dict.fromkeys(answers, 0)
    for case in cases:
        for peer, of in answers.items():
            if case["id"] in of:
                size = judged(case, of[case["id"]][1])
                if size is None:
                    wrong[peer] += 1
                else:
                    sizes[peer][case["id"]] = size
    table(cases, answers, sizes, wrong)
    if given.out:
        with open(given.out, "w") as out:
            for case in cases:
                for peer, of in answers.items():
                    if case["id"] in of:
                        size = sizes[peer].get(case["id"])
                        ms, text = of[case["id"]]
                        row = {"id": case["id"], "peer": peer, "ms": ms, "expr": text, "wrong": size is None}
                        if size:
                            row.update(ops=size[0], divmods=size[1])
                        out.write(json.dumps(row) + "\n")


def table(cases, answers, sizes, wrong):
    others = [peer for peer in answers if peer != "affinor"]
    best = {}
    for case in cases:
        known = [sizes[peer][case["id"]][0] for peer in others if case["id"] in sizes[peer]]
        best[case["id"]] = min(known, default=None)
    print("%d cases; the smallest answers of the others sum to %d operations" % (len(cases), sum(n or 0 for n in best.values())))
    print("| simplifier | at or below the others' best | below | ops | floordiv/mod | median ms | p95 ms | max ms | wrong | no answer |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for peer in answers:
        of = sizes[peer]
        at = sum(best[i] is None or n <= best[i] for i, (n, _) in of.items())
        below = sum(best[i] is not None and n < best[i] for i, (n, _) in of.items())
        times = sorted(ms for ms, _ in answers[peer].values()) or [0]
        share = lambda percent: times[min(len(times) - 1, len(times) * percent // 100)]
        print("| %s | %d | %d | %d | %d | %.3f | %.3f | %.2f | %d | %d |" % (
            peer, at, below, sum(n for n, _ in of.values()), sum(d for _, d in of.values()), share(50), share(95), times[-1],
            wrong[peer], len(cases) - len(answers[peer])))
    mine = sizes["affinor"]
    over = [(i, mine[i][0], n) for i, n in best.items() if n is not None and i in mine and mine[i][0] > n]
    for i, ours, theirs in over:
        print("larger than the others' best: %s, %d operations and %d" % (i, ours, theirs))


if __name__ == "__main__":
    main()
