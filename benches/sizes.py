#!/usr/bin/env python3
"""Measures the sizes of simplified expressions with named sizes, and the time, in one table.

    sizes.py [--affinor PATH] [--runs COUNT]

benches/data/sizes.jsonl has 300 expressions that were generated from their smallest forms; benches/data/inductor.jsonl has the 838
expressions of 22 small programs compiled by PyTorch 2.15's Inductor, with the size of its answer and its time (`us`, microseconds).
The shortest time of several runs counts.
"""
import argparse
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))


def read(text):
    return {case["id"]: case for case in map(json.loads, text.splitlines())}


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--affinor", default=os.path.join(HERE, "..", "target", "release", "affinor"))
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print("| expressions | cases | at the known size or below | smaller | larger | operations | known | median us | p95 us |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, is_wanted, kind in (
        ("sizes.jsonl", lambda case: True, "constructed"),
        ("inductor.jsonl", lambda case: case["params"], "Inductor's, named sizes"),
        ("inductor.jsonl", lambda case: not case["params"], "Inductor's, numbers"),
    ):
        path = os.path.join(HERE, "data", name)
        with open(path) as file:
            cases = {key: case for key, case in read(file.read()).items() if is_wanted(case)}
        times, answers = {}, {}
        for _ in range(arguments.runs):
            command = [arguments.affinor, "simplify", "--jsonl", path, "--threads", "1"]
            answers = read(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
            for key in cases:
                times[key] = min(times.get(key, float("inf")), answers[key]["ns"] / 1000)
        pairs = [(answers[key]["ops"], case["best"]) for key, case in cases.items()]
        reached, smaller = sum(x <= y for x, y in pairs), sum(x < y for x, y in pairs)
        print("| %s | %d | %d (%.1f %%) | %d | %d | %d | %d | %.0f | %.0f |" % (
            kind, len(cases), reached, 100 * reached / len(cases), smaller, len(cases) - reached, sum(x for x, _ in pairs),
            sum(y for _, y in pairs), quantile(times.values(), 0.5), quantile(times.values(), 0.95)))
        theirs = [case["us"] for case in cases.values() if case.get("us")]
        if theirs:
            print("| the same, by Inductor | %d | | | | | | %.0f | %.0f |" % (
                len(theirs), quantile(theirs, 0.5), quantile(theirs, 0.95)))


if __name__ == "__main__":
    main()
